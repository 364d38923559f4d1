// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.TrainPort;
import io.roce4j.transport.port.libc.Libc;
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.Netlink;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.net.Inet6Address;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Next hops and their Ethernet addresses, from the kernel's tables.
 *
 * <p>AF_PACKET sends past the kernel's neighbour resolution, so a missing entry has to be asked
 * for: one byte to the neighbour's discard port through a UDP socket makes the kernel resolve it.
 * Nothing waits for that. A peer can name any address it likes, so everything is bounded: how many
 * are looked for at a time, how many are remembered, and how long after a search without an answer
 * none is begun again. What is found stays with the routes that use it, and is looked up again as
 * long as they do. Agent's thread.
 */
final class NextHops implements AutoCloseable {
  /** Most neighbours that are looked for at the same time. */
  static final int SEARCHES = 128;

  /** How long a search goes on. */
  static final long SEARCH_NS = TrainPort.GIVE_UP_NS;

  /** How long nothing is asked after a search without an answer. */
  static final long SILENCE_NS = 1_000_000_000;

  private static final int REMEMBERED = 1024;
  private static final int QUEUE = 4 * SEARCHES;
  private static final int LOOKS = 8;
  private static final int DISCARD_PORT = 9;
  private static final long REFRESH_NS = 20_000_000;
  private static final long REPOKE_NS = 1_000_000_000;
  private static final int SOCKADDR = NativeSocket.SOCKADDR_IN6 + 4;
  private static final long EUI64_MIDDLE_MASK = 0x0000_00FF_FF00_0000L;
  private static final long EUI64_MIDDLE = 0x0000_00FF_FE00_0000L;

  private final Libc libc;
  private final NativeSocket asking;
  private final LocalInterface local;
  private final boolean roceV1;
  private final Netlink netlink;
  private final UnsafeBuffer poke = NativeMemory.allocate("port-netlink", SOCKADDR + 8, 8);

  /** So that the routes to one address share what is known of it; the least used goes first. */
  private final Map<Gid, Neighbour> remembered =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Gid, Neighbour> eldest) {
          return size() > REMEMBERED;
        }
      };

  // Neighbours to be looked up, in turn.
  private final Neighbour[] queue = new Neighbour[QUEUE];
  private int queueHead;
  private int queued;
  private int searches;
  private long nowNs;

  NextHops(Libc libc, PortSettings settings, LocalInterface local) {
    this.libc = libc;
    this.local = local;
    this.roceV1 = settings.roceV1();
    this.netlink = new Netlink(libc);
    boolean ipv6 = settings.bindAddress() instanceof Inet6Address;
    int family = ipv6 ? SocketOptions.AF_INET6 : SocketOptions.AF_INET;
    // Not the socket that holds the port of RoCE: a byte from there looks like a damaged packet.
    this.asking = NativeSocket.open(libc, family, SocketOptions.SOCK_DGRAM, 0);
    SocketFilter.nothing().attach(asking);
  }

  /**
   * Where packets to an address go first; one object for the destinations behind it. Its Ethernet
   * address may not be known yet.
   *
   * @throws IllegalArgumentException when it is not reached through this port's interface, nobody
   *     has answered for it just now, or too many are looked for
   */
  Neighbour neighbour(Gid to) {
    Gid nextHop = nextHop(to);
    Neighbour neighbour = remembered.get(nextHop);
    if (neighbour == null) {
      neighbour = new Neighbour(nextHop);
      remembered.put(nextHop, neighbour);
    }
    if (!neighbour.isKnown() && !seek(neighbour)) {
      throw new IllegalArgumentException(
          neighbour.search == Neighbour.SILENT
              ? "neighbour " + nextHop + " on " + local.name() + " does not answer: is the host up?"
              : "too many neighbours on "
                  + local.name()
                  + " do not answer: "
                  + nextHop
                  + " is not looked for now");
    }
    return neighbour;
  }

  /**
   * Looks for a neighbour's Ethernet address, if it has not just been looked for in vain.
   *
   * @return whether it is known or may yet become so
   */
  boolean seek(Neighbour neighbour) {
    if (neighbour.isSought()) {
      return true;
    }
    if (neighbour.search == Neighbour.SILENT && nowNs - neighbour.sinceNs < SILENCE_NS) {
      return false;
    }
    neighbour.search = Neighbour.IDLE;
    if (look(neighbour)) {
      return true;
    }
    if (searches >= SEARCHES) {
      return false;
    }
    poke(neighbour);
    if (look(neighbour)) {
      return true; // The other end of a virtual link has answered within the call.
    }
    if (!enqueue(neighbour)) {
      return false;
    }
    searches++;
    neighbour.search = Neighbour.ASKED;
    return true;
  }

  /** A packet goes to a known neighbour: its Ethernet address may have changed meanwhile. */
  void used(Neighbour neighbour) {
    if (nowNs - neighbour.lookedUpNs >= REFRESH_NS) {
      // Is the queue full, it will be asked for again with the next packet.
      enqueue(neighbour);
    }
  }

  /** Goes on with what is looked for and looked up again, a few a call. */
  void poll(long now) {
    nowNs = now;
    for (int looks = Math.min(queued, LOOKS); looks > 0; looks--) {
      Neighbour neighbour = queue[queueHead];
      queue[queueHead] = null;
      queueHead = (queueHead + 1) % QUEUE;
      queued--;
      neighbour.queued = false;
      if (neighbour.isSought()) {
        goOn(neighbour);
      } else if (!look(neighbour) && nowNs - neighbour.pokedNs >= REPOKE_NS) {
        poke(neighbour);
      }
    }
  }

  private void goOn(Neighbour neighbour) {
    if (neighbour.search == Neighbour.ASKED) {
      neighbour.search = Neighbour.SOUGHT;
      neighbour.sinceNs = nowNs;
    }
    if (look(neighbour)) {
      searches--;
    } else if (nowNs - neighbour.sinceNs >= SEARCH_NS || !enqueue(neighbour)) {
      searches--;
      neighbour.search = Neighbour.SILENT;
      neighbour.sinceNs = nowNs;
    }
  }

  private boolean enqueue(Neighbour neighbour) {
    if (!neighbour.queued && queued < QUEUE) {
      neighbour.queued = true;
      queue[(queueHead + queued) % QUEUE] = neighbour;
      queued++;
    }
    return neighbour.queued;
  }

  private boolean look(Neighbour neighbour) {
    neighbour.lookedUpNs = nowNs;
    long mac = lookUp(neighbour.address());
    if (mac >= 0) {
      neighbour.mac(mac);
    }
    return mac >= 0;
  }

  /** The address itself when it is on the link, else the gateway. */
  private Gid nextHop(Gid to) {
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

  private long lookUp(Gid nextHop) {
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

  private void poke(Neighbour neighbour) {
    Gid nextHop = neighbour.address();
    neighbour.pokedNs = nowNs;
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
    libc.sendto(asking.fd(), address + SOCKADDR, 1, SocketOptions.MSG_DONTWAIT, address, length);
  }

  @Override
  public void close() {
    netlink.close();
    asking.close();
    NativeMemory.release(poke);
  }
}
