// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** {@code mx-planes}: goodput over 1, 2, 4 and 8 planes. */
final class PlanesLab implements MxLab {
  private static final int[] PLANES = {1, 2, 4, 8};
  private static final int MESSAGE = 1 << 20;
  private static final int MESSAGES_A_PLANE = 12;
  private static final int DEPTH_A_PLANE = 4;
  private static final int PATHS_A_PLANE = 4;
  private static final long BASE_RTT_NS = 10_000;
  private static final int TRACKER_UNITS = 64;

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
    return cases;
  }

  private static double run(int planes, LabSize size, long seed) {
    Cable cable = new Cable(FabricRun.LINE, 2_000);
    FabricRun fabric =
        new FabricRun(
            Topologies.multiPlane(planes, 1, 2, 1, cable, cable),
            FabricSettings.defaults(),
            FabricRun.virtualTime(PATHS_A_PLANE * planes)
                .withPlanes(planes)
                .withTrackerUnits(TRACKER_UNITS),
            "mx-fair",
            BASE_RTT_NS);
    int messages = size.scaled(MESSAGES_A_PLANE, 4) * planes;
    return fabric
        .run(
            seed,
            MESSAGE,
            (traffic, connection) ->
                traffic.add(
                    0, 1, FabricRun.plan(MESSAGE, messages, DEPTH_A_PLANE * planes, connection)),
            null)
        .mean();
  }
}
