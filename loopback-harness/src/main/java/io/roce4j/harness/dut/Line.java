// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

/** A line of a client, or what stands in its place. */
final class Line {
  private static final byte[] NOTHING = {};
  private static final Line END = new Line(NOTHING, true, false);
  private static final Line TOO_LONG = new Line(NOTHING, false, true);

  private final byte[] bytes;
  private final boolean end;
  private final boolean tooLong;

  private Line(byte[] bytes, boolean end, boolean tooLong) {
    this.bytes = bytes;
    this.end = end;
    this.tooLong = tooLong;
  }

  static Line of(byte[] bytes) {
    return new Line(bytes, false, false);
  }

  /** The requests have ended. */
  static Line end() {
    return END;
  }

  /** A line that was longer than the limit; its bytes are gone. */
  static Line tooLong() {
    return TOO_LONG;
  }

  boolean isEnd() {
    return end;
  }

  boolean isTooLong() {
    return tooLong;
  }

  /** The line without its end. */
  byte[] bytes() {
    return bytes;
  }
}
