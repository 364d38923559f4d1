// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.memory.NativeMemory;

/** A saturating sequence of WRITEs over a model network, measured in virtual time. */
final class Transfer implements AutoCloseable {
  static final int MTU = 4096;
  static final long LINE = 100_000_000_000L;

  /** Bytes of a full WRITE packet on the link. */
  static final int WIRE_BYTES = 12 + 16 + 8 + 16 + MTU + 4 + ModelPort.OVERHEAD;

  static final double PACKET_NS = WIRE_BYTES * 8e9 / LINE;
  private static final int MESSAGE = 64 * 1024;
  private static final int OUTSTANDING = 256;

  final ModelNet net;
  final ModelSide a;
  final ModelSide b;
  private final long messages;
  private long posted;
  long firstNs;
  long lastNs;
  private long firstMark;
  private long firstMarkNs;
  private long lastMark;
  private long lastMarkNs;

  /**
   * A transfer.
   *
   * @param bdpPackets round trip time in packet times
   */
  Transfer(
      MxSettings settings, String congestion, double bdpPackets, Weather weather, long packets) {
    this(settings, congestion, bdpPackets, weather, packets, 77);
  }

  /** A transfer whose sender's CPSNs start at {@code isn}. */
  Transfer(
      MxSettings settings,
      String congestion,
      double bdpPackets,
      Weather weather,
      long packets,
      int isn) {
    long rttNs = (long) (bdpPackets * PACKET_NS);
    this.net =
        new ModelNet(LINE, weather, 4, 16_384, EndpointSettings.defaults().withBaseRttNs(rttNs));
    this.a = new ModelSide(net, 0, settings, congestion, 1 << 20, isn);
    this.b = new ModelSide(net, 1, settings, congestion, 1 << 20, 0xFFFF00);
    ModelSide.connect(a, b, MTU, 14, 7);
    this.messages = packets * MTU / MESSAGE;
    for (int i = 0; i < MESSAGE; i += 8) {
      NativeMemory.putLong(a.memory.address() + i, i * 0x9E3779B97F4A7C15L);
    }
    net.run(20 * rttNs, () -> false); // the stream is open now
  }

  static long oneWayNs(double bdpPackets) {
    return (long) (bdpPackets * PACKET_NS / 2);
  }

  /** Runs to the end; false when it did not get there in so much time. */
  boolean run(long limitNs) {
    firstNs = net.nowNs();
    boolean done =
        net.run(
            limitNs,
            () -> {
              pump();
              note();
              return a.sent.size() >= messages;
            });
    lastNs = net.nowNs();
    return done;
  }

  private void note() {
    if (firstMarkNs == 0 && a.sent.size() >= messages / 8) {
      firstMark = a.sent.size();
      firstMarkNs = net.nowNs();
    }
    if (lastMarkNs == 0 && a.sent.size() >= messages * 7 / 8) {
      lastMark = a.sent.size();
      lastMarkNs = net.nowNs();
    }
  }

  /** Goodput without the start and the tail: from an eighth to seven eighths of the messages. */
  double steadyGoodput() {
    double packets = (double) (lastMark - firstMark) * MESSAGE / MTU;
    return packets * PACKET_NS / (lastMarkNs - firstMarkNs);
  }

  void pump() {
    a.poll();
    while (posted < messages && posted - a.sent.size() < OUTSTANDING) {
      if (a.write(posted, 0, b, posted % 15 * MESSAGE, MESSAGE) != 0) {
        return;
      }
      posted++;
    }
  }

  /** Payload delivered over what the line could have carried. */
  double goodput() {
    double packets = (double) messages * MESSAGE / MTU;
    return packets * PACKET_NS / (lastNs - firstNs);
  }

  boolean allSucceeded() {
    return a.sent.stream().allMatch(d -> d.status() == WorkCompletionStatus.SUCCESS);
  }

  MxConnection connection() {
    return ((MxEngine) a.queuePair.engine()).connection();
  }

  @Override
  public void close() {
    net.close();
    a.memory.close();
    b.memory.close();
  }
}
