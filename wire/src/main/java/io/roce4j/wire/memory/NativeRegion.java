// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A tagged block of zeroed off-heap memory with a 64-bit length, more than 2 GiB included.
 *
 * <p>Opened and closed once, on the control path. Between the two any thread may use its address;
 * closing while somebody still does crashes the JVM, so the owner closes last.
 */
public final class NativeRegion implements AutoCloseable {
  private static final int ALIGNMENT = 4096;

  private final String tag;
  private final long length;
  private final long allocation;
  private final long address;
  private boolean open = true;

  private NativeRegion(String tag, long length, long allocation, long address) {
    this.tag = tag;
    this.length = length;
    this.allocation = allocation;
    this.address = address;
  }

  /**
   * Allocates a block aligned to 4096 bytes.
   *
   * @param tag what the memory is for, shown by {@link NativeMemory#report}
   * @param length bytes, 1 or more
   * @return the open region
   * @throws IllegalArgumentException on a length below 1
   * @throws OutOfMemoryError when the machine has not that much memory
   * @throws IllegalStateException when the JVM lacks a flag, naming it
   */
  public static NativeRegion allocate(String tag, long length) {
    return allocate(tag, length, ALIGNMENT);
  }

  /**
   * Allocates a block. The cheapest of all in objects, for whoever has thousands.
   *
   * @param tag what the memory is for, shown by {@link NativeMemory#report}
   * @param length bytes, 1 or more
   * @param alignment of the first byte: a power of two, 1..4096
   * @return the open region
   * @throws IllegalArgumentException on a length below 1 or an alignment out of range
   * @throws OutOfMemoryError when the machine has not that much memory
   * @throws IllegalStateException when the JVM lacks a flag, naming it
   */
  public static NativeRegion allocate(String tag, long length, int alignment) {
    JvmFlags.check();
    NativeMemory.checkAlignment(alignment);
    if (length < 1 || length > Long.MAX_VALUE - ALIGNMENT) {
      throw new IllegalArgumentException(
          "region length " + length + " for " + tag + " must be at least 1 byte");
    }
    long allocation;
    try {
      allocation = UnsafeApi.allocateMemory(length + alignment - 1);
    } catch (OutOfMemoryError e) {
      OutOfMemoryError named =
          new OutOfMemoryError(length + " bytes of native memory for " + tag + ": not available");
      named.initCause(e);
      throw named;
    }
    long address = (allocation + alignment - 1) & -alignment;
    UnsafeApi.setMemory(address, length, (byte) 0);
    NativeMemory.tags().add(tag, length);
    return new NativeRegion(tag, length, allocation, address);
  }

  /**
   * First byte.
   *
   * @return the address
   * @throws IllegalStateException when closed
   */
  public long address() {
    checkOpen();
    return address;
  }

  /**
   * Size of the block.
   *
   * @return bytes, 1 or more
   */
  public long length() {
    return length;
  }

  /**
   * The tag given at allocation.
   *
   * @return the tag
   */
  public String tag() {
    return tag;
  }

  /**
   * Whether the block may still be used.
   *
   * @return false after {@link #close}
   */
  public boolean isOpen() {
    return open;
  }

  /**
   * Makes a buffer show part of the block.
   *
   * @param buffer is re-wrapped; has neither array nor ByteBuffer afterwards
   * @param offset first byte, 0..length
   * @param bytes how many, 0..length - offset
   * @throws IllegalArgumentException when the window leaves the block
   * @throws IllegalStateException when closed
   */
  public void window(UnsafeBuffer buffer, long offset, int bytes) {
    checkOpen();
    if (offset < 0 || bytes < 0 || offset > length - bytes) {
      throw new IllegalArgumentException(
          "window of " + bytes + " bytes at " + offset + " leaves region of " + length + " bytes");
    }
    buffer.wrap(address + offset, bytes);
  }

  /** Frees the block. A second call does nothing. */
  @Override
  public synchronized void close() {
    if (open) {
      open = false;
      UnsafeApi.freeMemory(allocation);
      NativeMemory.tags().remove(tag, length);
    }
  }

  private void checkOpen() {
    if (!open) {
      throw new IllegalStateException("region " + tag + " is closed");
    }
  }
}
