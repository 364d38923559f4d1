// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.io.IOException;
import java.io.OutputStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A stream written through one fixed block, little-endian. */
final class CaptureOutput implements AutoCloseable {
  private static final int BLOCK = 1 << 18;

  private final OutputStream stream;
  private final byte[] block = new byte[BLOCK];
  private final UnsafeBuffer buffer = new UnsafeBuffer(block);
  private int used;

  CaptureOutput(OutputStream stream) {
    this.stream = stream;
  }

  void int16(int value) throws IOException {
    room(Short.BYTES);
    buffer.putShort(used, (short) value, java.nio.ByteOrder.LITTLE_ENDIAN);
    used += Short.BYTES;
  }

  void int32(int value) throws IOException {
    room(Integer.BYTES);
    buffer.putInt(used, value, java.nio.ByteOrder.LITTLE_ENDIAN);
    used += Integer.BYTES;
  }

  void bytes(DirectBuffer source, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      room(1);
      int part = Math.min(length - done, BLOCK - used);
      source.getBytes(offset + done, block, used, part);
      used += part;
      done += part;
    }
  }

  void zeros(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      room(1);
      block[used++] = 0;
    }
  }

  void flush() throws IOException {
    stream.write(block, 0, used);
    used = 0;
    stream.flush();
  }

  private void room(int bytes) throws IOException {
    if (BLOCK - used < bytes) {
      stream.write(block, 0, used);
      used = 0;
    }
  }

  @Override
  public void close() throws IOException {
    try (stream) {
      flush();
    }
  }
}
