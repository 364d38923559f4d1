// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** {@code mx-planes}: goodput over 1, 2, 4 and 8 planes. */
final class PlanesLab implements MxLab {
  private static final int[] PLANES = {1, 2, 4, 8};
  private static final int MESSAGE = 1 << 20;
  private static final int SHORT_MESSAGE = 128 << 10;
  private static final int MESSAGES_A_PLANE = 12;
  private static final int DEPTH_A_PLANE = 4;
  private static final int PATHS_A_PLANE = 4;
  private static final long BASE_RTT_NS = 10_000;
  private static final int TRACKER_UNITS = 64;

  /** 8 planes of 30 packets of bandwidth-delay product, 8 times over. */
  private static final int DEATH_TRACKER_UNITS = 16;

  /** A path is given up after 3 PTOs, at least 100 us. */
  private static final double DETECTION_NS = 100_000;

  @Override
  public String name() {
    return "mx-planes";
  }

  @Override
  public String about() {
    return "One flow over 1, 2, 4 and 8 planes: goodput grows with them.";
  }

  @Override
  public String setting() {
    return "2 hosts, a switch a plane, 100 Gbit/s a plane, base RTT 10 us, "
        + PATHS_A_PLANE
        + " paths a plane mx-fair, tracker "
        + TRACKER_UNITS * 128;
  }

  @Override
  public List<LabCase> run(LabSize size, Consumer<LabCase> done) {
    List<LabCase> cases = new ArrayList<>();
    double one = 0;
    for (int planes : PLANES) {
      double rate = Seeds.mean(size, seed -> run(planes, size, seed));
      one = planes == 1 ? rate : one;
      double perPlane = rate / planes / one;
      String beside = LabCase.number(rate / 1e9) + " Gbit/s";
      LabCase each =
          planes == 1
              ? LabCase.shown("1 plane: payload over line rate", rate / FabricRun.LINE, beside)
              : LabCase.atLeast(
                  planes + " planes: of " + planes + " times one", perPlane, 0.97, 0.99, beside);
      cases.add(each);
      done.accept(each);
    }
    death(size)
        .forEach(
            each -> {
              cases.add(each);
              done.accept(each);
            });
    return cases;
  }

  /** What is left when one of eight planes dies in mid-transfer, and how long it takes. */
  private static List<LabCase> death(LabSize size) {
    double[] sums = new double[2];
    for (int i = 0; i < size.seeds(); i++) {
      double[] one =
          PlaneDeath.run(fabric(8, DEATH_TRACKER_UNITS), SHORT_MESSAGE, size.firstSeed() + i);
      sums[0] += one[0] / size.seeds();
      sums[1] += one[1] / size.seeds();
    }
    return List.of(
        LabCase.atLeast("8 planes, one dies: of the full rate after", sums[0], 0.84, 0.87, ""),
        LabCase.atMost(
            "8 planes, one dies: us until that rate",
            sums[1] / 1e3,
            (DETECTION_NS + 5.0 * BASE_RTT_NS) / 1e3,
            DETECTION_NS / 1e3,
            "detection 100 us, 5 RTT"));
  }

  private static double run(int planes, LabSize size, long seed) {
    int messages = size.scaled(MESSAGES_A_PLANE, 4) * planes;
    return fabric(planes, TRACKER_UNITS)
        .run(
            seed,
            MESSAGE,
            (traffic, connection) ->
                traffic.add(
                    0, 1, FabricRun.plan(MESSAGE, messages, DEPTH_A_PLANE * planes, connection)))
        .mean();
  }

  private static FabricRun fabric(int planes, int trackerUnits) {
    Cable cable = new Cable(FabricRun.LINE, 2_000);
    return new FabricRun(
        Topologies.multiPlane(planes, 1, 2, 1, cable, cable),
        FabricRun.marking(),
        FabricRun.virtualTime(PATHS_A_PLANE * planes)
            .withPlanes(planes)
            .withTrackerUnits(trackerUnits),
        "mx-fair",
        BASE_RTT_NS);
  }
}
