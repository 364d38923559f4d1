// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.Pacer;
import io.roce4j.congestion.RttEstimator;
import io.roce4j.wire.sequence.Psn;

/**
 * The congestion side of a connection: the controller's window and rate, the pacer, and round trip
 * samples (of each packet that asks for an acknowledgement, as long as {@link #MOST_TIMED} hold
 * them; never of one that was sent again: Karn's rule).
 *
 * <p>Counted bytes of a packet, for window and pacer alike: payload plus {@link #OVERHEAD_BYTES},
 * the headers of an IPv4 packet with BTH and ICRC [FC-58].
 */
final class RcPacing {

  /** IPv4 20, UDP 8, BTH 12, ICRC 4. */
  static final int OVERHEAD_BYTES = 44;

  private static final long INITIAL_RTT_NS = 100_000;

  /** Packets timed at once, a power of two: delay-based control wants a sample per segment. */
  private static final int MOST_TIMED = 64;

  /** Round trips without a packet after which a controller is told that the sender was idle. */
  private static final int IDLE_RTTS = 4;

  /** Delay-based control completes a segment of 16 KB (TIMELY, section 4): a sample for each. */
  private static final int SEGMENT_BYTES = 16_384;

  private static final double BYTE_NS_AT_ONE_BIT = 8e9;

  private static final long NEVER_SENT = Long.MIN_VALUE;

  /** Has no state: all connections without congestion control share it. */
  private static final RcPacing UNLIMITED = new RcPacing();

  private final CongestionController controller;
  private final boolean unlimited;
  private final Pacer pacer;
  private final RttEstimator rtt;
  private final int fullPacketBytes;
  private long paceDeadlineNs = DeadlineHeap.NEVER;
  private final int[] timedPsn;
  private final long[] timedNs;
  private int timedFirst;
  private int timedCount;
  private boolean applicationLimited;
  private long lastSentNs = NEVER_SENT;

  /**
   * The congestion side of a connection that has a controller.
   *
   * @param controller in its start state.
   * @param pathMtu payload bytes of a full packet.
   * @param trainPackets packets that may leave back to back.
   * @param catchUpNs lateness of the agent that is made good, ns.
   * @param nowNs time of the endpoint, ns.
   */
  RcPacing(
      CongestionController controller, int pathMtu, int trainPackets, long catchUpNs, long nowNs) {
    this.controller = controller;
    this.fullPacketBytes = (int) countedBytes(pathMtu);
    this.unlimited = false;
    this.pacer =
        new Pacer(controller.rateBitsPerSecond(), (long) trainPackets * fullPacketBytes, catchUpNs);
    this.rtt = new RttEstimator(nowNs, INITIAL_RTT_NS);
    this.timedPsn = new int[MOST_TIMED];
    this.timedNs = new long[MOST_TIMED];
  }

  private RcPacing() {
    this.controller = null;
    this.fullPacketBytes = 0;
    this.unlimited = true;
    this.pacer = null;
    this.rtt = null;
    this.timedPsn = null;
    this.timedNs = null;
  }

  /** Without congestion control: everything may leave at once. */
  static RcPacing unlimited() {
    return UNLIMITED;
  }

  static long countedBytes(int payload) {
    return (long) payload + OVERHEAD_BYTES;
  }

  /** Whether a packet may leave now. When the pacer says later, the deadline is set. */
  boolean mayLeave(long nowNs, long inflightBytes) {
    if (unlimited) {
      return true;
    }
    if (inflightBytes > 0 && inflightBytes + fullPacketBytes > controller.windowBytes()) {
      return false;
    }
    return paced(nowNs);
  }

  /** As {@link #mayLeave} for packets that no window bounds, such as READ responses. */
  boolean paced(long nowNs) {
    if (unlimited) {
      return true;
    }
    pacer.rate(nowNs, controller.rateBitsPerSecond());
    long earliestNs = pacer.earliestNs(nowNs, fullPacketBytes);
    if (earliestNs <= nowNs) {
      paceDeadlineNs = DeadlineHeap.NEVER;
      return true;
    }
    paceDeadlineNs = earliestNs;
    return false;
  }

