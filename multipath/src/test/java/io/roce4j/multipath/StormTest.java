// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.wire.memory.NativeMemory;
import org.junit.jupiter.api.Test;

/**
 * Seeds of {@link StormRun}. More with {@code -Droce4j.seeds=N}, another start with {@code
 * -Droce4j.firstSeed=S}.
 */
class StormTest {
  @Test
  void everyOperationFinishesOnceInOrderWithTheRightBytesOnceFaultsEnd() {
    long first = Long.getLong("roce4j.firstSeed", 1);
    long seeds = Long.getLong("roce4j.seeds", 60);
    StringBuilder failures = new StringBuilder();
    int failed = 0;
    for (long seed = first; seed < first + seeds && failed < 10; seed++) {
      try (StormRun run = new StormRun(seed)) {
        String failure = run.run();
        if (failure != null) {
          failures.append(failure).append('\n');
          failed++;
        }
      }
    }
    assertEquals("", failures.toString());
    assertEquals(0, NativeMemory.liveBytes("mx-connection"));
  }
}
