// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * A port that cannot be opened on this machine, or not now: an address that is not local, a UDP
 * port in use, a missing right, a kernel without the feature.
 *
 * <p>The message is one line that names the value and what to do next. Thrown on control paths
 * only.
 */
public final class PortException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes one.
   *
   * @param message one line: what, why, what to do
   */
  public PortException(String message) {
    super(message);
  }

  /**
   * Makes one with what it came from.
   *
   * @param message one line: what, why, what to do
   * @param cause the failure beneath
   */
  public PortException(String message, Throwable cause) {
    super(message, cause);
  }
}
