// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricHost;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Stands between the sockets of endpoints and a fabric: whatever a host sends to the emulator's
 * socket on another host's address enters the fabric at the sender's NIC, and what the fabric
 * delivers leaves by the emulator's socket on the sender's address.
 *
 * <p>Addresses and ports differ inside and outside, and the ICRC covers them: it is checked on each
 * side and computed anew for the other, and a packet whose check failed goes on with a wrong one.
 * Single-threaded.
 */
final class FabricGateway implements AutoCloseable {
  private static final int BURST = 256;
  private static final int UNFLUSHED = 64;
  private static final int FLUSHES = 100;
  private static final int LEAST_BYTES = 16;
  private static final int LAST_IDENTIFICATION = 63;
  private static final int HOST_MASK = 0xFF_FFFF;

  private final Fabric fabric;
  private final WallClock clock;
  private final Lateness lateness;
  private final int tosUnseen;
  private final List<Seat> seats = new ArrayList<>();
  private final Seat[] byHost;
  private final Icrc icrc = new Icrc();
  private final long[] dueNs = new long[UNFLUSHED];
  private int unflushed;
  private long turnRealNs;
  private long entered;
  private long left;
  private long refusedAtNic;
  private long undelivered;
  private long strangers;

  /**
   * Opens the emulator's sockets.
   *
   * @param fabric driven by the owner of this
   * @param hosts endpoints that send and receive
   * @param settings ports
   * @param clock of the run
   * @param lateness is told of each packet
   * @param tosUnseen taken for packets whose TOS the port cannot see
   */
  FabricGateway(
      Fabric fabric,
      List<LiveHost> hosts,
      RealTimeSettings settings,
      WallClock clock,
      Lateness lateness,
      int tosUnseen) {
    this.fabric = fabric;
    this.clock = clock;
    this.lateness = lateness;
    this.tosUnseen = tosUnseen;
    this.byHost = new Seat[fabric.topology().hosts()];
    try {
      for (LiveHost host : hosts) {
        DatagramPort outer = LiveHost.port(host.number(), settings.io(), settings.udpPort() + 1, 1);
        Seat seat = new Seat(host, fabric.host(host.number()), outer);
        seats.add(seat);
        byHost[host.number()] = seat;
      }
      for (Seat from : seats) {
        for (Seat to : seats) {
          from.knows(to, settings.udpPort());
        }
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** One host as the emulator sees it. */
  private final class Seat {
    private final LiveHost host;
    private final FabricHost own;
    private final SimPort inner;
    private final DatagramPort outer;
    private final Destination[] inside;
    private final Destination[] outside;
    private final DatagramHandler fromSocket = this::onSocket;
    private final DatagramHandler fromFabric = this::onFabric;

    Seat(LiveHost host, FabricHost own, DatagramPort outer) {
      this.host = host;
      this.own = own;
      this.outer = outer;
      this.inner = own.openPort();
      this.inside = new Destination[byHost.length];
      this.outside = new Destination[byHost.length];
      inner.onArrival(() -> inner.receive(fromFabric, 1, fabric.timeline().nowNs()));
    }

    void knows(Seat to, int udpPort) {
      int number = to.host.number();
      long high = to.own.address().high();
      inside[number] = inner.destination(high, to.own.address().low(), IpUdpFields.ROCE_PORT, 0, 0);
      outside[number] =
          outer.destination(
              LiveHost.gidOf(number).high(), LiveHost.gidOf(number).low(), udpPort, 0, 0);
    }

    /** Packets that others have sent to this host. */
    private void onSocket(
        UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
      Seat from = seatOf((int) meta.ip.sourceLow() - LiveHost.addressOf(0));
      int path = from == null ? -1 : from.host.agent().port().pathSlotOf(meta.ip.sourcePort());
      int step = Math.max(1, segmentBytes);
      int index = 0;
      for (int at = 0; at < length; at += step) {
        int bytes = Math.min(step, length - at);
        if (path < 0 || bytes < LEAST_BYTES) {
          strangers++;
        } else {
          boolean intact = isIntact(buffer, offset + at, bytes, meta, index++);
          from.enter(this, path, buffer, offset + at, bytes, meta.tos, intact);
        }
      }
    }

    private boolean isIntact(UnsafeBuffer buffer, int at, int bytes, DatagramMeta meta, int index) {
      boolean isKnown = meta.idKnowledge == DatagramMeta.ID_KNOWN;
      int first = isKnown && index == 0 ? meta.ip.identification() : index;
      meta.ip.identification(first);
      if (icrc.check(buffer, at, bytes, meta.ip)) {
        return true;
      }
      int solved = icrc.solveIdentification(buffer, at, bytes, meta.ip);
      return solved >= 0 && solved <= LAST_IDENTIFICATION;
    }

    /** A packet of this host enters the fabric. */
    private void enter(
        Seat to, int path, UnsafeBuffer buffer, int at, int bytes, int tosSeen, boolean intact) {
      int tos = tosSeen < 0 ? tosUnseen : tosSeen;
      if (inner.open(path, inside[to.host.number()], tos, bytes) <= 0) {
        refusedAtNic++;
        return;
      }
      inner.transmitBuffer().putBytes(inner.claim(), buffer, at, bytes);
      if (intact) {
        inner.commit(bytes);
      } else {
        inner.commitDamaged(bytes, 8 * bytes - 1);
      }
      inner.flush(fabric.timeline().nowNs());
      entered++;
      lateness.record(clock.realNs() - turnRealNs);
    }

    /** The fabric delivers a packet to this host. */
    private void onFabric(
        UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
      Seat from = seatOf(((int) meta.ip.sourceLow() & HOST_MASK) - 1);
      if (from == null || !from.open(outside[host.number()], meta.tos, length)) {
        undelivered++;
        return;
      }
      boolean intact = icrc.check(buffer, offset, length, meta.ip);
      from.outer.transmitBuffer().putBytes(from.outer.claim(), buffer, offset, length);
      if (intact) {
        from.outer.commit(length);
      } else {
        from.outer.commitDamaged(length, 8 * length - 1);
      }
      dueNs[unflushed++] = fabric.timeline().nowNs();
      if (unflushed == UNFLUSHED) {
        flush();
      }
    }

    private boolean open(Destination to, int tos, int length) {
      for (int tries = 0; tries < FLUSHES; tries++) {
        if (outer.open(0, to, tos, length) > 0) {
          return true;
        }
        outer.flush(clock.nanoTime());
      }
      return false;
    }
  }

  private Seat seatOf(int host) {
    return host < 0 || host >= byHost.length ? null : byHost[host];
  }

  /**
   * Takes what the sockets hold into the fabric, whose present must be the clock's.
   *
   * @param sinceRealNs the packets were sent after this, real time since the start
   * @return packets
   */
  int receive(long sinceRealNs) {
    turnRealNs = sinceRealNs;
    int packets = 0;
    long nowNs = fabric.timeline().nowNs();
    for (int i = 0; i < seats.size(); i++) {
      packets += seats.get(i).outer.receive(seats.get(i).fromSocket, BURST, nowNs);
    }
    return packets;
  }

  /**
   * Hands to the kernel what the fabric has delivered.
   *
   * @return packets
   */
  int flush() {
    int packets = unflushed;
    long nowNs = clock.nanoTime();
    for (int i = 0; packets > 0 && i < seats.size(); i++) {
      seats.get(i).outer.flush(nowNs);
    }
    long realNs = clock.realNs();
    for (int i = 0; i < packets; i++) {
      lateness.record(realNs - clock.toRealNs(dueNs[i]));
    }
    left += packets;
    unflushed = 0;
    return packets;
  }

  /** Packets taken into the fabric. */
  long entered() {
    return entered;
  }

  /** Packets handed to the endpoints' sockets. */
  long left() {
    return left;
  }

  /** Packets for which a NIC had no room: a socket cannot hold its sender back. */
  long refusedAtNic() {
    return refusedAtNic;
  }

  /** Packets that the emulator's own machine lost: its sockets were full. */
  long lostBySockets() {
    long lost = undelivered;
    for (Seat seat : seats) {
      lost += seat.outer.counters().rxSocketOverflow + seat.outer.counters().txErrors;
      lost += seat.host.agent().port().counters().rxSocketOverflow;
    }
    return lost;
  }

  /** Packets that came from no endpoint of this run. */
  long strangers() {
    return strangers;
  }

  /** Whether the sockets show marks to the endpoints. */
  boolean showsMarks() {
    return seats.stream().allMatch(seat -> seat.outer.capabilities().ecnReceive());
  }

  @Override
  public void close() {
    seats.forEach(seat -> seat.outer.close());
  }
}
