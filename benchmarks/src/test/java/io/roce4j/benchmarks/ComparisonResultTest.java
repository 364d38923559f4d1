// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonResultTest {
  private static final Comparison COMPARISON =
      new Comparison("wire", "a / b", "wire.X.a", "wire.X.b", "n=1", 1.5);

  private static Measurement of(
      int round, String name, String parameters, double ns, double bytes) {
    return new Measurement(round, "wire.X." + name, parameters, ns, bytes);
  }

  @Test
  void ratiosPairTimesOfTheSameRoundInAnyOrder() {
    ComparisonResult result =
        ComparisonResult.of(
            COMPARISON,
            List.of(
                of(1, "b", "n=1", 20, 0),
                of(0, "a", "n=1", 10, 0),
                of(0, "b", "n=1", 10, 0),
                of(1, "a", "n=1", 40, 0),
                of(2, "a", "n=1", 12, 0),
                of(2, "b", "n=1", 10, 0),
                of(0, "a", "n=2", 999, 999)));
    assertEquals(new Spread(1.2, 1.0, 2.0), result.ratio());
    assertEquals(new Spread(12, 10, 40), result.subjectNs());
    assertTrue(result.withinLimit());
    assertTrue(result.allocatesNothing());
  }

  @Test
  void missedLimitAndAllocationAreSeen() {
    ComparisonResult result =
        ComparisonResult.of(
            COMPARISON, List.of(of(0, "a", "n=1", 16, 24), of(0, "b", "n=1", 10, 0)));
    assertFalse(result.withinLimit());
    assertFalse(result.allocatesNothing());
    Machine machine = new Machine("cpu", 2, "system", "jvm");
    assertFalse(new Report(machine, 1, List.of(result)).good());
  }

  @Test
  void roundWithoutItsYardstickIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> ComparisonResult.of(COMPARISON, List.of(of(0, "a", "n=1", 16, 0))));
    assertThrows(IllegalArgumentException.class, () -> ComparisonResult.of(COMPARISON, List.of()));
  }

  @Test
  void medianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
    assertEquals(new Spread(2.5, 1, 4), Spread.of(4, 1, 2, 3));
    assertThrows(IllegalArgumentException.class, Spread::of);
  }
}
