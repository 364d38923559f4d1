// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

/** A request that cannot be carried out, as its answer says so. */
final class DutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The line is no JSON object. */
  static final String BAD_JSON = "BAD_JSON";

  /** A field is missing, unknown or of the wrong kind. */
  static final String BAD_FIELD = "BAD_FIELD";

  /** There is no such command. */
  static final String UNKNOWN_COMMAND = "UNKNOWN_COMMAND";

  /** A value that no verb takes, unknown handles included. */
  static final String EINVAL = "EINVAL";

  /** Not a request of a list. */
  private static final int NONE = -1;

  private final String error;
  private final int badWr;

  /**
   * A failure.
   *
   * @param error one of the constants, or another errno name
   * @param message one line: the value, the limit, what to do
   */
  DutException(String error, String message) {
    this(error, message, NONE);
  }

  private DutException(String error, String message, int badWr) {
    super(message);
    this.error = error;
    this.badWr = badWr;
  }

  static DutException badField(String message) {
    return new DutException(BAD_FIELD, message);
  }

  static DutException invalid(String message) {
    return new DutException(EINVAL, message);
  }

  /** A work request of a list was refused; those before it are posted. */
  static DutException badWorkRequest(String error, String message, int index) {
    return new DutException(error, message, index);
  }

  String error() {
    return error;
  }

  boolean hasBadWr() {
    return badWr != NONE;
  }

  int badWr() {
    return badWr;
  }
}
