// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.io.IOException;

/** A capture file that cannot be read on: one line with the cause and what to do about it. */
public final class CaptureException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean cutShort;

  CaptureException(String message, boolean cutShort) {
    super(message);
    this.cutShort = cutShort;
  }

  CaptureException(String message, Throwable cause) {
    super(message, cause);
    this.cutShort = false;
  }

  /**
   * Whether the file merely ends too early: what was read before is good.
   *
   * @return false when the file is damaged, of an unknown kind or unreadable
   */
  public boolean isCutShort() {
    return cutShort;
  }
}
