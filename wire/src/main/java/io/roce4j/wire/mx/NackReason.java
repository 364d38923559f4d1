// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.mx;

/**
 * Why a transmission was refused by the receiver, as {@link Nackh} and {@link Rrh} carry it.
 * Stateless; any thread.
 */
public final class NackReason {
  /** The payload was cut off by a switch. */
  public static final int TRIMMED = 1;

  /** The payload was cut off by the last switch before the receiver. */
  public static final int TRIMMED_LAST_HOP = 2;

  /** No receive request is posted for the message; aux is the wait in microseconds. */
  public static final int RECEIVER_NOT_READY = 3;

  /** The CPSN is beyond what the receiver can track. */
  public static final int OUTSIDE_TRACKER = 4;

  /** Key, rights or range refused. */
  public static final int REMOTE_ACCESS = 5;

  /** Lengths that contradict each other or the receive buffer. */
  public static final int LENGTH = 6;

  /** An operation the receiver cannot or may not do. */
  public static final int OPERATION = 7;

  /** No such stream. */
  public static final int UNKNOWN_STREAM = 8;

  /** A header version the receiver does not know. */
  public static final int BAD_VERSION = 9;

  private static final String[] NAMES = {
    "none",
    "trimmed",
    "trimmed-last-hop",
    "receiver-not-ready",
    "outside-tracker",
    "remote-access",
    "length",
    "operation",
    "unknown-stream",
    "bad-version"
  };

  private NackReason() {}

  /**
   * Whether the reason ends its message and stream.
   *
   * @param reason 0..255
   * @return true for {@link #REMOTE_ACCESS}, {@link #LENGTH}, {@link #OPERATION} and {@link
   *     #UNKNOWN_STREAM}
   */
  public static boolean isTerminal(int reason) {
    return reason >= REMOTE_ACCESS && reason <= UNKNOWN_STREAM;
  }

  /**
   * The name of a reason, lower case with hyphens.
   *
   * @param reason 0..255
   * @return the name, "undefined" for a number without one
   */
  public static String name(int reason) {
    return reason >= 0 && reason < NAMES.length ? NAMES[reason] : "undefined";
  }
}
