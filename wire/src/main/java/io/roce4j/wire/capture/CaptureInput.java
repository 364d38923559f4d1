// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A stream seen through one block: asks for so many bytes in a row, never holds more than {@link
 * #BLOCK}. For a small file the block starts small.
 */
final class CaptureInput implements AutoCloseable {
  static final int BLOCK = 1 << 20;

  private static final int SMALLEST_BLOCK = 1 << 12;

  private final String name;
  private final InputStream stream;
  private final UnsafeBuffer buffer;
  private byte[] block;
  private ByteOrder order = ByteOrder.LITTLE_ENDIAN;
  private long consumed;
  private int position;
  private int limit;

  /** Takes a stream; {@code expectedBytes} is a guess of its length, right or wrong. */
  CaptureInput(String name, InputStream stream, int expectedBytes) {
    this.name = name;
    this.stream = stream;
    this.block = new byte[Math.clamp(expectedBytes, SMALLEST_BLOCK, BLOCK)];
    this.buffer = new UnsafeBuffer(block);
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
    if (bytes > block.length) {
      byte[] larger = new byte[BLOCK];
      System.arraycopy(block, position, larger, 0, limit - position);
      block = larger;
      buffer.wrap(block);
    } else {
      System.arraycopy(block, position, block, 0, limit - position);
    }
    limit -= position;
    position = 0;
    try {
      while (limit < bytes) {
        int read = stream.read(block, limit, block.length - limit);
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
      int part = fill((int) Math.min(left, block.length));
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
    stream.close();
  }
}
