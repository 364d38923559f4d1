// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fixed points and their formulas, in a fluid. 100 Gbit/s, base RTT 12 us, reference 20 us. */
class FluidFixedPointTest {

  private static final double C = 100e9;
  private static final double BASE_NS = 12_000;
  private static final double REFERENCE_NS = 20_000;
  private static final double BETA = 0.008;

  private static CongestionSettings settings(double start) {
    return CongestionSettings.of((long) C, 1000, (long) BASE_NS)
        .with("Tlow=20us")
        .with("Thigh=500us")
        .with("minRtt=12us")
        .with("segment=1")
        .with("Rmin=100Mbit")
        .with("start", Double.toString(start));
  }

  /** (rtt - rttRef)/rttRef = N*delta/(beta*C), and all rates equal, from any start. */
  @ParameterizedTest
  @CsvSource({"2, 0.10", "4, 0.05", "4, 0.20", "8, 0.20", "16, 0.40"})
  void patchedTimelySettlesOnItsFixedPointAndFairly(int n, double error) {
    double delta = error * BETA * C / n;
    SplittableRandom random = new SplittableRandom(n);
    CongestionController[] flows = new CongestionController[n];
    for (int i = 0; i < n; i++) {
      flows[i] =
          new TimelyPatched(
              settings(0.02 + 0.9 * random.nextDouble() * 2 / n)
                  .with("beta", Double.toString(BETA))
                  .with("delta", delta + "bit"));
    }
    FluidQueue queue = new FluidQueue(C, BASE_NS, 500, flows);
    queue.run(300e6, rtt -> rtt);
    double measured = queue.run(20e6, rtt -> (rtt - REFERENCE_NS) / REFERENCE_NS);
    assertEquals(n * delta / (BETA * C), measured, 0.03 * error + 0.002, "queueing error");
    assertTrue(queue.jain() > 0.99, "Jain " + queue.jain());
  }

  /** Original TIMELY keeps an unfair split: any split with zero gradient stays. */
  @Test
  void originalTimelyStaysUnfairWhereThePatchedFormDoesNot() {
    FluidQueue original =
        new FluidQueue(
            C,
            BASE_NS,
            500,
            new Timely(settings(0.8).with("delta=10Mbit")),
            new Timely(settings(0.2).with("delta=10Mbit")));
    original.run(200e6, rtt -> rtt);
    assertTrue(original.jain() < 0.95, "original Jain " + original.jain());

    FluidQueue patched =
        new FluidQueue(
            C,
            BASE_NS,
            500,
            new TimelyPatched(settings(0.8).with("delta=80Mbit")),
            new TimelyPatched(settings(0.2).with("delta=80Mbit")));
    patched.run(200e6, rtt -> rtt);
    assertTrue(patched.jain() > 0.99, "patched Jain " + patched.jain());
  }

  /** A reference below the base RTT never fills the link: there is nothing to settle on. */
  @Test
  void aReferenceBelowTheBaseRttLeavesTheLinkUnfilled() {
    CongestionController[] flows = new CongestionController[2];
    for (int i = 0; i < 2; i++) {
      flows[i] =
          new TimelyPatched(settings(0.5).with("Tlow=8us").with("rttRef=8us").with("delta=10Mbit"));
    }
    FluidQueue queue = new FluidQueue(C, BASE_NS, 500, flows);
    queue.run(100e6, rtt -> rtt);
    double total = (double) flows[0].rateBitsPerSecond() + flows[1].rateBitsPerSecond();
    assertTrue(total < 0.7 * C, "total " + total);
  }
}
