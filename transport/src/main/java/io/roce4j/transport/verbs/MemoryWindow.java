// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.memory.MemoryTable;

/**
 * A window onto a memory region, with rights and a key of its own that peers can be given and that
 * can be taken back cheaply [rc 18-16] [rc 18-17].
 *
 * <p>Type 1 is bound by {@link QueuePair#bindWindow}, which chooses the key. Type 2 is bound by a
 * BIND_MW work request with the key the caller chose, belongs to that queue pair, and is freed by
 * LOCAL_INV or the peer's SEND_WITH_INV.
 */
public final class MemoryWindow implements ContextObject {
  /** Bound by a verb, key chosen here. */
  public static final int TYPE_1 = 1;

  /** Bound by a work request, key chosen by the caller. */
  public static final int TYPE_2 = 2;

  private static final int VARIANT_MASK = 0xff;

  private final ProtectionDomain pd;
  private final int slot;
  private final int type;
  private volatile int key;
  private boolean open = true;

  MemoryWindow(ProtectionDomain pd, int slot, int type) {
    this.pd = pd;
    this.slot = slot;
    this.type = type;
    this.key = pd.context().memoryTable().key(slot);
  }

  /**
   * Type of the window.
   *
   * @return {@link #TYPE_1} or {@link #TYPE_2}
   */
  public int type() {
    return type;
  }

  /**
   * The key: for type 1 the one of the last bind posted, for type 2 the one in force once the
   * bind's completion was polled.
   *
   * @return 32 bits
   */
  public int rkey() {
    return type == TYPE_1 ? key : pd.context().memoryTable().key(slot);
  }

  /**
   * The next key for a bind: same index bits, low byte plus one.
   *
   * @return 32 bits
   */
  public int nextRkey() {
    int now = rkey();
    return (now & ~VARIANT_MASK) | ((now + 1) & VARIANT_MASK);
  }

  /**
   * The protection domain.
   *
   * @return the domain it was made in
   */
  public ProtectionDomain protectionDomain() {
    return pd;
  }

  int tableKind() {
    return type == TYPE_1 ? MemoryTable.WINDOW_TYPE_1 : MemoryTable.WINDOW_TYPE_2;
  }

  boolean isOpen() {
    return open;
  }

  /** Remembers the key of a type 1 bind that was posted. */
  void postedKey(int newKey) {
    key = newKey;
  }

  /** Unbinds and frees the window. A second call does nothing. */
  @Override
  public void close() {
    pd.context().control().run(this::closeNow);
  }

  private void closeNow() {
    if (open) {
      open = false;
      pd.context().memoryTable().freeWindow(slot);
      pd.context().untrack(this);
      pd.release();
    }
  }
}
