// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

/**
 * The exchange with the peer is over. The message is one line that names the peer and the cause.
 */
public class PeerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes one.
   *
   * @param message one line: who, what, and what to do where there is something to do
   */
  public PeerException(String message) {
    super(message);
  }

  /**
   * Makes one with what it came from.
   *
   * @param message one line: who, what, and what to do where there is something to do
   * @param cause the failure beneath
   */
  public PeerException(String message, Throwable cause) {
    super(message, cause);
  }
}
