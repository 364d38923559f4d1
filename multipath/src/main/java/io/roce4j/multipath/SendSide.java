// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A send half with what belongs to it: its memory, the reader of its acknowledgements, its prober.
 */
final class SendSide {
  final SendHalf half;
  final SackIntake intake;
  final PathProber prober;
  private final UnsafeBuffer memory;

  /** Makes a half, {@code number} 0 for requests and 1 for responses. */
  SendSide(
      HalfBuilder builder, MxParameters parameters, int number, FragmentSource source, long nowNs) {
    this.memory = HalfBuilder.allocate(HalfBuilder.sendBytes(parameters));
    this.half = builder.send(number, memory, source, 0, nowNs);
    this.intake = new SackIntake(half);
    this.prober = new PathProber(half, number == 1);
  }

  void onTimer(long nowNs) {
    half.monitor.onTimer(nowNs);
    if (half.congestion.nextDeadlineNs() <= nowNs) {
      half.congestion.onTimer(nowNs);
    }
  }

  /** When {@link #onTimer} has something to do. */
  long deadlineNs() {
    return Math.min(half.monitor.deadlineNs(), half.congestion.nextDeadlineNs());
  }

  void close() {
    HalfBuilder.free(memory);
  }
}
