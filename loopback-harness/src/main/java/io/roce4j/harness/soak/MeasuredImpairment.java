// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.measure.Throughput;
import java.util.Locale;

/**
 * What really happened to the packets of a run, from its first to its last, and whether that is
 * what was configured [FC-56].
 *
 * <p>Loss, corruption and, within one process, reordering are what the receiving ends saw: packets
 * the engines sent and the ports of the other end never received, packets refused as damaged, and
 * packets that later ones overtook. What full sockets of this host dropped is no impairment and is
 * reported apart, and so are datagrams of strangers. Duplication is what the impairments counted of
 * packets that the engines had sent through them; were it not so, the loss would not be right.
 *
 * @param loss share of the packets sent that were not received
 * @param reorder share of the packets that later ones overtook
 * @param duplicate share of the packets not lost that were sent twice
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
  /** A delay may be late by this much at most because threads are. */
  static final long SCHEDULING_NS = 50_000;

  /**
   * Judges a run that is over.
   *
   * @param configured what was wanted
   * @param counts what the impairments of both ends counted
   * @param order of what arrived
   * @param inside packets still held by the impairments
   * @param total counters of both endpoints over the whole run
   */
  static MeasuredImpairment of(
      Impairment configured,
      ImpairmentCounts counts,
      LinkOrder order,
      long inside,
      CounterSnapshot total) {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    long sent = total.enginePackets();
    long received = total.rxPackets() - total.strangers();
    long missing = sent + counts.duplicated - inside - received;
    long lost = Math.max(0, missing - total.socketOverflow());
    judgeLoss(verdict, configured.loss(), lost, missing, total);
    // A packet that vanishes has no other fate.
    long passed = counts.offered - counts.lost;
    verdict.judge("reorder", configured.reorder(), order.overtaken(), order.arrived());
    verdict.judge("duplicate", configured.duplicate(), counts.duplicated, passed);
    // The endpoints refuse whatever strangers send; only the rest was damaged on the link.
    long damaged = Math.max(0, total.refused() - total.strangers());
    verdict.judge("corrupt", configured.corrupt(), damaged, received);
    double delayNs = Throughput.mean(counts.delayNsSum, counts.delayed);
    judgeDelay(verdict, configured.delayNs(), delayNs, counts, passed - inside);
    if (configured.loss() > 0 && total.retransmissions() == 0) {
      verdict.fail("loss was configured but nothing was retransmitted");
    }
    return new MeasuredImpairment(
        ImpairmentVerdict.share(lost, sent),
        ImpairmentVerdict.share(order.overtaken(), order.arrived()),
        ImpairmentVerdict.share(counts.duplicated, passed),
        ImpairmentVerdict.share(damaged, received),
        delayNs,
        verdict);
  }

  /** Whose packets a full socket dropped nobody knows; beside strangers both answers must do. */
  private static void judgeLoss(
      ImpairmentVerdict verdict,
      double configured,
      long lost,
      long missing,
      CounterSnapshot total) {
    long sent = total.enginePackets();
    if (total.strangers() > 0
        && total.socketOverflow() > 0
        && configured > 0
        && !ImpairmentVerdict.isWithin(configured, missing, sent)) {
      verdict.fail(
          String.format(
              Locale.ROOT,
              "loss cannot be told: full sockets dropped %,d packets while %,d datagrams of"
                  + " strangers came to the ports; keep others off them",
              total.socketOverflow(),
              total.strangers()));
      return;
    }
    verdict.judge("loss", configured, lost, sent);
  }

  /** Threads are late; what a delay may be late for that is what they were, and has a limit. */
  private static void judgeDelay(
      ImpairmentVerdict verdict,
      long configuredNs,
      double measuredNs,
      ImpairmentCounts counts,
      long passed) {
    if (configuredNs == 0) {
      return;
    }
    double tolerance = ImpairmentVerdict.TOLERANCE * configuredNs;
    double lateNs = Math.min(SCHEDULING_NS, Throughput.mean(counts.lateNsSum, counts.delayed));
    if (measuredNs < configuredNs - tolerance || measuredNs > configuredNs + tolerance + lateNs) {
      verdict.fail(
          String.format(
              Locale.ROOT,
              "delay %s was configured but measured %s, off by more than 10%% beyond scheduling"
                  + " (at most %s)",
              TimeSpan.format((double) configuredNs),
              TimeSpan.format(measuredNs),
              TimeSpan.format(lateNs)));
    }
    if (counts.delayed < passed * (1 - ImpairmentVerdict.TOLERANCE)) {
      verdict.fail(
          String.format(
              Locale.ROOT,
              "delay %s was configured for every packet, but only %,d of %,d were delayed",
              TimeSpan.format((double) configuredNs),
              counts.delayed,
              passed));
    }
  }
}
