// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.concurrent.UnsafeBuffer;

/** A receive half with what belongs to it: its memory, the writer of its answers, its share. */
final class ReceiveSide {
  final ReceiveHalf half;
  final SackWriter writer;
  private final UnsafeBuffer memory;
  private final InboundShare share;

  /**
   * Makes a half over memory that is freed with it.
   *
   * @param half the half
   * @param memory its memory
   * @param entropy source ports of its answers
   */
  ReceiveSide(ReceiveHalf half, UnsafeBuffer memory, EntropyPool entropy) {
    this.half = half;
    this.writer = new SackWriter(half, entropy);
    this.memory = memory;
    this.share = half.share;
  }

  void close() {
    if (share != null) {
      share.release();
    }
    HalfBuilder.free(memory);
  }
}
