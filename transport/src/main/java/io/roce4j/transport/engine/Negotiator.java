// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * An engine that agrees on something with its peer's engine before the queue pair moves to RTR. A
 * connection manager carries the bytes, in front of the application's private data, and does not
 * look into them. Agent thread.
 */
public interface Negotiator {

  /**
   * What this side offers.
   *
   * @param target receives the bytes.
   * @param offset first byte.
   * @param number 24 bits this side chose for the connection, its starting PSN.
   * @return bytes written, at most 32.
   */
  int offer(MutableDirectBuffer target, int offset, int number);

  /**
   * Takes what the peer offered.
   *
   * @param data what the peer sent: its offer in front, or none.
   * @param offset first byte.
   * @param length bytes there are.
   * @param number as given to {@link #offer}.
   * @param active whether this side asked for the connection.
   * @return the profile parameters for the move to RTR, or null when the peer offered nothing this
   *     engine knows: the queue pair then does without.
   */
  Object agree(DirectBuffer data, int offset, int length, int number, boolean active);
}
