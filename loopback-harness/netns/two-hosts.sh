#!/usr/bin/env bash
# Copyright 2026 the roce4j authors
# SPDX-License-Identifier: Apache-2.0
#
# Two hosts on one machine: network namespaces a and b with a virtual Ethernet link between them,
# or with a router between them. Needs root and iproute2; touches nothing outside the namespaces.
#
#   two-hosts.sh up [MTU]            makes them (default MTU 9000)
#   two-hosts.sh routed [MTU [MTU]]  the same with a router; the second MTU is that of b's link
#   two-hosts.sh segment             lets the kernel segment trains before the link, as without
#                                    offload in the adapter
#   two-hosts.sh a|b COMMAND...      runs a command on one of the hosts
#   two-hosts.sh addresses           prints the addresses: a over IPv4, b, a over IPv6, b
#   two-hosts.sh down                removes them
#
# ROCE4J_NETNS is the prefix of the namespaces' names, so that several pairs can be up at once.
set -Eeuo pipefail
prefix=${ROCE4J_NETNS:-roce4j}
a=$prefix-a
b=$prefix-b
router=$prefix-r

die() {
  echo "two-hosts.sh: $*" >&2
  exit 2
}

# link NAMESPACE NAME NAMESPACE NAME MTU
link() {
  ip link add "$2" netns "$1" mtu "$5" type veth peer name "$4" netns "$3" mtu "$5"
  ip -n "$1" link set "$2" up
  ip -n "$3" link set "$4" up
}

# address NAMESPACE NAME ADDRESS...
address() {
  local namespace=$1 name=$2
  shift 2
  for each; do
    case $each in
      *:*) ip -n "$namespace" addr add "$each" dev "$name" nodad ;;
      *) ip -n "$namespace" addr add "$each" dev "$name" ;;
    esac
  done
}

# A carrier is noticed up to a second after the link was made.
await_carrier() {
  for _ in $(seq 100); do
    case $(ip -n "$1" -br link show dev "$2") in
      *LOWER_UP*) return ;;
    esac
    sleep 0.05
  done
  die "link $2 does not come up"
}

up() {
  ip netns add "$a"
  ip netns add "$b"
  ip -n "$a" link set lo up
  ip -n "$b" link set lo up
  link "$a" net0 "$b" net0 "$1"
  address "$a" net0 10.47.92.1/24 fd47:92::1/64
  address "$b" net0 10.47.92.2/24 fd47:92::2/64
  await_carrier "$a" net0
  await_carrier "$b" net0
}

routed() {
  for each in "$a" "$b" "$router"; do
    ip netns add "$each"
    ip -n "$each" link set lo up
  done
  link "$a" net0 "$router" left "$1"
  link "$b" net0 "$router" right "$2"
  address "$a" net0 10.47.92.1/24 fd47:92::1/64
  address "$router" left 10.47.92.254/24 fd47:92::fe/64
  address "$b" net0 10.47.93.2/24 fd47:93::2/64
  address "$router" right 10.47.93.254/24 fd47:93::fe/64
  ip -n "$a" route add default via 10.47.92.254
  ip -n "$a" -6 route add default via fd47:92::fe
  ip -n "$b" route add default via 10.47.93.254
  ip -n "$b" -6 route add default via fd47:93::fe
  ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
  await_carrier "$a" net0
  await_carrier "$b" net0
}

down() {
  for each in "$a" "$b" "$router"; do
    if [ -e "/run/netns/$each" ]; then
      ip netns del "$each"
    fi
  done
}

case ${1:-} in
  up)
    trap 'down; exit 3' ERR
    up "${2:-9000}"
    ;;
  routed)
    trap 'down; exit 3' ERR
    routed "${2:-9000}" "${3:-${2:-9000}}"
    ;;
  segment)
    ip -n "$a" link set net0 gso_max_segs 1
    ip -n "$b" link set net0 gso_max_segs 1
    ;;
  a | b)
    [ $# -ge 2 ] || die "$1 what? name a command"
    namespace=$prefix-$1
    shift
    exec ip netns exec "$namespace" "$@"
    ;;
  addresses)
    for family in -4 -6; do
      ip -n "$a" "$family" -o addr show dev net0 scope global | awk '{sub("/.*", "", $4); print $4}'
      ip -n "$b" "$family" -o addr show dev net0 scope global | awk '{sub("/.*", "", $4); print $4}'
    done
    ;;
  down)
    down
    ;;
  *)
    sed -n 's/^#   //p' "$0" >&2
    exit 2
    ;;
esac
