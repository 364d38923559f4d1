// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import io.roce4j.harness.cli.ToolException;

/**
 * Reads text of hexadecimal fields with a colon after each. Checks every digit, so that a wrong
 * message is refused and never half understood.
 */
final class HexFields {
  private static final int SHOWN = 40;

  private final String what;
  private final byte[] text;
  private int at;

  /**
   * A message.
   *
   * @param what the message, for errors
   * @param text its bytes, the trailing NUL included
   */
  HexFields(String what, byte[] text) {
    this.what = what;
    this.text = text;
  }

  /** A field of exactly so many digits, 1 to 16. */
  long field(int digits) {
    if (at + digits > text.length) {
      throw wrong();
    }
    long value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = Character.digit(text[at++], 16);
      if (digit < 0) {
        throw wrong();
      }
      value = value << 4 | digit;
    }
    return value;
  }

  /** A colon. */
  void colon() {
    expect(':');
  }

  /** The NUL that ends the message. */
  void end() {
    expect(0);
    if (at != text.length) {
      throw wrong();
    }
  }

  private void expect(int wanted) {
    if (at >= text.length || text[at++] != wanted) {
      throw wrong();
    }
  }

  private ToolException wrong() {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < Math.min(text.length, SHOWN); i++) {
      char c = (char) (text[i] & 0xFF);
      shown.append(c >= ' ' && c < 127 ? c : '?');
    }
    return ToolException.check(
        "the peer's "
            + what
            + " is malformed at byte "
            + at
            + ": '"
            + shown
            + (text.length > SHOWN ? "...'" : "'")
            + ": is the other side the same tool?");
  }
}
