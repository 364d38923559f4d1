// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeySourceTest {
  @Test
  void drawsSipHashOfItsCounter() {
    // Reference vector of SipHash-2-4 for key 00..0f and the message 00..07.
    assertEquals(
        0x93f5f5799a932462L,
        KeySource.hash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L, 0x0706050403020100L));
  }

  @Test
  void sameSeedDrawsTheSameKeys() {
    KeySource one = new KeySource(7);
    KeySource other = new KeySource(7);
    for (int i = 0; i < 1000; i++) {
      assertEquals(one.next(), other.next());
    }
  }

  @Test
  void neighbouringSeedsShareNoKeys() {
    Set<Integer> drawn = new HashSet<>();
    KeySource one = new KeySource(7);
    KeySource other = new KeySource(8);
    for (int i = 0; i < 100; i++) {
      drawn.add(one.next());
    }
    for (int i = 0; i < 100; i++) {
      assertEquals(false, drawn.contains(other.next()));
    }
  }

  @Test
  void differencesOfSuccessiveKeysDoNotRepeat() {
    KeySource keys = new KeySource(1);
    Set<Integer> differences = new HashSet<>();
    int last = keys.next();
    for (int i = 0; i < 1000; i++) {
      int next = keys.next();
      assertNotEquals(0, next - last);
      differences.add(next - last);
      last = next;
    }
    assertEquals(1000, differences.size());
  }
}
