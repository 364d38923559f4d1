// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.simulate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.FaultPlan;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.transport.engine.EndpointSettings;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SimulatedRunTest {
  private static final int SEEDS = 60;
  private static final long GBIT = 1_000_000_000;
  private static final long MS = 1_000_000;

  static LongStream seeds() {
    return LongStream.range(0, SEEDS);
  }

  static LongStream foundSeeds() throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                SimulatedRunTest.class.getResourceAsStream("seeds.txt"), StandardCharsets.UTF_8))) {
      List<String> kept = lines.lines().filter(line -> !line.startsWith("#")).toList();
      return kept.stream().mapToLong(line -> Long.parseLong(line.split(" ", 2)[0]));
    }
  }

  private static SimulatedRun.Outcome run(long seed) {
    SimulatedRun.Outcome outcome = SimulatedRun.of(seed, OutputStream.nullOutputStream());
    assertEquals(
        0,
        outcome.findings().count(),
        () -> explain(outcome, RunPlan.draw(new SeededStreams(seed))));
    return outcome;
  }

  private static SimulatedRun.Outcome run(RunPlan plan) {
    SimulatedRun.Outcome outcome = SimulatedRun.of(1, plan, OutputStream.nullOutputStream());
    assertEquals(0, outcome.findings().count(), () -> explain(outcome, plan));
    return outcome;
  }

  private static String explain(SimulatedRun.Outcome outcome, RunPlan plan) {
    return "seed "
        + outcome.seed()
        + ": "
        + outcome.findings().first()
        + "\nplan: "
        + plan
        + "\n"
        + outcome.tail();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyByteArrivesOnceAndInOrderThroughDrawnFaults(long seed) {
    run(seed);
  }

  @ParameterizedTest
  @MethodSource("foundSeeds")
  void seedsThatFoundAFaultOnceStayGood(long seed) {
    run(seed);
  }

  @Test
  void oneSeedGivesTheSameJournalTwice() {
    ByteArrayOutputStream first = new ByteArrayOutputStream();
    ByteArrayOutputStream second = new ByteArrayOutputStream();
    SimulatedRun.Outcome one = SimulatedRun.of(4711, first);
    SimulatedRun.Outcome two = SimulatedRun.of(4711, second);
    assertArrayEquals(first.toByteArray(), second.toByteArray());
    assertEquals(one.digest(), two.digest());
    assertTrue(one.journalLines() > 1_000, one.journalLines() + " lines");
    assertNotEquals(one.digest(), run(4712).digest());
  }

  /** The drawn faults must reach every way to recover, or green seeds say nothing about it. */
  @Test
  void theSeedsReachEveryRecovery() {
    long[] sums = new long[7];
    for (long seed = 0; seed < SEEDS; seed++) {
      SimulatedRun.Recovery recovery = run(seed).recovery();
      sums[0] += recovery.retransmissions();
      sums[1] += recovery.timeouts();
      sums[2] += recovery.sequenceNaks();
      sums[3] += recovery.rnrNaks();
      sums[4] += recovery.impliedNaks();
      sums[5] += recovery.duplicateRequests();
      sums[6] += recovery.icrcErrors();
    }
    for (long sum : sums) {
      assertTrue(sum > SEEDS, Arrays.toString(sums));
    }
  }

  private static RunPlan plan(LinkSettings link, FlowSettings load, long healNs) {
    return new RunPlan(
        new FaultPlan(link, link, 0, List.of(), healNs),
        new SimPortSettings(4_224, 8, 8_192, 64, true, false, 1),
        EndpointSettings.defaults(),
        ConnectionSettings.defaults(),
        load,
        1,
        0,
        false);
  }

  @Test
  void aPerfectLinkNeedsNoRecovery() {
    LinkSettings link = LinkSettings.perfect(100 * GBIT, 2_000, 1 << 20);
    FlowSettings load = FlowSettings.mixed(SizeMix.between(0, 1 << 20), 8).limitedTo(200);
    SimulatedRun.Outcome outcome = run(plan(link, load, 1));
    assertEquals(
        new SimulatedRun.Recovery(0, 0, 0, 0, 0, 0, 0), outcome.recovery(), "nothing to recover");
    assertEquals(0, outcome.network().discarded);
  }

  @Test
  void requestsAreNotStarvedByReadResponsesOnASlowPort() {
    // One packet of room at a time; eight READ responses take 67 ms, the ACK timeout is 8 ms.
    LinkSettings link = LinkSettings.perfect(GBIT, 1_000, 4_300);
    FlowSettings load =
        FlowSettings.mixed(SizeMix.between(1 << 20, 1 << 20), 8).withShares(0, 1, 3).limitedTo(12);
    RunPlan plan = plan(link, load, 1);
    RunPlan patient =
        new RunPlan(
            plan.faults(),
            plan.port(),
            plan.engine(),
            plan.connection().withTimeout(11, 7),
            load,
            1,
            0,
            false);
    assertEquals(0, run(patient).recovery().timeouts());
  }

  @Test
  void anEmptyReceiveQueueIsWaitedFor() {
    LinkSettings link = LinkSettings.perfect(100 * GBIT, 20_000, 1 << 20);
    FlowSettings load =
        FlowSettings.mixed(SizeMix.between(1, 100), 16)
            .withShares(1, 0, 0)
            .withReceives(1)
            .takingReceivesAfter(200_000)
            .limitedTo(100);
    RunPlan plan = plan(link, load, 1);
    RunPlan withoutCredits =
        new RunPlan(
            plan.faults(),
            plan.port(),
            plan.engine().withEndToEndCredits(false),
            plan.connection(),
            load,
            1,
            0,
            true);
    SimulatedRun.Outcome outcome = run(withoutCredits);
    assertTrue(outcome.recovery().rnrNaks() > 0, outcome.recovery().toString());
  }

  @Test
  void aBlackoutShorterThanTheRetriesIsSurvived() {
    LinkSettings link = LinkSettings.perfect(10 * GBIT, 5_000, 1 << 18);
    FlowSettings load = FlowSettings.mixed(SizeMix.between(1, 1 << 16), 8).limitedTo(200);
    RunPlan plan = plan(link, load, 10 * MS);
    FaultPlan.Blackout blackout = new FaultPlan.Blackout(MS / 2, 6 * MS, true, true);
    RunPlan dark =
        new RunPlan(
            new FaultPlan(link, link, 0, List.of(blackout), 10 * MS),
            plan.port(),
            plan.engine(),
            plan.connection(),
            load,
            1,
            0,
            false);
    SimulatedRun.Outcome outcome = run(dark);
    assertTrue(outcome.recovery().timeouts() >= 4, outcome.recovery().toString());
    assertTrue(outcome.network().discarded > 0, "the link was down");
  }

  @Test
  void lossOfAcknowledgementsAloneIsSurvived() {
    LinkSettings clean = LinkSettings.perfect(25 * GBIT, 5_000, 1 << 18);
    LinkSettings lossy = clean.with(Impairment.none().withLoss(0.2));
    FlowSettings load =
        FlowSettings.mixed(SizeMix.between(1, 1 << 14), 1).withShares(1, 1, 0).limitedTo(60);
    RunPlan plan = plan(clean, load, 400 * MS);
    RunPlan deaf =
        new RunPlan(
            new FaultPlan(clean, lossy, 0, List.of(), 400 * MS),
            plan.port(),
            plan.engine(),
            plan.connection(),
            load,
            2,
            0,
            false);
    SimulatedRun.Outcome outcome = run(deaf);
    assertTrue(outcome.recovery().duplicateRequests() > 10, outcome.recovery().toString());
  }
}
