// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * One path of a receive half: the highest transmission seen, which of the last 1024 were accepted
 * (in the half's memory), counters, and what its next acknowledgement has to say.
 */
final class ReceivePath {
  /** Transmissions remembered, for probes that ask for an older vector. */
  static final int HISTORY = 1024;

  final int id;
  final int plane;
  final int historyAt;

  int hi = -1;
  int hiEpoch;
  int hiStamp;
  long hiArrivalNs;
  int rxPackets;
  int cePackets;

  // The next acknowledgement.
  int unreported;
  long firstUnreportedNs = SendPath.NEVER;
  boolean due;
  int sflags;
  int cePacketsReported;
  boolean lastWasMarked;
  int causeStream;
  int shareEpoch;
  boolean listed;
  ReceivePath nextListed;
  long nextBeyondNackNs = Long.MIN_VALUE;

  ReceivePath(int id, int plane, int historyAt) {
    this.id = id;
    this.plane = plane;
    this.historyAt = historyAt;
  }
}
