// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.libc;

/** A system call of the control path that failed. */
public final class NativeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  /**
   * Makes one.
   *
   * @param call what was tried
   * @param errno why it failed, positive
   */
  public NativeException(String call, int errno) {
    super(call + ": " + Errno.name(errno));
    this.errno = errno;
  }

  /**
   * Why it failed.
   *
   * @return positive
   */
  public int errno() {
    return errno;
  }
}
