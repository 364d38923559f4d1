// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The only allocator of off-heap memory in the core, counting live bytes by tag, and copies with
 * 64-bit addresses.
 *
 * <p>Allocation and release are for the control path and may be called from any thread. The copies
 * and single-word accesses are for the data path: they check nothing, so the caller must have
 * checked address and length against a live region; a wrong address crashes the JVM.
 */
public final class NativeMemory {
  private static final MemoryTags TAGS = new MemoryTags();

  // By address of the first byte, so that release knows size and tag without trusting the caller.
  private static final Long2ObjectHashMap<Allocation> ALLOCATIONS = new Long2ObjectHashMap<>();

  private NativeMemory() {}

  private record Allocation(String tag, int bytes, ByteBuffer storage) {}

  /**
   * Allocates a zeroed buffer over a direct ByteBuffer ({@code byteBuffer()} is not null).
   *
   * @param tag what the memory is for, shown by {@link #report}
   * @param bytes 1..2^31 - 1 - alignment
   * @param alignment of the first byte: a power of two, 1..4096
   * @return a buffer of exactly {@code bytes}; give it back with {@link #release}
   * @throws IllegalArgumentException on a size or alignment out of range
   * @throws OutOfMemoryError when the JVM's direct-memory limit is reached; the message names it
   * @throws IllegalStateException when the JVM lacks a flag, naming it
   */
  public static UnsafeBuffer allocate(String tag, int bytes, int alignment) {
    JvmFlags.check();
    checkAlignment(alignment);
    if (bytes < 1 || bytes > Integer.MAX_VALUE - alignment) {
      throw new IllegalArgumentException(
          "buffer size "
              + bytes
              + " for "
              + tag
              + " is outside 1.."
              + (Integer.MAX_VALUE - alignment));
    }
    ByteBuffer storage = ByteBuffer.allocateDirect(bytes + alignment - 1);
    int shift = (int) (-BufferUtil.address(storage) & (alignment - 1));
    UnsafeBuffer buffer = new UnsafeBuffer(storage, shift, bytes);
    TAGS.add(tag, bytes);
    synchronized (ALLOCATIONS) {
      ALLOCATIONS.put(buffer.addressOffset(), new Allocation(tag, bytes, storage));
    }
    return buffer;
  }

  /**
   * Gives back a buffer of {@link #allocate}; its memory is freed at once and must not be touched
   * through any view any more.
   *
   * @param buffer as returned; empty afterwards
   * @throws IllegalStateException when it is not live
   */
  public static void release(UnsafeBuffer buffer) {
    Allocation allocation;
    synchronized (ALLOCATIONS) {
      allocation = buffer.byteArray() == null ? ALLOCATIONS.remove(buffer.addressOffset()) : null;
    }
    if (allocation == null) {
      throw new IllegalStateException("buffer was not allocated here or is released already");
    }
    TAGS.remove(allocation.tag(), allocation.bytes());
    buffer.wrap(new byte[0]);
    UnsafeApi.invokeCleaner(allocation.storage());
  }

  /**
   * Bytes allocated under a tag and not yet released.
   *
   * @param tag as given at allocation
   * @return 0 or more
   */
  public static long liveBytes(String tag) {
    return TAGS.of(tag);
  }

  /**
   * Bytes allocated under all tags and not yet released.
   *
   * @return 0 or more
   */
  public static long liveBytes() {
    return TAGS.total();
  }

  /**
   * The tags with live bytes, for people.
   *
   * @return for example <code>{region=4096}</code>, <code>{}</code> when nothing is live
   */
  public static String report() {
    return TAGS.report();
  }

  /**
   * Copies between two blocks, which may overlap.
   *
   * @param sourceAddress first byte to read
   * @param destinationAddress first byte to write
   * @param bytes 0 or more
   */
  public static void copy(long sourceAddress, long destinationAddress, long bytes) {
    UnsafeApi.copyMemory(sourceAddress, destinationAddress, bytes);
  }

  /**
   * Copies from an address into a buffer.
   *
   * @param sourceAddress first byte to read
   * @param destination any kind of buffer; its bounds are the caller's to keep
   * @param destinationOffset index in the buffer
   * @param bytes 0 or more
   */
  public static void copyToBuffer(
      long sourceAddress, UnsafeBuffer destination, int destinationOffset, int bytes) {
    UnsafeApi.copyMemory(
        null,
        sourceAddress,
        destination.byteArray(),
        destination.addressOffset() + destinationOffset,
        bytes);
  }

  /**
   * Copies from a buffer to an address.
   *
   * @param source any kind of buffer; its bounds are the caller's to keep
   * @param sourceOffset index in the buffer
   * @param destinationAddress first byte to write
   * @param bytes 0 or more
   */
  public static void copyFromBuffer(
      UnsafeBuffer source, int sourceOffset, long destinationAddress, int bytes) {
    UnsafeApi.copyMemory(
        source.byteArray(), source.addressOffset() + sourceOffset, null, destinationAddress, bytes);
  }

  /**
   * Copies from a buffer to an address so that whoever sees the last byte sees all bytes before it:
   * programs wait for a message by watching its last byte.
   *
   * @param source any kind of buffer; its bounds are the caller's to keep
   * @param sourceOffset index in the buffer
   * @param destinationAddress first byte to write
   * @param bytes 1 or more
   */
  public static void copyFromBufferLastByteLast(
      UnsafeBuffer source, int sourceOffset, long destinationAddress, int bytes) {
    int before = bytes - 1;
    copyFromBuffer(source, sourceOffset, destinationAddress, before);
    VarHandle.releaseFence();
    putByte(destinationAddress + before, source.getByte(sourceOffset + before));
  }

  /**
   * Fills a block with one byte value.
   *
   * @param address first byte to write
   * @param bytes 0 or more
   * @param value the byte
   */
  public static void fill(long address, long bytes, byte value) {
    UnsafeApi.setMemory(address, bytes, value);
  }

  /**
   * Reads one byte.
   *
   * @param address where
   * @return the byte
   */
  public static byte getByte(long address) {
    return UnsafeApi.getByte(address);
  }

  /**
   * Writes one byte.
   *
   * @param address where
   * @param value the byte
   */
  public static void putByte(long address, byte value) {
    UnsafeApi.putByte(address, value);
  }

  /**
   * Reads four bytes in host order.
   *
   * @param address where, any alignment on the supported machines
   * @return the word
   */
  public static int getInt(long address) {
    return UnsafeApi.getInt(address);
  }

  /**
   * Writes four bytes in host order.
   *
   * @param address where, any alignment on the supported machines
   * @param value the word
   */
  public static void putInt(long address, int value) {
    UnsafeApi.putInt(address, value);
  }

  /**
   * Reads eight bytes in host order, as remote atomics see the word.
   *
   * @param address where, any alignment on the supported machines
   * @return the word
   */
  public static long getLong(long address) {
    return UnsafeApi.getLong(address);
  }

  /**
   * Writes eight bytes in host order.
   *
   * @param address where, any alignment on the supported machines
   * @param value the word
   */
  public static void putLong(long address, long value) {
    UnsafeApi.putLong(address, value);
  }

  static void checkAlignment(int alignment) {
    if (alignment < 1 || alignment > 4096 || (alignment & (alignment - 1)) != 0) {
      throw new IllegalArgumentException(
          "alignment " + alignment + " is not a power of two in 1..4096");
    }
  }

  static MemoryTags tags() {
    return TAGS;
  }
}
