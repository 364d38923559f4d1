// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Flags of completions with libibverbs' numbers [rc 20-16]. */
public final class WorkCompletionFlags {
  /** The first 40 bytes of the buffer hold the network header area. */
  public static final int GRH = 1;

  /** The immediate data are valid. */
  public static final int WITH_IMM = 2;

  /** The invalidated key is valid. */
  public static final int WITH_INV = 8;

  private WorkCompletionFlags() {}
}
