// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Guards memory around what was granted: canary bytes, different at every place, behind each
 * message's end. A byte written outside the grant is found with its place.
 *
 * <p>One thread arms and inspects; whoever writes into the memory in between is what is checked.
 */
public final class MemoryChecker {
  /** Bytes of a guard. */
  public static final int GUARD_BYTES = 64;

  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final MemorySegment memory;
  private final String name;
  private final long key;
  private final Findings findings;

  /**
   * Guards a block of memory.
   *
   * @param name of the memory, for findings
   * @param memory the block
   * @param seed makes the canaries of two blocks differ
   * @param findings gets what is found
   */
  public MemoryChecker(String name, MemorySegment memory, long seed, Findings findings) {
    this.name = name;
    this.memory = memory;
    this.key = seed | 1;
    this.findings = findings;
  }

  /**
   * Writes a guard.
   *
   * @param offset where it starts; {@link #GUARD_BYTES} follow
   */
  public void arm(long offset) {
    for (int i = 0; i < GUARD_BYTES; i += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset + i, canary(offset + i));
    }
  }

  /**
   * Checks a guard.
   *
   * @param offset as armed
   * @return false when a byte of it was written; that is a finding already
   */
  public boolean inspect(long offset) {
    for (int i = 0; i < GUARD_BYTES; i += Long.BYTES) {
      long found = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + i);
      if (found != canary(offset + i)) {
        findings.add(
            name
                + ": memory outside the grant was written: word at offset "
                + (offset + i)
                + " is "
                + Long.toHexString(found)
                + ", "
                + i
                + " bytes behind the granted end");
        return false;
      }
    }
    return true;
  }

  private long canary(long place) {
    return (place + key) * MIX;
  }
}
