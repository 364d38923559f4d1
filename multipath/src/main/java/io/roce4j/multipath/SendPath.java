// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.congestion.Pacer;
import io.roce4j.congestion.RttEstimator;

/**
 * One path of a send half: its source port, its own sequence, what is in flight on it, its round
 * trip time and its health. State only; {@link SendHalf}, {@link SackIntake} and {@link
 * PathMonitor} change it, all on the agent's thread.
 */
final class SendPath {
  static final long NEVER = Long.MAX_VALUE;

  /** Transmissions the loss count looks back. */
  static final int LOSS_MEMORY = 64;

  final int id;
  final int plane;
  final PathRing ring;
  final RttEstimator rtt;
  final ProbeBook probes = new ProbeBook();
  final Pacer pacer = new Pacer(io.roce4j.congestion.CongestionController.UNLIMITED);

  int state = PathState.ACTIVE;

  /** Stays out of PROBING because too few other paths are left. */
  boolean kept;

  // Entropy.
  int epoch;
  int slot;
  long movedNs;
  long changesSeen;
  long oldEpochDeadlineNs = NEVER;

  // What acknowledgements said.
  int hiAcked = -1;
  int rxSeen;
  int ceSeen;
  int reorderTolerance;
  int cleanAcks;
  long lastAckNs;

  // Timer.
  int ptosInARow;
  long suspectSinceNs;

  /** The probe timer was late and waits once more. */
  boolean excused;

  long ptoDeadlineNs = NEVER;
  long oldestSinceAckNs = NEVER;
  long firstPtoNs;

  // Probing.
  long nextProbeNs = NEVER;
  int probesInState;
  int answersInARow;
  int unansweredInARow;
  int lastAnswered = -1;
  int failedEntropies;
  int wantedProbes;
  int vectorBase;
  long nextVectorNs;

  // Loss count: the last 64 outcomes, latest in bit 0, one outcome a train.
  long outcomes;
  int lastLostTrain = -1;
  int train;

  // ECN rounds for the entropy move.
  long roundEndNs;
  int roundPackets;
  int roundMarks;
  int markedRounds;
  double markFraction;

  // Telemetry.
  long sentPackets;
  long sentBytes;
  long ackedBytes;
  long retransmissions;
  long tailCopies;
  long losses;
  long spurious;
  long marks;
  long ptos;
  long moves;
  long failures;
  long probesSent;
  long probesAnswered;

  SendPath(int id, int plane, PathRing ring, long nowNs, long initialRttNs) {
    this.id = id;
    this.plane = plane;
    this.ring = ring;
    this.rtt = new RttEstimator(nowNs, initialRttNs);
    this.lastAckNs = nowNs;
  }

  /** Whether the path carries new data. */
  boolean isActive() {
    return state == PathState.ACTIVE;
  }

  /** Losses among the last 64 outcomes. */
  int recentLosses() {
    return Long.bitCount(outcomes);
  }

  /** Notes the outcome of a transmission, or of a lost train. */
  void outcome(boolean lost) {
    outcomes = outcomes << 1 | (lost ? 1 : 0);
  }

  /** Fraction of the last outcomes that were losses. */
  double lossFraction() {
    return recentLosses() / (double) LOSS_MEMORY;
  }
}
