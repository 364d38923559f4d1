// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.Netlink;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Next hops and their Ethernet addresses, from the kernel's tables.
 *
 * <p>AF_PACKET sends past the kernel's neighbour resolution, so a missing entry has to be asked
 * for: one byte to the neighbour's discard port through a UDP socket makes the kernel resolve it.
 */
final class NextHops implements AutoCloseable {
  private static final int DISCARD_PORT = 9;
  private static final int ATTEMPTS = 200;
  private static final long ATTEMPT_NS = 5_000_000;
  private static final long REPOKE_NS = 1_000_000_000;
  private static final int SOCKADDR = NativeSocket.SOCKADDR_IN6 + 4;
  private static final long EUI64_MIDDLE_MASK = 0x0000_00FF_FF00_0000L;
  private static final long EUI64_MIDDLE = 0x0000_00FF_FE00_0000L;

  private final Libc libc;
  private final NativeSocket control;
  private final LocalInterface local;
  private final Netlink netlink;
  private final UnsafeBuffer poke = NativeMemory.allocate("port-netlink", SOCKADDR + 8, 8);
  private final List<Neighbour> neighbours = new ArrayList<>();
  private int refreshNext;
  private long lastPokeNs;

  NextHops(Libc libc, NativeSocket control, LocalInterface local) {
    this.libc = libc;
    this.control = control;
    this.local = local;
    this.netlink = new Netlink(libc);
  }

  /**
   * Where packets to an address go first; one object for all destinations behind it.
   *
   * @throws IllegalArgumentException when it is not reached through this port's interface, or
   *     nobody answers
   */
  Neighbour neighbour(Gid to, boolean roceV1) {
    Gid nextHop = nextHop(to, roceV1);
    for (Neighbour each : neighbours) {
      if (each.address().equals(nextHop)) {
        return each;
      }
    }
    Neighbour added = new Neighbour(nextHop, resolve(nextHop, roceV1));
    neighbours.add(added);
    return added;
  }

  /** The address itself when it is on the link, else the gateway. */
  private Gid nextHop(Gid to, boolean roceV1) {
    if (local.loopback() || roceV1 || to.isMulticast()) {
      return to;
    }
    boolean linkLocal = to.high() >>> 54 == 0xFE80 >>> 6;
    if (netlink.route(to.high(), to.low(), linkLocal ? local.index() : 0) < 0) {
      throw new IllegalArgumentException("no route to " + to + " (ip route get " + to + ")");
    }
    if (netlink.routeType() == Netlink.RTN_LOCAL) {
      throw new IllegalArgumentException(
          to
              + " is an address of this host, which port raw cannot reach through "
              + local.name()
              + ": use network namespaces, or --io linux");
    }
    if (netlink.routeType() != Netlink.RTN_UNICAST || netlink.outInterface() != local.index()) {
      throw new IllegalArgumentException(
          to + " is not reached through interface " + local.name() + " (ip route get " + to + ")");
    }
    return netlink.hasGateway() ? new Gid(netlink.gatewayHigh(), netlink.gatewayLow()) : to;
  }

  /**
   * The Ethernet address of a next hop, waiting up to a second for the kernel to find it.
   *
   * @throws IllegalArgumentException when nobody answers
   */
  private long resolve(Gid nextHop, boolean roceV1) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long mac = lookUp(nextHop, roceV1);
      if (mac >= 0) {
        return mac;
      }
      if (attempt % 40 == 0) {
        poke(nextHop);
      }
      LockSupport.parkNanos(ATTEMPT_NS);
    }
    throw new IllegalArgumentException(
        "neighbour " + nextHop + " on " + local.name() + " does not answer: is the host up?");
  }

  private long lookUp(Gid nextHop, boolean roceV1) {
    if (local.loopback()) {
      return 0;
    }
    if (nextHop.isMulticast()) {
      return Gid.multicastMac(nextHop.high(), nextHop.low());
    }
    if (roceV1 && (nextHop.low() & EUI64_MIDDLE_MASK) == EUI64_MIDDLE && !nextHop.isIpv4()) {
      // A link-local GID is made of the Ethernet address.
      return ((nextHop.low() >>> 40) ^ 0x02_0000L) << 24 | (nextHop.low() & 0xFF_FFFF);
    }
    return netlink.neighbour(local.index(), nextHop.high(), nextHop.low());
  }

  /** Looks one neighbour up again, in turn, in case its Ethernet address has changed. */
  void refreshOne(boolean roceV1, long nowNs) {
    if (neighbours.isEmpty()) {
      return;
    }
    refreshNext = refreshNext + 1 < neighbours.size() ? refreshNext + 1 : 0;
    Neighbour neighbour = neighbours.get(refreshNext);
    long mac = lookUp(neighbour.address(), roceV1);
    if (mac >= 0) {
      neighbour.mac(mac);
    } else if (nowNs - lastPokeNs >= REPOKE_NS) {
      lastPokeNs = nowNs;
      poke(neighbour.address());
    }
  }

  private void poke(Gid nextHop) {
    poke.setMemory(0, poke.capacity(), (byte) 0);
    int length;
    poke.putShort(2, (short) DISCARD_PORT, ByteOrder.BIG_ENDIAN);
    if (nextHop.isIpv4()) {
      poke.putShort(0, (short) SocketOptions.AF_INET);
      poke.putInt(4, nextHop.ipv4(), ByteOrder.BIG_ENDIAN);
      length = NativeSocket.SOCKADDR_IN;
    } else {
      poke.putShort(0, (short) SocketOptions.AF_INET6);
      poke.putLong(8, nextHop.high(), ByteOrder.BIG_ENDIAN);
      poke.putLong(16, nextHop.low(), ByteOrder.BIG_ENDIAN);
      poke.putInt(24, local.index());
      length = NativeSocket.SOCKADDR_IN6;
    }
    long address = poke.addressOffset();
    // Whether it could be sent does not matter: the table will tell.
    libc.sendto(control.fd(), address + SOCKADDR, 1, SocketOptions.MSG_DONTWAIT, address, length);
  }

  @Override
  public void close() {
    netlink.close();
    NativeMemory.release(poke);
  }
}
