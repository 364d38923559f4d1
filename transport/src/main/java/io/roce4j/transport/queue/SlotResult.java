// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

/**
 * Results of copies between packets and the memory of a work request. They are the numbers of the
 * work completion statuses they lead to.
 */
public final class SlotResult {
  /** All bytes copied. */
  public static final int OK = 0;

  /** The scatter-gather list is shorter than what was to be copied (LOC_LEN_ERR). */
  public static final int LENGTH_ERROR = 1;

  /** A local key, range or right was wrong (LOC_PROT_ERR). */
  public static final int PROTECTION_ERROR = 4;

  private SlotResult() {}
}
