// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

/** What a user, or a peer, may ask of a soak at most. */
final class SoakLimits {
  /** Longest message. */
  static final int MAX_MESSAGE_BYTES = 64 << 20;

  /** Most packets in one train. */
  static final int MAX_TRAIN = 64;

  /** Most connections. */
  static final int MAX_QUEUE_PAIRS = 1024;

  /** Most request packets unacknowledged. */
  static final int MAX_WINDOW = 1 << 20;

  /** Shortest delay: below it, what threads are late is more. */
  static final long MIN_DELAY_NS = MeasuredImpairment.SCHEDULING_NS;

  /** Longest delay each way: a run of some seconds must see many round trips. */
  static final long MAX_DELAY_NS = 100_000_000;

  /** Smallest capture: room for some packets of any length. */
  static final long MIN_CAPTURE_BYTES = 64 << 10;

  private SoakLimits() {}
}
