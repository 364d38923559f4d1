// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingLayoutTest {
  private static final int CACHE_LINE = 64;

  @Test
  void producersAndConsumersWordsStandTwoCacheLinesApart() {
    int cursors = 2 * 32;
    assertTrue(
        RingLayout.SIGNAL_OFFSET - RingLayout.TAIL_OFFSET < CACHE_LINE, "one line at a post");
    assertTrue(RingLayout.HEAD_OFFSET - RingLayout.SIGNAL_OFFSET - Long.BYTES >= CACHE_LINE);
    assertTrue(RingLayout.HEAD_OFFSET - RingLayout.TAIL_OFFSET >= 2 * CACHE_LINE);
    assertTrue(RingLayout.ECHO_OFFSET >= RingLayout.HEAD_OFFSET + Long.BYTES);
    assertTrue(RingLayout.ECHO_OFFSET + cursors <= RingLayout.SLOTS_OFFSET);
    assertTrue(RingLayout.SLOTS_OFFSET - RingLayout.HEAD_OFFSET >= 2 * CACHE_LINE);
    assertEquals(0, RingLayout.HEAD_OFFSET % RingLayout.ALIGNMENT);
    assertEquals(0, RingLayout.SLOTS_OFFSET % RingLayout.ALIGNMENT);
  }

  @ParameterizedTest(name = "{0} entries in {1} slots")
  @CsvSource({"1, 1", "2, 2", "3, 4", "64, 64", "65, 128", "1048576, 1048576"})
  void slotsAreTheNextPowerOfTwo(int entries, int slots) {
    assertEquals(slots, RingLayout.slots(entries));
  }

  @Test
  void sizesOutOfRangeAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> RingLayout.slots(0));
    assertThrows(IllegalArgumentException.class, () -> RingLayout.slots((1 << 20) + 1));
    assertThrows(IllegalArgumentException.class, () -> RingLayout.bytes(1 << 20, 4096));
  }
}
