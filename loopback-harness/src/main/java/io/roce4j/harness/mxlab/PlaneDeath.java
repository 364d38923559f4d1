// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricFaults;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.workload.WriteFlow;

/** The death of one plane under a saturated flow, watched sample by sample. */
final class PlaneDeath {
  private static final int DEPTH = 512;
  private static final long FULL_FROM_NS = 300_000;
  private static final long DEATH_NS = 1_000_000;
  private static final long SETTLED_NS = 400_000;
  private static final long AFTER_NS = 1_000_000;
  private static final long SAMPLE_NS = 10_000;

  private static final double RECOVERED = 0.84;

  private PlaneDeath() {}

  /**
   * Runs one seed.
   *
   * @return the rate after the death over the full one, and ns from the death until as much is
   *     delivered again
   */
  static double[] run(FabricRun run, int messageBytes, long seed) {
    return run.drive(
        seed,
        messageBytes,
        (traffic, connection) ->
            traffic.add(0, 1, FabricRun.plan(messageBytes, Long.MAX_VALUE, DEPTH, connection)),
        (fabric, traffic) -> watch(run, seed, fabric, traffic));
  }

  private static double[] watch(FabricRun run, long seed, Fabric fabric, FabricTraffic traffic) {
    WriteFlow flow = traffic.flows().getFirst();
    fabric.faults().blackHole("p3.leaf0", DEATH_NS, FabricFaults.NEVER);
    fabric.start();
    fabric.runUntilNs(FULL_FROM_NS);
    long start = flow.bytesVerified();
    fabric.runUntilNs(DEATH_NS);
    double full = (double) (flow.bytesVerified() - start) / (DEATH_NS - FULL_FROM_NS);
    double recoveredNs = recovery(fabric, flow, full);
    fabric.runUntilNs(DEATH_NS + SETTLED_NS);
    long settled = flow.bytesVerified();
    fabric.runUntilNs(DEATH_NS + SETTLED_NS + AFTER_NS);
    double after = (double) (flow.bytesVerified() - settled) / AFTER_NS;
    run.check(seed, traffic, true);
    return new double[] {after / full, recoveredNs};
  }

  /**
   * From when on as much has been delivered since the death as seven planes carry: messages
   * complete in order, so those behind the lost packets come late and all at once.
   */
  private static double recovery(Fabric fabric, WriteFlow flow, double full) {
    long bytes = flow.bytesVerified();
    long behindNs = 0;
    for (long sinceNs = SAMPLE_NS; sinceNs <= SETTLED_NS; sinceNs += SAMPLE_NS) {
      fabric.runUntilNs(DEATH_NS + sinceNs);
      if (flow.bytesVerified() - bytes < RECOVERED * full * sinceNs) {
        behindNs = sinceNs;
      }
    }
    return (double) behindNs + SAMPLE_NS;
  }
}
