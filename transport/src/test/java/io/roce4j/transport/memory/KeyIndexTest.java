// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyIndexTest {
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void agreesWithAMapOverRandomOperations(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    KeyIndex index = new KeyIndex();
    Map<Integer, Integer> model = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      // A small key space makes collisions, removals and tombstones frequent.
      int key = random.nextInt(600);
      if (model.containsKey(key)) {
        if (random.nextInt(3) == 0) {
          index.remove(key);
          model.remove(key);
        }
      } else if (random.nextBoolean()) {
        index.put(key, i);
        model.put(key, i);
      }
      int asked = random.nextInt(600);
      assertEquals(model.getOrDefault(asked, KeyIndex.MISSING), index.slotOf(asked));
    }
    for (int key = 0; key < 600; key++) {
      assertEquals(model.getOrDefault(key, KeyIndex.MISSING), index.slotOf(key));
    }
  }
}
