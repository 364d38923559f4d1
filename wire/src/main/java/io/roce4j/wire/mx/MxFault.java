// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

/**
 * Why an MX packet or negotiation block was refused. Codes, not exceptions, dense from 0, one
 * counter each; a refused packet is dropped without an answer. Stateless; any thread.
 */
public final class MxFault {
  /** Nothing wrong. */
  public static final int OK = 0;

  /** Not an MX opcode, or a reserved one. */
  public static final int NOT_MX = 1;

  /** Shorter than opcode, flags and pad count announce. */
  public static final int TRUNCATED = 2;

  /** Longer than a header without payload may be, or a payload where none belongs. */
  public static final int EXCESS_BYTES = 3;

  /** A header version other than {@link Mxth#VERSION}. */
  public static final int BAD_VERSION = 4;

  /** Path id 255. */
  public static final int BAD_PATH = 5;

  /** The response-half flag contradicts the opcode. */
  public static final int WRONG_HALF = 6;

  /** Message flags that contradict each other or the opcode. */
  public static final int BAD_FLAGS = 7;

  /** A message or offset beyond 2^31 bytes. */
  public static final int BAD_LENGTH = 8;

  /** An unknown way to match a receive request, or an unknown atomic operation. */
  public static final int BAD_KIND = 9;

  /** A control item whose length does not fit its type or the message. */
  public static final int BAD_TLV = 10;

  /** A negotiation block without the magic number. */
  public static final int BAD_MAGIC = 11;

  private static final String[] NAMES = {
    "ok",
    "not-mx",
    "truncated",
    "excess-bytes",
    "bad-version",
    "bad-path",
    "wrong-half",
    "bad-flags",
    "bad-length",
    "bad-kind",
    "bad-tlv",
    "bad-magic"
  };

  private MxFault() {}

  /**
   * How many codes there are, {@link #OK} included.
   *
   * @return one more than the largest code
   */
  public static int count() {
    return NAMES.length;
  }

  /**
   * The name of a code, lower case with hyphens.
   *
   * @param fault 0..{@link #count} - 1
   * @return the name
   */
  public static String name(int fault) {
    return NAMES[fault];
  }
}
