// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeededStreamsTest {
  @Test
  void aStreamDoesNotDependOnWhatElseIsDrawn() {
    SeededStreams first = new SeededStreams(7);
    first.stream("other").nextLong();
    SeededStreams second = new SeededStreams(7);
    assertEquals(
        first.stream("link.a-b.loss").nextLong(), second.stream("link.a-b.loss").nextLong());
  }

  @Test
  void namesAndSeedsGiveDifferentStreams() {
    Set<Long> firstDraws = new HashSet<>();
    for (long seed = 0; seed < 100; seed++) {
      SeededStreams streams = new SeededStreams(seed);
      for (int name = 0; name < 100; name++) {
        firstDraws.add(streams.stream("link" + name).nextLong());
        firstDraws.add(streams.child("link" + name).stream("loss").nextLong());
      }
    }
    assertEquals(20_000, firstDraws.size());
  }

  @Test
  void neighbouringSeedsAreUnlike() {
    double worst = 0;
    for (int lag = 1; lag < 8; lag++) {
      double sum = 0;
      for (long seed = 0; seed < 10_000; seed++) {
        double here = new SeededStreams(seed).stream("x").nextDouble() - 0.5;
        double there = new SeededStreams(seed + lag).stream("x").nextDouble() - 0.5;
        sum += here * there * 12;
      }
      worst = Math.max(worst, Math.abs(sum / 10_000));
    }
    assertTrue(worst < 0.05, "correlation " + worst);
    assertNotEquals(new SeededStreams(0).derive("x"), new SeededStreams(1).derive("x"));
  }
}
