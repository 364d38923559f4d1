// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** A control verb failed: libibverbs' errno name, and what would be right. Nothing was changed. */
public final class VerbsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String errno;

  /**
   * A failure.
   *
   * @param errno name such as {@code EINVAL}, {@code ENOMEM}, {@code EBUSY}, {@code EOPNOTSUPP}
   * @param message value, limit and what to do, one line
   */
  public VerbsException(String errno, String message) {
    super(message);
    this.errno = errno;
  }

  /**
   * The errno name.
   *
   * @return for example {@code EINVAL}
   */
  public String errno() {
    return errno;
  }

  static VerbsException invalid(String message) {
    return new VerbsException("EINVAL", message);
  }
}
