// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

/**
 * Offsets inside a slot of the send queue.
 *
 * <pre>
 *    0 wrId (8)            8 totalLength (8)    16 remoteVa (8)      24 compareAdd (8)
 *   32 swap (8)           40 opcode (4)         44 flags (4)         48 sgeCount (4)
 *   52 rkey (4)           56 immediate (4)      60 invalidateRkey (4)
 *   64 remoteQpn (4)      68 remoteQkey (4)     72 addressHandle (4) 76 inline (4)
 *   80 firstPsn (4)       84 lastPsn (4)        88 engineState (4)   92 unused (4)
 *   96 engineWord 0..3 (8 each)
 *  128 scatter-gather list, or the inline bytes
 * </pre>
 *
 * <p>A bind uses other names for the same words: window address = remoteVa, window length =
 * compareAdd, new window key = rkey, region key = invalidateRkey, access = immediate, window kind =
 * remoteQpn. Words 80 to 127 belong to the engine; the poster writes the others before it
 * publishes.
 */
final class SendSlotLayout {
  static final int WR_ID = 0;
  static final int TOTAL_LENGTH = 8;
  static final int REMOTE_VA = 16;
  static final int COMPARE_ADD = 24;
  static final int SWAP = 32;
  static final int OPCODE = 40;
  static final int FLAGS = 44;
  static final int SGE_COUNT = 48;
  static final int RKEY = 52;
  static final int IMMEDIATE = 56;
  static final int INVALIDATE_RKEY = 60;
  static final int REMOTE_QPN = 64;
  static final int REMOTE_QKEY = 68;
  static final int ADDRESS_HANDLE = 72;
  static final int INLINE = 76;
  static final int FIRST_PSN = 80;
  static final int LAST_PSN = 84;
  static final int ENGINE_STATE = 88;
  static final int ENGINE_WORDS = 96;
  static final int LIST = 128;

  private static final int STRIDE_ALIGNMENT = 64;

  private SendSlotLayout() {}

  static int stride(int sgeMax, int inlineMax) {
    int tail = Math.max(sgeMax * SgeList.ENTRY_LENGTH, inlineMax);
    return (LIST + tail + STRIDE_ALIGNMENT - 1) & -STRIDE_ALIGNMENT;
  }
}
