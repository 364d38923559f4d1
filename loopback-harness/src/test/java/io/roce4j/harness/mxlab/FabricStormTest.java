// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.wire.memory.NativeMemory;
import org.junit.jupiter.api.Test;

/**
 * Seeds of {@link FabricStormRun}. More with {@code -Droce4j.seeds=N}, another start with {@code
 * -Droce4j.firstSeed=S}.
 */
class FabricStormTest {
  private static final int SEEDS = 40;
  private static final int FAILURES_SHOWN = 10;

  /** [mx B.11-1] [mx B.11-3] [mx B.11-13] */
  @Test
  void everyOperationOverEveryFabricFinishesOnceFaultsEnd() {
    long first = Long.getLong("roce4j.firstSeed", 1);
    long seeds = Long.getLong("roce4j.seeds", SEEDS);
    StringBuilder failures = new StringBuilder();
    int failed = 0;
    long stormy = 0;
    long dropped = 0;
    long moves = 0;
    long suspects = 0;
    try (MessagePattern pattern =
        new MessagePattern(new SeededStreams(1), FabricStormRun.MESSAGE_MAX)) {
      long before = NativeMemory.liveBytes();
      for (long seed = first; seed < first + seeds && failed < FAILURES_SHOWN; seed++) {
        try (FabricStormRun run = new FabricStormRun(seed, pattern)) {
          String failure = run.run();
          stormy += run.dropped() > 0 ? 1 : 0;
          dropped += run.dropped();
          moves += run.count("entropyMoves");
          suspects += run.count("suspects");
          if (failure != null) {
            failures.append(failure).append('\n');
            failed++;
          }
        }
      }
      assertEquals("", failures.toString());
      assertEquals(before, NativeMemory.liveBytes(), "all is given back");
    }
    System.out.println(
        seeds
            + " fabrics, packets lost in "
            + stormy
            + ": "
            + dropped
            + "; "
            + suspects
            + " paths suspected, "
            + moves
            + " entropy moves");
    // Seeds in which nothing goes wrong prove nothing.
    assertTrue(2 * stormy > seeds && dropped > 20 * seeds && suspects > seeds && moves > seeds);
  }
}
