// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

/**
 * Numbers of Linux's socket interface that the native ports use; the same on x86-64 and aarch64.
 * Stateless.
 */
public final class SocketOptions {
  /** Address family of IPv4. */
  public static final int AF_INET = 2;

  /** Address family of IPv6. */
  public static final int AF_INET6 = 10;

  /** Address family of kernel messages. */
  public static final int AF_NETLINK = 16;

  /** Address family of link-layer frames. */
  public static final int AF_PACKET = 17;

  /** Datagrams. */
  public static final int SOCK_DGRAM = 2;

  /** Frames or packets with their headers. */
  public static final int SOCK_RAW = 3;

  /** Calls do not wait. */
  public static final int SOCK_NONBLOCK = 0x800;

  /** Closed in child programs. */
  public static final int SOCK_CLOEXEC = 0x80000;

  /** Level of socket options. */
  public static final int SOL_SOCKET = 1;

  /** Level of IPv4 options. */
  public static final int SOL_IP = 0;

  /** Level of IPv6 options. */
  public static final int SOL_IPV6 = 41;

  /** Level of UDP options. */
  public static final int SOL_UDP = 17;

  /** Level of AF_PACKET options. */
  public static final int SOL_PACKET = 263;

  /** Send buffer, within the system's limit. */
  public static final int SO_SNDBUF = 7;

  /** Receive buffer, within the system's limit. */
  public static final int SO_RCVBUF = 8;

  /** Classic BPF filter. */
  public static final int SO_ATTACH_FILTER = 26;

  /** Send buffer beyond the system's limit (CAP_NET_ADMIN). */
  public static final int SO_SNDBUFFORCE = 32;

  /** Receive buffer beyond the system's limit (CAP_NET_ADMIN). */
  public static final int SO_RCVBUFFORCE = 33;

  /** Datagrams dropped for want of room, told with each datagram. */
  public static final int SO_RXQ_OVFL = 40;

  /** Memory and drop figures of a socket. */
  public static final int SO_MEMINFO = 55;

  /** Other sockets may be bound to the same address, which multicast groups need. */
  public static final int SO_REUSEADDR = 2;

  /** Interface that IPv6 multicast leaves through. */
  public static final int IPV6_MULTICAST_IF = 17;

  /** Join an IPv6 group: ipv6_mreq. */
  public static final int IPV6_ADD_MEMBERSHIP = 20;

  /** Leave an IPv6 group: ipv6_mreq. */
  public static final int IPV6_DROP_MEMBERSHIP = 21;

  /** Join an IPv4 group: ip_mreqn. */
  public static final int IP_ADD_MEMBERSHIP = 35;

  /** Leave an IPv4 group: ip_mreqn. */
  public static final int IP_DROP_MEMBERSHIP = 36;

  /** Join a group of Ethernet addresses: packet_mreq. */
  public static final int PACKET_ADD_MEMBERSHIP = 1;

  /** Leave a group of Ethernet addresses: packet_mreq. */
  public static final int PACKET_DROP_MEMBERSHIP = 2;

  /** Type of service: option and control message. */
  public static final int IP_TOS = 1;

  /** Time to live: option and control message. */
  public static final int IP_TTL = 2;

  /** "Do not fragment". */
  public static final int IP_MTU_DISCOVER = 10;

  /** Report what happens to a packet after the send call's usual checks. */
  public static final int IP_RECVERR = 11;

  /** Ask for the time to live of received packets. */
  public static final int IP_RECVTTL = 12;

  /** Ask for the type of service of received packets. */
  public static final int IP_RECVTOS = 13;

  /** Never fragment; refuse what is too long. */
  public static final int PMTUDISC_DO = 2;

  /** IPv6 "do not fragment". */
  public static final int IPV6_MTU_DISCOVER = 23;

  /** As {@link #IP_RECVERR}. */
  public static final int IPV6_RECVERR = 25;

  /** No IPv4 through this socket. */
  public static final int IPV6_V6ONLY = 26;

  /** Take the flow label from the destination address. */
  public static final int IPV6_FLOWINFO_SEND = 33;

  /** Ask for the hop limit of received packets. */
  public static final int IPV6_RECVHOPLIMIT = 51;

  /** Hop limit as a control message. */
  public static final int IPV6_HOPLIMIT = 52;

  /** Ask for the traffic class of received packets. */
  public static final int IPV6_RECVTCLASS = 66;

  /** Traffic class: option and control message. */
  public static final int IPV6_TCLASS = 67;

  /** Accept IPv6 datagrams with checksum 0, which RoCE senders emit. */
  public static final int UDP_NO_CHECK6_RX = 102;

  /** Segmented send: option and control message. */
  public static final int UDP_SEGMENT = 103;

  /** Coalesced receive: option and control message. */
  public static final int UDP_GRO = 104;

  /** Receive ring of AF_PACKET. */
  public static final int PACKET_RX_RING = 5;

  /** Packets and drops since the last reading. */
  public static final int PACKET_STATISTICS = 6;

  /** Layout of the ring's frames. */
  public static final int PACKET_VERSION = 10;

  /** Ring layout with the VLAN tag and 64-bit-safe fields. */
  public static final int TPACKET_V2 = 1;

  /** Room in front of each frame of the ring. */
  public static final int PACKET_RESERVE = 12;

  /** A virtio header in front of each frame, both ways: segmentation and checksum. */
  public static final int PACKET_VNET_HDR = 15;

  /** Do not show frames this host sends. */
  public static final int PACKET_IGNORE_OUTGOING = 23;

  /** Control data did not fit. */
  public static final int MSG_CTRUNC = 0x08;

  /** The datagram did not fit. */
  public static final int MSG_TRUNC = 0x20;

  /** Do not wait. */
  public static final int MSG_DONTWAIT = 0x40;

  private SocketOptions() {}
}
