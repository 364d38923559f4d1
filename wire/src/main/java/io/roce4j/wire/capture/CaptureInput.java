// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import io.roce4j.wire.memory.NativeMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A channel seen through one block: asks for so many bytes in a row, never holds more than {@link
 * #BLOCK}. For a small file the block starts small.
 *
 * <p>The block lies off heap, so that the kernel writes straight into it, and starts at a size that
 * the caches of a core hold: what was read is then parsed before it has left them.
 */
final class CaptureInput implements AutoCloseable {
  static final int BLOCK = 1 << 20;

  private static final String MEMORY_TAG = "capture";
  private static final int SMALLEST_BLOCK = 1 << 12;
  private static final int FIRST_BLOCK = 1 << 17;

  private final String name;
  private final ReadableByteChannel channel;
  private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
  private UnsafeBuffer memory;
  private ByteBuffer block;
  private ByteOrder order = ByteOrder.LITTLE_ENDIAN;
  private long consumed;
  private int position;
  private int limit;

  /** Takes a channel; {@code expectedBytes} is a guess of its length, 0 when there is none. */
  CaptureInput(String name, ReadableByteChannel channel, long expectedBytes) {
    this.name = name;
    this.channel = channel;
    this.memory = allocate(firstBlock(expectedBytes));
    this.block = memory.byteBuffer();
    this.buffer.wrap(memory);
  }

  private static int firstBlock(long expectedBytes) {
    return expectedBytes <= 0
        ? FIRST_BLOCK
        : Math.clamp(expectedBytes, SMALLEST_BLOCK, FIRST_BLOCK);
  }

  private static UnsafeBuffer allocate(int bytes) {
    return NativeMemory.allocate(MEMORY_TAG, bytes, 1);
  }

  String name() {
    return name;
  }

  UnsafeBuffer buffer() {
    return buffer;
  }

  int position() {
    return position;
  }

  /** Bytes of the file in front of {@link #position}. */
  long consumed() {
    return consumed;
  }

  void order(ByteOrder order) {
    this.order = order;
  }

  int uint16(int at) {
    return buffer.getShort(position + at, order) & 0xFFFF;
  }

  int int32(int at) {
    return buffer.getInt(position + at, order);
  }

  long uint32(int at) {
    return buffer.getInt(position + at, order) & 0xFFFF_FFFFL;
  }

  /**
   * Brings {@code bytes} bytes, at most the block, into the block behind the position; moves what
   * is there when it must. Returns how many there are: fewer only at the end of the file.
   */
  int fill(int bytes) throws CaptureException {
    if (limit - position >= bytes) {
      return bytes;
    }
    if (bytes > memory.capacity()) {
      UnsafeBuffer larger = allocate(BLOCK);
      larger.putBytes(0, memory, position, limit - position);
      NativeMemory.release(memory);
      memory = larger;
      block = larger.byteBuffer();
      buffer.wrap(larger);
    } else {
      memory.putBytes(0, memory, position, limit - position);
    }
    limit -= position;
    position = 0;
    try {
      while (limit < bytes) {
        int read = channel.read(block.limit(block.capacity()).position(limit));
        if (read < 0) {
          return limit;
        }
        limit += read;
      }
    } catch (IOException e) {
      throw new CaptureException(
          name + ": reading fails at byte " + (consumed + limit) + ": " + e.getMessage(), e);
    }
    return bytes;
  }

  /** Steps over bytes that {@link #fill} has brought in. */
  void advance(int bytes) {
    position += bytes;
    consumed += bytes;
  }

  /** Steps over any number of bytes; false when the file ends first. */
  boolean skip(long bytes) throws CaptureException {
    long left = bytes;
    while (left > 0) {
      int part = fill((int) Math.min(left, memory.capacity()));
      if (part == 0) {
        return false;
      }
      part = (int) Math.min(part, left);
      advance(part);
      left -= part;
    }
    return true;
  }

  CaptureException cutShort(long record) {
    return new CaptureException(
        name
            + ": the file ends inside record "
            + record
            + " (after byte "
            + (consumed + limit - position)
            + "); what came before was read: copy or capture it again for the rest",
        true);
  }

  CaptureException damaged(long record, String why) {
    return new CaptureException(
        name
            + ": record "
            + record
            + " at byte "
            + consumed
            + " "
            + why
            + "; the file is damaged: capture or copy it again",
        false);
  }

  @Override
  public void close() throws IOException {
    if (memory.capacity() > 0) {
      buffer.wrap(new byte[0]);
      NativeMemory.release(memory);
    }
    channel.close();
  }
}