  /**
   * After how many packets one must ask for an acknowledgement: after a segment, and below one
   * packet per round trip after each, or the timer would expire while the pacer holds the next.
   */
  int askEvery(int usualPackets) {
    if (unlimited) {
      return usualPackets;
    }
    double perRoundTrip = (double) controller.rateBitsPerSecond() * rtt.smoothedNs();
    if (perRoundTrip < fullPacketBytes * BYTE_NS_AT_ONE_BIT) {
      return 1;
    }
    return Math.min(usualPackets, Math.max(1, SEGMENT_BYTES / fullPacketBytes + 1));
  }

  boolean closesWindow(long inflightBytes) {
    return !unlimited && inflightBytes + 2L * fullPacketBytes > controller.windowBytes();
  }

  void onSent(long nowNs, long bytes, long inflightBytes) {
    if (unlimited) {
      return;
    }
    boolean first = inflightBytes == bytes;
    if (first && lastSentNs != NEVER_SENT && nowNs - lastSentNs > IDLE_RTTS * rtt.smoothedNs()) {
      controller.onIdle(nowNs);
    }
    lastSentNs = nowNs;
    pacer.take(nowNs, bytes);
    controller.onSent(nowNs, bytes, inflightBytes);
  }

  /** Packets that are not in the window, READ responses, take from the pacer too. */
  void onResponseSent(long nowNs, long bytes) {
    if (!unlimited) {
      pacer.take(nowNs, bytes);
    }
  }

  /** A packet that asks for an acknowledgement left for the first time. */
  void time(long nowNs, int psn) {
    if (!unlimited && timedCount < MOST_TIMED) {
      int slot = timedFirst + timedCount & MOST_TIMED - 1;
      timedPsn[slot] = psn;
      timedNs[slot] = nowNs;
      timedCount++;
    }
  }

  void applicationLimited(boolean value) {
    if (!unlimited) {
      applicationLimited = value;
    }
  }

  void onAcknowledged(long nowNs, int psn, long bytes, long packets, long inflightBytes) {
    if (unlimited) {
      return;
    }
    long sampleNs = sample(nowNs, psn);
    controller.onAck(
        nowNs, bytes, packets, 0, sampleNs, rtt.minimumNs(), inflightBytes, applicationLimited);
  }

  /** The round trip of the newest timed packet that is acknowledged; 0 when there is none. */
  private long sample(long nowNs, int psn) {
    int newest = -1;
    while (timedCount > 0 && !Psn.isAfter(timedPsn[timedFirst], psn)) {
      newest = timedFirst;
      timedFirst = timedFirst + 1 & MOST_TIMED - 1;
      timedCount--;
    }
    return newest < 0 ? 0 : rtt.onAcknowledged(nowNs, timedNs[newest], 0, false);
  }

  /** Everything unacknowledged is about to be sent again. */
  void onGoBack(long nowNs, long lostBytes, int cause) {
    if (unlimited) {
      return;
    }
    timedCount = 0;
    if (cause == EventSink.CAUSE_TIMEOUT) {
      controller.onPto(nowNs);
    } else if (lostBytes > 0 && cause != EventSink.CAUSE_RNR) {
      controller.onLoss(nowNs, lostBytes, 0);
    }
  }

  boolean onCongestionNotification(long nowNs) {
    if (unlimited) {
      return false;
    }
    controller.onCnp(nowNs);
    return true;
  }

  void onTimer(long nowNs) {
    if (unlimited) {
      return;
    }
    if (controller.nextDeadlineNs() <= nowNs) {
      controller.onTimer(nowNs);
    }
    if (paceDeadlineNs <= nowNs) {
      paceDeadlineNs = DeadlineHeap.NEVER;
    }
  }

  long nextDeadlineNs() {
    return unlimited ? DeadlineHeap.NEVER : Math.min(paceDeadlineNs, controller.nextDeadlineNs());
  }

  void reset() {
    if (!unlimited) {
      timedCount = 0;
      paceDeadlineNs = DeadlineHeap.NEVER;
    }
  }

  CongestionController controller() {
    return controller;
  }
}
