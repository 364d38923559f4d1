// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.measure.Throughput;

/**
 * What really happened to the packets of a run, from its first to its last, and whether that is
 * what was configured [FC-56].
 *
 * <p>Loss and corruption are what the receiving ends saw: packets the engines sent and the ports of
 * the other end never received, and packets refused as damaged. What full sockets of this host
 * dropped is no impairment and is reported apart. Duplication and reordering are what the
 * impairments counted of packets that the engines had sent through them.
 *
 * @param loss share of the packets sent that were not received
 * @param reorder share of the packets that later ones overtook
 * @param duplicate share of the packets that were sent twice
 * @param corrupt share of the packets received that were damaged
 * @param delayNs mean time that packets were held back on purpose
 * @param verdict whether it agrees with what was configured
 */
record MeasuredImpairment(
    double loss,
    double reorder,
    double duplicate,
    double corrupt,
    double delayNs,
    ImpairmentVerdict verdict) {
  /** A delay may be late by this much because threads are. */
  private static final double SCHEDULING_NS = 50_000;

  /**
   * Judges a run that is over.
   *
   * @param configured what was wanted
   * @param counts what the impairments of both ends counted
   * @param inside packets still held by them
   * @param total counters of both endpoints over the whole run
   */
  static MeasuredImpairment of(
      Impairment configured, ImpairmentCounts counts, long inside, CounterSnapshot total) {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    long sent = total.enginePackets();
    long received = total.rxPackets();
    long missing = sent + counts.duplicated - inside - received - total.socketOverflow();
    long lost = Math.max(0, missing);
    verdict.judge("loss", configured.loss(), lost, sent);
    judgeReorder(verdict, configured, counts);
    verdict.judge("duplicate", configured.duplicate(), counts.duplicated, counts.offered);
    verdict.judge("corrupt", configured.corrupt(), total.refused(), received);
    double delayNs = Throughput.mean(counts.delayNsSum, counts.delayed);
    judgeDelay(verdict, configured.delayNs(), delayNs);
    if (configured.loss() > 0 && total.retransmissions() == 0) {
      verdict.fail("loss was configured but nothing was retransmitted");
    }
    return new MeasuredImpairment(
        ImpairmentVerdict.share(lost, sent),
        ImpairmentVerdict.share(counts.displaced, counts.offered),
        ImpairmentVerdict.share(counts.duplicated, counts.offered),
        ImpairmentVerdict.share(total.refused(), received),
        delayNs,
        verdict);
  }

  /**
   * A packet that waited for others to overtake it, in vain because its path paused, was drawn like
   * any other: it counts as hit. Only what was truly overtaken proves that the impairment acts.
   */
  private static void judgeReorder(
      ImpairmentVerdict verdict, Impairment configured, ImpairmentCounts counts) {
    long hits = counts.displaced == 0 ? 0 : counts.displaced + counts.unfollowed;
    verdict.judge("reorder", configured.reorder(), hits, counts.offered);
  }

  private static void judgeDelay(ImpairmentVerdict verdict, long configuredNs, double measuredNs) {
    if (configuredNs == 0) {
      return;
    }
    double tolerance = 0.1 * configuredNs;
    if (measuredNs < configuredNs - tolerance
        || measuredNs > configuredNs + tolerance + SCHEDULING_NS) {
      verdict.fail(
          "delay "
              + configuredNs
              + " ns was configured but measured "
              + Math.round(measuredNs)
              + " ns, off by more than 10% beyond scheduling");
    }
  }
}
