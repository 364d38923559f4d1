// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class NativeMemoryTest {
  private static final String TAG = "memory-test";

  @Test
  void buffersAreZeroedAlignedAndAccounted() {
    for (int alignment = 1; alignment <= 4096; alignment <<= 1) {
      UnsafeBuffer buffer = NativeMemory.allocate(TAG, 100, alignment);
      assertEquals(100, buffer.capacity());
      assertEquals(0, buffer.addressOffset() % alignment);
      assertNotNull(buffer.byteBuffer());
      assertEquals(100, NativeMemory.liveBytes(TAG));
      for (int i = 0; i < 100; i++) {
        assertEquals(0, buffer.getByte(i));
      }
      NativeMemory.release(buffer);
      assertEquals(0, NativeMemory.liveBytes(TAG));
      assertThrows(IllegalStateException.class, () -> NativeMemory.release(buffer));
    }
  }

  @Test
  void sizesOutOfRangeAreRefusedWithTheLimit() {
    assertThrows(IllegalArgumentException.class, () -> NativeMemory.allocate(TAG, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> NativeMemory.allocate(TAG, 1, 3));
    assertThrows(IllegalArgumentException.class, () -> NativeMemory.allocate(TAG, 1, 8192));
    assertThrows(
        IllegalArgumentException.class, () -> NativeMemory.allocate(TAG, Integer.MAX_VALUE, 4096));
    assertThrows(IllegalArgumentException.class, () -> NativeRegion.allocate(TAG, 0));
  }

  @Test
  void regionsAreAddressedWith64Bits() {
    try (NativeRegion region = NativeRegion.allocate(TAG, 1 << 20)) {
      assertEquals(0, region.address() % 4096);
      assertEquals(1 << 20, NativeMemory.liveBytes(TAG));
      NativeMemory.putLong(region.address() + 8, -5L);
      assertEquals(-5L, NativeMemory.getLong(region.address() + 8));
      NativeMemory.copy(region.address() + 8, region.address() + 500, 8);
      assertEquals(-5L, NativeMemory.getLong(region.address() + 500));
      UnsafeBuffer window = new UnsafeBuffer();
      region.window(window, 500, 8);
      assertEquals(-5L, window.getLong(0));
      UnsafeBuffer heap = new UnsafeBuffer(new byte[16], 4, 12);
      NativeMemory.copyToBuffer(region.address() + 500, heap, 3, 8);
      assertEquals(-5L, heap.getLong(3));
      NativeMemory.copyFromBuffer(heap, 3, region.address(), 8);
      assertEquals(-5L, NativeMemory.getLong(region.address()));
      NativeMemory.fill(region.address(), 4, (byte) 7);
      assertEquals(7, NativeMemory.getByte(region.address() + 3));
      assertEquals(0x07070707, NativeMemory.getInt(region.address()));
      assertThrows(IllegalArgumentException.class, () -> region.window(window, (1 << 20) - 4, 8));
      assertThrows(IllegalArgumentException.class, () -> region.window(window, -1, 1));
    }
    assertEquals(0, NativeMemory.liveBytes(TAG));
  }

  @Test
  void closedRegionRefusesItsAddress() {
    NativeRegion region = NativeRegion.allocate(TAG, 10);
    assertTrue(region.isOpen());
    region.close();
    region.close();
    assertFalse(region.isOpen());
    assertThrows(IllegalStateException.class, region::address);
    assertEquals(TAG, region.tag());
    assertEquals(10, region.length());
  }

  @Test
  void regionsKeepTheAlignmentAskedForAndAreCountedByTheirLength() {
    for (int alignment = 1; alignment <= 4096; alignment *= 2) {
      try (NativeRegion region = NativeRegion.allocate("aligned", 100, alignment)) {
        assertEquals(0, region.address() % alignment);
        assertEquals(100, NativeMemory.liveBytes("aligned"));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> NativeRegion.allocate("aligned", 1, 3));
    assertEquals(0, NativeMemory.liveBytes("aligned"));
  }
}
