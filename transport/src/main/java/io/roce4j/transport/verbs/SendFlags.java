// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Flags of send work requests with libibverbs' numbers [rc 20-15]. */
public final class SendFlags {
  /** Start only when all earlier READs and atomics are complete. */
  public static final int FENCE = 1;

  /** Complete with an entry on success too. */
  public static final int SIGNALED = 2;

  /** Ask the peer for an event; for SEND and WRITE with immediate data only. */
  public static final int SOLICITED = 4;

  /** Copy the bytes at post time. */
  public static final int INLINE = 8;

  private SendFlags() {}
}
