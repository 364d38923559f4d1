// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

/**
 * Why bytes from the wire were refused. Codes, not exceptions: every refusal is a number that its
 * caller counts, one counter a code, and never answers (IBA 1.4, 9.6: silent drop).
 *
 * <p>Codes are dense from 0, so that an array of {@link #count} counters can be indexed by them.
 * The names are the values of {@code fault} that the tools print. Stateless; any thread.
 */
public final class WireFault {
  /** Nothing wrong. */
  public static final int OK = 0;

  /** Shorter than BTH and ICRC together, 16 bytes. */
  public static final int TOO_SHORT = 1;

  /** An opcode without an entry in the table [FC-03]. */
  public static final int UNKNOWN_OPCODE = 2;

  /** Shorter than what opcode and pad count announce [FC-02]. */
  public static final int TRUNCATED = 3;

  /** Transport header version other than 0. */
  public static final int BAD_TRANSPORT_VERSION = 4;

  /** The ICRC does not match. */
  public static final int BAD_ICRC = 5;

  /** The frame is neither IPv4, IPv6 nor RoCEv1. */
  public static final int NOT_IP = 6;

  /** IP, but not UDP to a RoCEv2 port. */
  public static final int NOT_ROCE = 7;

  /** An IP header that is malformed or shorter than it says. */
  public static final int BAD_IP_HEADER = 8;

  /** IPv4 options or IPv6 extension headers, which RoCEv2 does not allow. */
  public static final int IP_OPTIONS = 9;

  /** A fragment of an IP packet; RoCEv2 is never fragmented. */
  public static final int IP_FRAGMENT = 10;

  /** IP, GRH or UDP length fields that contradict each other or the bytes present. */
  public static final int LENGTH_MISMATCH = 11;

  /** The capture holds fewer bytes than were on the wire, so that not everything can be judged. */
  public static final int CAPTURE_TRUNCATED = 12;

  /** A multipath header that contradicts itself or is shorter than its flags announce. */
  public static final int BAD_MX_HEADER = 13;

  /** A management datagram that is not a well-formed CM message. */
  public static final int BAD_MAD = 14;

  /** A GRH whose version or next header is not that of RoCEv1. */
  public static final int BAD_GRH = 15;

  private static final String[] NAMES = {
    "ok",
    "too-short",
    "unknown-opcode",
    "truncated",
    "bad-transport-version",
    "bad-icrc",
    "not-ip",
    "not-roce",
    "bad-ip-header",
    "ip-options",
    "ip-fragment",
    "length-mismatch",
    "capture-truncated",
    "bad-mx-header",
    "bad-mad",
    "bad-grh"
  };

  private WireFault() {}

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
