// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Decides when a peer that says nothing counts as dead. The time allowed is cut into slices, each
 * of which begins when this side looks again: a thread that was not running for a while, and so
 * could not hear anything, takes one slice off and not all of them.
 */
final class SilenceClock {
  private static final int SLICES = 8;

  private long sliceFromNs;
  private int slices;

  SilenceClock(long nowNs) {
    this.sliceFromNs = nowNs;
  }

  /** The peer said something. */
  void heard(long nowNs) {
    sliceFromNs = nowNs;
    slices = 0;
  }

  /**
   * When {@link #isOver} has something to decide.
   *
   * @param waitingSinceNs when this side began to wait for an answer
   * @param allowedNs silence that is tolerated
   * @return time of the endpoint, ns
   */
  long deadlineNs(long waitingSinceNs, long allowedNs) {
    return Math.max(sliceFromNs, waitingSinceNs) + allowedNs / SLICES;
  }

  /**
   * Whether the peer has been silent for too long.
   *
   * @param nowNs time of the endpoint, ns
   * @param waitingSinceNs when this side began to wait for an answer
   * @param allowedNs silence that is tolerated
   * @return true when the last slice is over
   */
  boolean isOver(long nowNs, long waitingSinceNs, long allowedNs) {
    if (waitingSinceNs > sliceFromNs) {
      heard(waitingSinceNs);
    }
    if (nowNs < deadlineNs(waitingSinceNs, allowedNs)) {
      return false;
    }
    sliceFromNs = nowNs;
    return ++slices >= SLICES;
  }
}
