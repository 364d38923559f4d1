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
 *   entry:   0 address (8)   8 length (4, unsigned, at most 2^31)   12 lkey (4)
 *   cursor:  0 index (8)     8 start of the entry in the message (8)   16 entry number (4)
 * </pre>
 *
 * <p>A cursor in the ring's head, which only the agent uses, remembers where the last copy ended,
 * so that the next packet of a message does not walk the list again; any other offset works too. It
 * lies off heap because there are three a queue pair. Each piece is checked against the memory
 * table when it is copied.
 */
final class SgeList {
  static final int ENTRY_LENGTH = 16;
  static final int ADDRESS_OFFSET = 0;
  static final int LENGTH_OFFSET = 8;
  static final int LKEY_OFFSET = 12;

  /** Where the cursor of copies into packets lies. */
  static final int GATHER_CURSOR = RingLayout.ECHO_OFFSET;

  /** Where the cursor of copies out of packets lies. */
  static final int SCATTER_CURSOR = RingLayout.ECHO_OFFSET + 32;

  private static final int CURSOR_INDEX = 0;
  private static final int CURSOR_START = 8;
  private static final int CURSOR_ENTRY = 16;

  private SgeList() {}

  /** Puts both cursors where no request is. */
  static void open(UnsafeBuffer ring) {
    ring.putLong(GATHER_CURSOR + CURSOR_INDEX, Long.MIN_VALUE);
    ring.putLong(SCATTER_CURSOR + CURSOR_INDEX, Long.MIN_VALUE);
  }

  /** [rc 17-2] [rc 13-12] Memory to packet. See {@link SendQueue#gather}. */
  static int gather(
      UnsafeBuffer ring,
      long index,
      int listOffset,
      int entries,
      long messageOffset,
      UnsafeBuffer destination,
      int destinationOffset,
      int length,
      MemoryTable table,
      int pdId) {
    seek(ring, GATHER_CURSOR, index, listOffset, entries, messageOffset);
    int entry = ring.getInt(GATHER_CURSOR + CURSOR_ENTRY);
    long start = ring.getLong(GATHER_CURSOR + CURSOR_START);
    int done = 0;
    while (done < length) {
      if (entry == entries) {
        return SlotResult.LENGTH_ERROR;
      }
      int at = listOffset + entry * ENTRY_LENGTH;
      long size = length(ring, at);
      long within = messageOffset + done - start;
      int piece = (int) Math.min(size - within, length - done);
      if (piece > 0) {
        long address = ring.getLong(at + ADDRESS_OFFSET) + within;
        long source = table.resolveLocal(ring.getInt(at + LKEY_OFFSET), address, piece, 0, pdId);
        if (source < 0) {
          return SlotResult.PROTECTION_ERROR;
        }
        NativeMemory.copyToBuffer(source, destination, destinationOffset + done, piece);
        done += piece;
      }
      if (within + piece == size) {
        start += size;
        entry++;
      }
    }
    save(ring, GATHER_CURSOR, start, entry);
    return SlotResult.OK;
  }

  /** [rc 17-2] [rc 17-3] Packet to memory. See {@link ReceiveQueue#scatter}. */
  static int scatter(
      UnsafeBuffer ring,
      long index,
      int listOffset,
      int entries,
      long messageOffset,
      UnsafeBuffer source,
      int sourceOffset,
      int length,
      MemoryTable table,
      int pdId) {
    seek(ring, SCATTER_CURSOR, index, listOffset, entries, messageOffset);
    int entry = ring.getInt(SCATTER_CURSOR + CURSOR_ENTRY);
    long start = ring.getLong(SCATTER_CURSOR + CURSOR_START);
    int done = 0;
    while (done < length) {
      if (entry == entries) {
        return SlotResult.LENGTH_ERROR;
      }
      int at = listOffset + entry * ENTRY_LENGTH;
      long size = length(ring, at);
      long within = messageOffset + done - start;
      int piece = (int) Math.min(size - within, length - done);
      if (piece > 0) {
        long address = ring.getLong(at + ADDRESS_OFFSET) + within;
        int lkey = ring.getInt(at + LKEY_OFFSET);
        long target = table.resolveLocal(lkey, address, piece, AccessFlags.LOCAL_WRITE, pdId);
        if (target < 0) {
          return SlotResult.PROTECTION_ERROR;
        }
        NativeMemory.copyFromBuffer(source, sourceOffset + done, target, piece);
        done += piece;
      }
      if (within + piece == size) {
        start += size;
        entry++;
      }
    }
    save(ring, SCATTER_CURSOR, start, entry);
    return SlotResult.OK;
  }

  /** Moves the cursor to the entry that holds a message offset, forward if it can. */
  private static void seek(
      UnsafeBuffer ring, int cursor, long index, int listOffset, int entries, long messageOffset) {
    int entry = ring.getInt(cursor + CURSOR_ENTRY);
    long start = ring.getLong(cursor + CURSOR_START);
    if (index != ring.getLong(cursor + CURSOR_INDEX) || messageOffset < start) {
      ring.putLong(cursor + CURSOR_INDEX, index);
      entry = 0;
      start = 0;
    }
    while (entry < entries) {
      long size = length(ring, listOffset + entry * ENTRY_LENGTH);
      if (messageOffset < start + size) {
        break;
      }
      start += size;
      entry++;
    }
    save(ring, cursor, start, entry);
  }

  private static void save(UnsafeBuffer ring, int cursor, long start, int entry) {
    ring.putLong(cursor + CURSOR_START, start);
    ring.putInt(cursor + CURSOR_ENTRY, entry);
  }

  private static long length(UnsafeBuffer ring, int entryOffset) {
    return ring.getInt(entryOffset + LENGTH_OFFSET) & 0xFFFF_FFFFL;
  }
}
