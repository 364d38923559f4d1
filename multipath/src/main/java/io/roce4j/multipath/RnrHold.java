// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.sequence.Psn;

/**
 * Fragments of one stream that wait because the receiver had no receive request for them (RNR).
 * Only the oldest is tried when the wait is over; the others follow when it was accepted, so that
 * retries, which go first, do not starve new data.
 */
final class RnrHold {
  static final int NONE = -1;

  private final SendHalf half;
  private final FragmentQueue held;
  private long untilNs = SendPath.NEVER;
  private long sinceNs = SendPath.NEVER;
  private int trialCpsn = NONE;

  RnrHold(SendHalf half) {
    this.half = half;
    this.held = new FragmentQueue(half.fragments);
  }

  /** Whether something waits or is being tried. */
  boolean isActive() {
    return !held.isEmpty() || trialCpsn != NONE;
  }

  /** CPSN of the oldest fragment that waits or is being tried; only when active. */
  int oldestCpsn() {
    return trialCpsn != NONE ? trialCpsn : half.cpsnOf(held.first());
  }

  /** Takes a fragment in, in the order of CPSNs. */
  void add(int at, int cpsn, long waitNs, long nowNs) {
    if (sinceNs == SendPath.NEVER) {
      sinceNs = nowNs;
    }
    if (cpsn == trialCpsn) {
      trialCpsn = NONE;
    }
    int before = held.isEmpty() ? NONE : held.last();
    while (before != NONE && Psn.isAfter(half.cpsnOf(before), cpsn)) {
      before = held.before(before);
    }
    if (before == NONE) {
      held.addFirst(at);
      untilNs = nowNs + waitNs;
    } else {
      held.addAfter(at, before);
    }
  }

  /** A held fragment needs to wait no longer. */
  void remove(int at) {
    held.remove(at);
  }

  /** How long the stream has been kept waiting without a break, ns. */
  long waitedNs(long nowNs) {
    return sinceNs == SendPath.NEVER ? 0 : nowNs - sinceNs;
  }

  /** When the oldest is to be tried. */
  long deadlineNs() {
    return held.isEmpty() || trialCpsn != NONE ? SendPath.NEVER : untilNs;
  }

  /** Tries the oldest when its time has come. */
  void onTimer(long nowNs) {
    if (deadlineNs() <= nowNs) {
      int at = held.first();
      trialCpsn = half.cpsnOf(at);
      held.remove(at);
      half.release(at);
    }
  }

  /** A fragment of the stream was accepted: if it was the one tried, the others follow. */
  void onAccepted(int cpsn) {
    if (cpsn != trialCpsn) {
      return;
    }
    trialCpsn = NONE;
    sinceNs = SendPath.NEVER;
    while (!held.isEmpty()) {
      // From the last to the first, each in front: the oldest leaves first.
      int at = held.last();
      held.remove(at);
      half.release(at);
    }
  }

  /** Forgets everything; the fragments become VOIDs. */
  void abandon() {
    trialCpsn = NONE;
    sinceNs = SendPath.NEVER;
  }
}
