// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.congestion.WitnessedPaths.Moment;
import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.engine.EndpointSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Shares that an MX receiver hints, over the fabric: 100 Gbit/s and 2.5 us on each cable, so a base
 * round trip of 11 us. What is compared is the rate at which each sender paces.
 */
class HintFabricTest {
  private static final long LINE = 100_000_000_000L;
  private static final double ETA = 0.98;
  private static final long RTT_NS = 11_000;
  private static final int MESSAGE = 65_536;

  private static final class Run implements AutoCloseable {
    private final Witnesses witnesses = new Witnesses();
    private final Fabric fabric;
    private final FabricTraffic traffic;

    Run(int hosts) {
      FabricSettings settings =
          FabricSettings.defaults()
              .withFramingBytes(0)
              .withSwitches(SwitchSettings.defaults().withLatencyNs(0).withQueueBytes(32L << 20));
      fabric =
          new Fabric(
              Topologies.single(hosts, new Cable(LINE, 2_500)), settings, 1, LinkObserver.NONE);
      EndpointSettings engine =
          EndpointSettings.defaults()
              .withTrainPackets(1)
              .withLinkBitsPerSecond(LINE)
              .withBaseRttNs(RTT_NS);
      traffic = new FabricTraffic(fabric, engine, MESSAGE);
      WitnessedPaths.takeAll();
    }

    void add(int host, int weight, long startNs) {
      MxSettings mx = MxSettings.defaults().withPaths(4).withTrainPackets(1).withWeight(weight);
      traffic.add(
          host,
          0,
          WritePlan.endless(MESSAGE, 64)
              .startingAtNs(startNs)
              .over(
                  ConnectionSettings.defaults()
                      .withCongestion("witness-mx-fair")
                      .withProfile("mx", mx)));
    }

    /** The witnesses of those that were hinted, in the order of their first hint. */
    List<WitnessedPaths> hinted() {
      List<WitnessedPaths> all = new ArrayList<>();
      for (WitnessedPaths each : WitnessedPaths.takeAll()) {
        if (each.firstNs("onHint") != Long.MAX_VALUE) {
          all.add(each);
        }
      }
      all.sort(Comparator.comparingLong(each -> each.firstNs("onHint")));
      return all;
    }

    @Override
    public void close() {
      traffic.close();
      fabric.close();
      witnesses.close();
    }
  }

  private static void assertWithin(double expected, double actual, double part, String what) {
    assertEquals(expected, actual, part * expected, what);
  }

  /** Two round trips after the second sender's first packet both have eta*C/2, within 2%. */
  @Test
  void twoSendersHaveHalfEachAfterTwoRoundTrips() {
    try (Run run = new Run(3)) {
      run.add(1, 1, 0);
      run.add(2, 1, 500_000);
      run.fabric.start();
      run.fabric.runUntilNs(900_000);
      List<WitnessedPaths> both = run.hinted();
      assertEquals(2, both.size());
      assertWithin(ETA * LINE, (double) both.get(0).rateAt(499_000), 0.02, "alone");
      long firstNs = both.get(1).firstNs("onSent");
      for (int rtts = 2; rtts <= 30; rtts++) {
        double first = (double) both.get(0).rateAt(firstNs + rtts * RTT_NS);
        double second = (double) both.get(1).rateAt(firstNs + rtts * RTT_NS);
        assertWithin(0.5, first / (first + second), 0.02, rtts + " RTT");
        // In between both are scaled alike, to drain what their meeting left in the queue.
        if (rtts == 2 || rtts > 20) {
          assertWithin(ETA * LINE / 2, first, 0.02, rtts + " RTT");
          assertWithin(ETA * LINE / 2, second, 0.02, rtts + " RTT");
        }
      }
    }
  }

  /** Weights 1, 2 and 4: eta*C*w/7, within 3%, and so are the bytes that arrive. */
  @Test
  void sharesGoByWeight() {
    try (Run run = new Run(4)) {
      int[] weights = {1, 2, 4};
      for (int i = 0; i < 3; i++) {
        run.add(i + 1, weights[i], i * 20_000L);
      }
      run.fabric.start();
      run.fabric.runUntilNs(1_000_000);
      long[] before = bytes(run);
      run.fabric.runUntilNs(4_000_000);
      long[] after = bytes(run);
      List<WitnessedPaths> all = run.hinted();
      double moved = 0;
      for (int i = 0; i < 3; i++) {
        moved += after[i] - before[i];
      }
      for (int i = 0; i < 3; i++) {
        double share = weights[i] / 7.0;
        double rate = (double) all.get(i).rateAt(4_000_000);
        assertWithin(ETA * LINE * share, rate, 0.03, "weight " + weights[i]);
        assertWithin(share, (after[i] - before[i]) / moved, 0.03, "bytes of " + weights[i]);
      }
    }
  }

  private static long[] bytes(Run run) {
    return run.traffic.flows().stream().mapToLong(flow -> flow.bytesVerified()).toArray();
  }

  /**
   * Nothing comes back for a while: the share halves each max(4*srtt, 100 us) and is forgotten
   * below a sixteenth of the line; what governs then is AIMD, without pacing. When answers come
   * again, so do hints.
   */
  @Test
  void hintsThatExpireLeaveTheConnectionToAimd() {
    try (Run run = new Run(2)) {
      run.add(1, 1, 0);
      run.fabric.start();
      long cutNs = 500_000;
      run.fabric.runUntilNs(cutNs);
      run.fabric.impair("s0>h1", PortImpairment.none().losing(LossRule.independent(1)));
      run.fabric.runUntilNs(1_400_000);
      run.fabric.impair("s0>h1", PortImpairment.none());
      run.fabric.runUntilNs(3_000_000);
      WitnessedPaths sender = run.hinted().get(0);
      long lastHintNs = sender.lastNs("onHint", cutNs + 20_000);
      double share = (double) sender.rateAt(lastHintNs);
      assertWithin(ETA * LINE, share, 0.02, "before");
      for (int life = 1; life <= 4; life++) {
        double rate = (double) sender.rateAt(lastHintNs + life * 100_000L + 50_000);
        if (share / (1 << life) < LINE / 16.0) {
          assertEquals((double) Long.MAX_VALUE, rate, "life " + life);
        } else {
          assertWithin(share / (1 << life), rate, 1e-6, "life " + life);
        }
      }
      Moment last = sender.moments().getLast();
      assertWithin(ETA * LINE, (double) last.rate(), 0.02, "after");
      assertTrue(run.traffic.findings().count() == 0);
    }
  }
}
