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
  private static final int DOUBLINGS = 7;
  private static final long ACK_TIMEOUT_UNIT_NS = 4096;

  private long sliceFromNs;
  private int slices;
  private long retriesNs = SendPath.NEVER;

  SilenceClock(long nowNs) {
    this.sliceFromNs = nowNs;
  }

  /**
   * Takes the attributes of a queue pair that bound the wait.
   *
   * @param timeout code of the acknowledgement timeout, 0 for never
   * @param retries number of retries
   */
  void configure(int timeout, int retries) {
    retriesNs = timeout == 0 ? SendPath.NEVER : (retries + 1L) * (ACK_TIMEOUT_UNIT_NS << timeout);
  }

  /** Whether silence ever ends the connection. */
  boolean mayEnd() {
    return retriesNs != SendPath.NEVER;
  }

  /**
   * Silence that is tolerated: as long as RC's retries would take, at least seven doubled probe
   * timers.
   *
   * @param roundTripNs of the connection
   * @param maxAckDelayNs longest time the peer holds an acknowledgement back
   * @return ns
   */
  long allowedNs(long roundTripNs, long maxAckDelayNs) {
    long ptoNs = roundTripNs + Math.max(roundTripNs / 4, maxAckDelayNs);
    long sum = 0;
    for (int i = 0; i < DOUBLINGS; i++) {
      sum += Math.min(ptoNs << i, Math.max(ptoNs, PathMonitor.BACKOFF_MAX_NS));
    }
    return Math.max(retriesNs, sum);
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
