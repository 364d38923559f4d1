// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

/** A line of a client, or what stands in its place. */
final class Line {
  private static final byte[] NOTHING = {};
  private static final Line END = new Line(NOTHING);
  private static final Line TOO_LONG = new Line(NOTHING);
  private static final Line NO_MEMORY = new Line(NOTHING);

  private final byte[] bytes;

  private Line(byte[] bytes) {
    this.bytes = bytes;
  }

  static Line of(byte[] bytes) {
    return new Line(bytes);
  }

  /** The requests have ended. */
  static Line end() {
    return END;
  }

  /** A line that was longer than the limit; its bytes are gone. */
  static Line tooLong() {
    return TOO_LONG;
  }

  /** A line that memory was too short for; its bytes are gone. */
  static Line noMemory() {
    return NO_MEMORY;
  }

  boolean isEnd() {
    return this == END;
  }

  boolean isTooLong() {
    return this == TOO_LONG;
  }

  boolean isNoMemory() {
    return this == NO_MEMORY;
  }

  /** The line without its end. */
  byte[] bytes() {
    return bytes;
  }
}
