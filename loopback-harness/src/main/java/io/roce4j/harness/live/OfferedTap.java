// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.live;

import org.agrona.concurrent.UnsafeBuffer;

/** Sees packets in the order in which an engine gives them to an impaired port. */
@FunctionalInterface
public interface OfferedTap {
  /** Sees nothing. */
  OfferedTap NONE = (buffer, offset, length) -> {};

  /**
   * A packet whose fate is still open; the ICRC is not sealed.
   *
   * @param buffer memory of the port; lent, not to be changed
   * @param offset first byte of the BTH
   * @param length bytes from BTH to ICRC
   */
  void onOffered(UnsafeBuffer buffer, int offset, int length);
}
