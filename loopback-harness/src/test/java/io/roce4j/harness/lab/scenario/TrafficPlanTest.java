// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Who sends to whom. */
class TrafficPlanTest {
  private static TrafficPlan of(TrafficPlan.Pattern pattern, List<Integer> pairs, int perPair) {
    return new TrafficPlan(
        List.of(
            new TrafficPlan.Group("g", pattern, pairs, 2, 3, 1, 100, 1, 1, perPair, 10, 5, -1)));
  }

  private static List<String> pairs(List<TrafficPlan.Flow> flows) {
    return flows.stream().map(flow -> flow.from() + ">" + flow.to()).toList();
  }

  @Test
  void permutationHasEachHostOnceOnEachSideAndNoneWithItself() {
    for (int seed = 0; seed < 200; seed++) {
      int hosts = 2 + seed % 30;
      Set<Integer> sources = new HashSet<>();
      Set<Integer> targets = new HashSet<>();
      for (TrafficPlan.Flow flow :
          of(TrafficPlan.Pattern.PERMUTATION, List.of(), 1)
              .flows(hosts, new SplittableRandom(seed))) {
        assertNotEquals(flow.from(), flow.to());
        sources.add(flow.from());
        targets.add(flow.to());
      }
      assertEquals(hosts, sources.size());
      assertEquals(hosts, targets.size());
    }
  }

  @Test
  void otherPatternsAreAsTheySay() {
    SplittableRandom dice = new SplittableRandom(1);
    assertEquals(
        List.of("3>2", "0>2", "1>2"),
        pairs(of(TrafficPlan.Pattern.INCAST, List.of(), 1).flows(4, dice)));
    assertEquals(
        List.of("0>1", "1>2", "2>0"),
        pairs(of(TrafficPlan.Pattern.SHIFT, List.of(), 1).flows(3, dice)));
    List<TrafficPlan.Flow> twice =
        of(TrafficPlan.Pattern.PAIRS, List.of(0, 1, 2, 1), 2).flows(4, dice);
    assertEquals(List.of("0>1", "0>1", "2>1", "2>1"), pairs(twice));
    assertEquals(
        List.of(10L, 15L, 20L, 25L), twice.stream().map(TrafficPlan.Flow::startNs).toList());
  }
}
