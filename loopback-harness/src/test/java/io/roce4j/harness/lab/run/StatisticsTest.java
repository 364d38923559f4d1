// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import org.junit.jupiter.api.Test;

/** Figures over flows. */
class StatisticsTest {
  @Test
  void jainIsOneForEqualsAndOneInNForAMonopoly() {
    assertEquals(1, Statistics.jain(new double[] {3, 3, 3}), 1e-12);
    assertEquals(0.25, Statistics.jain(new double[] {5, 0, 0, 0}), 1e-12);
    assertTrue(Double.isNaN(Statistics.jain(new double[] {0, 0})));
  }

  @Test
  void percentileIsTheNearestRank() {
    double[] values = {5, 1, 4, 2, 3};
    assertEquals(3, Statistics.percentile(values, 50));
    assertEquals(5, Statistics.percentile(values, 99));
    assertEquals(1, Statistics.percentile(values, 1));
    assertTrue(Double.isNaN(Statistics.percentile(new double[0], 50)));
  }

  @Test
  void baseRttIsPropagationSwitchesAndSerialisation() {
    // Two cables of 100 Gbit/s: 12.5 bytes a ns, 500 ns each; one switch of 400 ns.
    FabricSettings settings = FabricSettings.defaults();
    var topology = Topologies.single(2, Cable.gbit(100, 100));
    double data = (4096 + 60 + 38) / 12.5;
    double ack = (48 + 38) / 12.5;
    assertEquals(
        Math.ceil(4 * 500 + 2 * 400 + 2 * (data + ack)),
        (double) BaseRtt.between(topology, settings, 0, 1, 4096),
        1);
  }
}
