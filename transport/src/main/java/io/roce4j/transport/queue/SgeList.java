// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The scatter-gather list inside a ring slot, and the copies between it and packet buffers.
 *
 * <pre>
 *   entry:  0 address (8)   8 length (4, unsigned, at most 2^31)   12 lkey (4)
 * </pre>
 *
 * <p>One instance serves one queue on the agent thread. It remembers where the last copy ended, so
 * that the next packet of a message does not walk the list again; any other offset works too. Each
 * piece is checked against the memory table when it is copied.
 */
final class SgeList {
  static final int ENTRY_LENGTH = 16;
  static final int ADDRESS_OFFSET = 0;
  static final int LENGTH_OFFSET = 8;
  static final int LKEY_OFFSET = 12;

  private final UnsafeBuffer ring;
  private long cursorIndex = Long.MIN_VALUE;
  private int cursorEntry;
  private long cursorStart;

  SgeList(UnsafeBuffer ring) {
    this.ring = ring;
  }

  /** Forgets the position, before a slot gets new contents. */
  void rewind() {
    cursorIndex = Long.MIN_VALUE;
  }

  /** Memory to packet. See {@link SendQueue#gather}. */
  int gather(
      long index,
      int listOffset,
      int entries,
      long messageOffset,
      UnsafeBuffer destination,
      int destinationOffset,
      int length,
      MemoryTable table,
      int pdId) {
    seek(index, listOffset, entries, messageOffset);
    long at = messageOffset;
    int done = 0;
    while (done < length) {
      if (cursorEntry == entries) {
        return SlotResult.LENGTH_ERROR;
      }
      int entry = listOffset + cursorEntry * ENTRY_LENGTH;
      long size = ring.getInt(entry + LENGTH_OFFSET) & 0xFFFF_FFFFL;
      long within = at - cursorStart;
      int piece = (int) Math.min(size - within, length - done);
      if (piece > 0) {
        long address = ring.getLong(entry + ADDRESS_OFFSET) + within;
        int lkey = ring.getInt(entry + LKEY_OFFSET);
        long source = table.resolveLocal(lkey, address, piece, 0, pdId);
        if (source < 0) {
          return SlotResult.PROTECTION_ERROR;
        }
        NativeMemory.copyToBuffer(source, destination, destinationOffset + done, piece);
        done += piece;
        at += piece;
      }
      if (done < length || at == cursorStart + size) {
        cursorStart += size;
        cursorEntry++;
      }
    }
    return SlotResult.OK;
  }

  /** Packet to memory. See {@link ReceiveQueue#scatter}. */
  int scatter(
      long index,
      int listOffset,
      int entries,
      long messageOffset,
      UnsafeBuffer source,
      int sourceOffset,
      int length,
      MemoryTable table,
      int pdId) {
    seek(index, listOffset, entries, messageOffset);
    long at = messageOffset;
    int done = 0;
    while (done < length) {
      if (cursorEntry == entries) {
        return SlotResult.LENGTH_ERROR;
      }
      int entry = listOffset + cursorEntry * ENTRY_LENGTH;
      long size = ring.getInt(entry + LENGTH_OFFSET) & 0xFFFF_FFFFL;
      long within = at - cursorStart;
      int piece = (int) Math.min(size - within, length - done);
      if (piece > 0) {
        long address = ring.getLong(entry + ADDRESS_OFFSET) + within;
        int lkey = ring.getInt(entry + LKEY_OFFSET);
        long target = table.resolveLocal(lkey, address, piece, AccessFlags.LOCAL_WRITE, pdId);
        if (target < 0) {
          return SlotResult.PROTECTION_ERROR;
        }
        NativeMemory.copyFromBuffer(source, sourceOffset + done, target, piece);
        done += piece;
        at += piece;
      }
      if (done < length || at == cursorStart + size) {
        cursorStart += size;
        cursorEntry++;
      }
    }
    return SlotResult.OK;
  }

  /** Sum of the lengths: the message length of a send, the room of a receive. */
  static long totalLength(UnsafeBuffer ring, int listOffset, int entries) {
    long total = 0;
    for (int i = 0; i < entries; i++) {
      total += ring.getInt(listOffset + i * ENTRY_LENGTH + LENGTH_OFFSET) & 0xFFFF_FFFFL;
    }
    return total;
  }

  private void seek(long index, int listOffset, int entries, long messageOffset) {
    if (index != cursorIndex || messageOffset < cursorStart) {
      cursorIndex = index;
      cursorEntry = 0;
      cursorStart = 0;
    }
    while (cursorEntry < entries) {
      long size =
          ring.getInt(listOffset + cursorEntry * ENTRY_LENGTH + LENGTH_OFFSET) & 0xFFFF_FFFFL;
      if (messageOffset < cursorStart + size) {
        return;
      }
      cursorStart += size;
      cursorEntry++;
    }
  }
}
