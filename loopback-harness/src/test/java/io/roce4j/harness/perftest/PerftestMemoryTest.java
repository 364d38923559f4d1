// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.harness.handshake.PerftestHandshake.Terms;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** [oob 3.3]: how messages of a bandwidth test walk through memory. */
class PerftestMemoryTest {
  @Command
  static final class Holder {
    @Mixin PerftestOptions options = new PerftestOptions();
  }

  private static PerftestPlan plan(String... words) {
    Holder holder = new Holder();
    new CommandLine(holder).parseArgs(words);
    return holder.options.plan(PerftestTool.WRITE_BW);
  }

  private static long[] offsets(long sizeBytes) {
    PerftestPlan plan = plan("-s", Long.toString(sizeBytes));
    try (PerftestMemory memory = new PerftestMemory(plan, new Terms(4096, 64, 1024))) {
      return LongStream.range(0, 6).map(i -> memory.offset(i, sizeBytes)).toArray();
    }
  }

  @Test
  void smallMessagesWalkInCacheLinesAndLargeOnesStay() {
    assertArrayEquals(new long[] {0, 64, 128, 192, 256, 320}, offsets(2));
    assertArrayEquals(new long[] {0, 64, 128, 192, 256, 320}, offsets(64));
    assertArrayEquals(new long[] {0, 1024, 2048, 3072, 0, 1024}, offsets(1024));
    assertArrayEquals(new long[] {0, 2048, 0, 2048, 0, 2048}, offsets(2048));
    assertArrayEquals(new long[] {0, 0, 0, 0, 0, 0}, offsets(2049));
  }

  @Test
  void theWalkNeverLeavesTheMemoryThatThePeerHasToExpose() {
    for (int size = 1; size <= 4096; size++) {
      for (long offset : offsets(size)) {
        assertEquals(true, offset + size <= 4096, "size " + size + " at " + offset);
      }
    }
  }

  @Test
  void depthsAreNoLargerThanTheIterations() {
    assertEquals(20, plan("-n", "20").txDepth());
    assertEquals(128, plan("-D", "5").txDepth());
    assertEquals(20, plan("-n", "20", "-s", "64").completionEvery());
    assertEquals(100, plan("-s", "64").completionEvery());
    assertEquals(1, plan().completionEvery());
  }
}
