// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** {@code mx-incast}: many hosts send to one at the same instant. */
final class IncastLab implements MxLab {
  private static final int[] SENDERS = {8, 32, 64};
  private static final int JAIN_UP_TO = 32;
  private static final int MESSAGE = 1 << 20;
  private static final int PATHS = 8;
  private static final long BASE_RTT_NS = 10_000;

  /** Headers of an MX WRITE packet on the wire, gap included. */
  private static final int OVERHEAD = 12 + 16 + 8 + 16 + 4 + 28 + 38;

  @Override
  public String name() {
    return "mx-incast";
  }

  @Override
  public String about() {
    return "8, 32 and 64 hosts send 1 MiB each to one at the same instant; the receiver's hints.";
  }

  @Override
  public String setting() {
    return "1 switch, 100 Gbit/s, base RTT 10 us, buffer 2 MB, "
        + PATHS
        + " paths mx-fair; last completion over ideal";
  }

  @Override
  public List<LabCase> run(LabSize size, Consumer<LabCase> done) {
    List<LabCase> cases = new ArrayList<>();
    for (int senders : SENDERS) {
      if (senders > size.scaled(64, 8)) {
        continue;
      }
      double[] sums = new double[3];
      for (int i = 0; i < size.seeds(); i++) {
        FabricRun.Result result = run(senders, size.firstSeed() + i);
        sums[0] += result.lastNs() / idealNs(senders) / size.seeds();
        sums[1] += result.jain() / size.seeds();
        sums[2] += (double) result.drops() / size.seeds();
      }
      String beside = String.format(Locale.ROOT, "%,.0f packets dropped", sums[2]);
      add(cases, done, LabCase.atMost(senders + ":1 last", sums[0], 1.07, 1.03, beside));
      String jain = senders + ":1 Jain's index";
      add(
          cases,
          done,
          senders <= JAIN_UP_TO
              ? LabCase.atLeast(jain, sums[1], 0.999, 0.999, "")
              : LabCase.shown(jain, sums[1], ""));
    }
    return cases;
  }

  private static void add(List<LabCase> cases, Consumer<LabCase> done, LabCase each) {
    cases.add(each);
    done.accept(each);
  }

  private static double idealNs(int senders) {
    int packets = MESSAGE / FabricRun.MTU;
    double wire = (FabricRun.MTU + OVERHEAD) * 8e9 / FabricRun.LINE;
    return senders * packets * wire + BASE_RTT_NS;
  }

  private static FabricRun.Result run(int senders, long seed) {
    Cable cable = new Cable(FabricRun.LINE, 2_000);
    FabricRun fabric =
        new FabricRun(
            Topologies.single(senders + 1, cable),
            FabricRun.marking(),
            FabricRun.virtualTime(PATHS),
            "mx-fair",
            BASE_RTT_NS);
    return fabric.run(
        seed,
        MESSAGE,
        (traffic, connection) -> {
          for (int host = 1; host <= senders; host++) {
            traffic.add(host, 0, FabricRun.plan(MESSAGE, 1, 1, connection));
          }
        });
  }
}
