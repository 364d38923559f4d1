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
  void sharedWordsStandCacheLinesApart() {
    int[] words = {
      RingLayout.TAIL_OFFSET,
      RingLayout.HEAD_OFFSET,
      RingLayout.SIGNAL_OFFSET,
      RingLayout.ECHO_OFFSET,
      RingLayout.SLOTS_OFFSET
    };
    for (int i = 1; i < words.length; i++) {
      assertTrue(words[i] - words[i - 1] >= 2 * CACHE_LINE, "word " + i);
      assertEquals(0, words[i] % RingLayout.ALIGNMENT);
    }
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
