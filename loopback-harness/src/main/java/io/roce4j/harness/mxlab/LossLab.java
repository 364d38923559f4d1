// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.impair.GilbertElliottLoss;
import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.random.SeededStreams;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;

/** {@code mx-loss}: what is left of the goodput under losses of all kinds, RC go-back-N beside. */
final class LossLab implements MxLab {
  private static final int PACKETS = 20_000;
  private static final int PACKETS_LEAST = 4_000;
  private static final int PACKETS_LEAST_BURSTS = 14_000;
  private static final double[] LOSSES = {0.001, 0.01, 0.05, 0.10};
  private static final double[] LEAST_1 = {0.98, 0.97, 0.93, 0.88};
  private static final double[] LOSSES_8 = {0.01, 0.05, 0.10};
  private static final double[] LEAST_8 = {0.95, 0.88, 0.80};
  private static final double[] AIM_8 = {0.98, 0.93, 0.88};
  private static final double BURST_LOSS = 0.01;

  @Override
  public String name() {
    return "mx-loss";
  }

  @Override
  public String about() {
    return "What MX keeps of its goodput when packets are lost alone, in bursts, or in the"
        + " answers.";
  }

  @Override
  public String setting() {
    return "2 hosts, 1 link of 100 Gbit/s each way, 4 KiB packets, trains of 1, tracker 2048;"
        + " fractions of the goodput without loss";
  }

  @Override
  public List<LabCase> run(LabSize size, Consumer<LabCase> done) {
    List<LabCase> cases = new ArrayList<>();
    Consumer<LabCase> take =
        each -> {
          cases.add(each);
          done.accept(each);
        };
    int packets = size.scaled(PACKETS, PACKETS_LEAST);
    for (int bdp : new int[] {30, 120}) {
      onePath(size, packets, bdp, take);
    }
    eightPaths(size, packets, take);
    bursts(size, size.scaled(PACKETS, PACKETS_LEAST_BURSTS), take);
    answers(size, packets, take);
    return cases;
  }

  private static OneLink mx(int bdp, int paths, String congestion, int packets) {
    return new OneLink(
        bdp, "mx", paths, congestion, packets, OneLink::never, false, OneLink::never);
  }

  private static OneLink with(OneLink link, Function<SeededStreams, LossModel> loss) {
    return with(link, loss, false);
  }

  private static OneLink with(
      OneLink link, Function<SeededStreams, LossModel> loss, boolean perPath) {
    return new OneLink(
        link.bdpPackets(),
        link.transport(),
        link.paths(),
        link.congestion(),
        link.packets(),
        loss,
        perPath,
        link.reverseLoss());
  }

  private static double goodput(LabSize size, OneLink link) {
    return Seeds.mean(size, seed -> link.run(seed).payloadBitsPerSecond());
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.4g%%", 100 * share);
  }

  private static void onePath(LabSize size, int packets, int bdp, Consumer<LabCase> take) {
    OneLink clean = mx(bdp, 1, "none", packets);
    OneLink rc = new OneLink(bdp, "rc", 1, "none", packets, OneLink::never, false, OneLink::never);
    double free = goodput(size, clean);
    double rcFree = goodput(size, rc);
    long[] faults = new long[2];
    for (int i = 0; i < LOSSES.length; i++) {
      Function<SeededStreams, LossModel> loss = OneLink.independent(LOSSES[i]);
      double kept =
          Seeds.mean(
                  size,
                  seed -> {
                    OneLink.Result result = with(clean, loss).run(seed);
                    faults[0] += result.spurious();
                    faults[1] += result.timeouts();
                    return result.payloadBitsPerSecond();
                  })
              / free;
      double rcKept = goodput(size, with(rc, loss)) / rcFree;
      take.accept(
          LabCase.atLeast(
              "1 path, RTT " + bdp + " packets, loss " + percent(LOSSES[i]),
              kept,
              LEAST_1[i],
              1 - LOSSES[i],
              "rc " + LabCase.number(rcKept)));
    }
    String where = "1 path, RTT " + bdp + " packets: ";
    take.accept(LabCase.atMost(where + "spurious retransmissions", (double) faults[0], 0, 0, ""));
    take.accept(
        LabCase.atMost(where + "timeouts away from the tail", (double) faults[1], 0, 0, ""));
  }

  private static void eightPaths(LabSize size, int packets, Consumer<LabCase> take) {
    OneLink clean = mx(60, 8, "mx-fair", packets);
    double free = goodput(size, clean);
    for (int i = 0; i < LOSSES_8.length; i++) {
      double kept = goodput(size, with(clean, OneLink.independent(LOSSES_8[i]))) / free;
      take.accept(
          LabCase.atLeast(
              "8 paths mx-fair, BDP 60, loss " + percent(LOSSES_8[i]),
              kept,
              LEAST_8[i],
              AIM_8[i],
              ""));
    }
  }

  /** Packet-clocked: on the link, where a burst hits all paths, and on each path for itself. */
  private static void bursts(LabSize size, int packets, Consumer<LabCase> take) {
    for (int paths : new int[] {1, 8}) {
      OneLink clean = mx(60, paths, paths == 1 ? "none" : "mx-fair", packets);
      double free = goodput(size, clean);
      double alone = goodput(size, with(clean, OneLink.independent(BURST_LOSS))) / free;
      for (int burst : new int[] {8, 32}) {
        String name = paths + " paths, bursts of " + burst + " at 1%";
        take.accept(burst(size, name, with(clean, bursts(burst)), free, alone));
        if (paths > 1) {
          OneLink each = with(clean, bursts(burst), true);
          take.accept(burst(size, name + " on each for itself", each, free, alone));
        }
      }
    }
  }

  /** How many points bursts cost beyond single losses. */
  private static LabCase burst(
      LabSize size, String name, OneLink lossy, double free, double alone) {
    double[] lost = new double[1];
    double kept =
        Seeds.mean(
                size,
                seed -> {
                  OneLink.Result result = lossy.run(seed);
                  lost[0] += result.lossShare() / size.seeds();
                  return result.payloadBitsPerSecond();
                })
            / free;
    // Few bursts scatter: both are judged by what the link truly lost.
    double behind = alone / (1 - BURST_LOSS) - kept / (1 - lost[0]);
    return LabCase.atMost(
        name + ": behind single losses",
        behind,
        0.03,
        0.01,
        "kept "
            + LabCase.number(kept)
            + ", single "
            + LabCase.number(alone)
            + ", lost "
            + percent(lost[0]));
  }

  private static Function<SeededStreams, LossModel> bursts(int mean) {
    double toGood = 1.0 / mean;
    double toBad = toGood * BURST_LOSS / (1 - BURST_LOSS);
    return streams -> new GilbertElliottLoss(toBad, toGood, 1, 0, streams.stream("bursts"));
  }

  private static void answers(LabSize size, int packets, Consumer<LabCase> take) {
    OneLink clean = mx(60, 8, "mx-fair", packets);
    OneLink lossy =
        new OneLink(
            60, "mx", 8, "mx-fair", packets, OneLink::never, false, OneLink.independent(0.5));
    double kept = goodput(size, lossy) / goodput(size, clean);
    take.accept(LabCase.atLeast("8 paths mx-fair, half of the answers lost", kept, 0.95, 0.99, ""));
  }
}
