// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import io.roce4j.harness.lab.scenario.TrafficPlan;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.engine.EndpointSettings;

/** What runs of a scenario have in common, whatever time they run in. */
public final class RunParts {
  private RunParts() {}

  private static LabRun run(Scenario scenario, Scheme scheme) {
    return new LabRun(scenario, scheme, 0, false, () -> false, null);
  }

  /**
   * How the endpoints behave.
   *
   * @param scenario that runs
   * @param scheme one of its schemes
   * @return settings of all endpoints
   */
  public static EndpointSettings engine(Scenario scenario, Scheme scheme) {
    return run(scenario, scheme).engine();
  }

  /**
   * What a flow sends.
   *
   * @param scenario that runs
   * @param scheme one of its schemes
   * @param flow one of its flows
   * @return messages and connection
   */
  public static WritePlan plan(Scenario scenario, Scheme scheme, TrafficPlan.Flow flow) {
    return run(scenario, scheme).plan(flow);
  }

  /**
   * The books of a fabric.
   *
   * @param fabric as it stands
   * @return its packets
   */
  public static Books books(Fabric fabric) {
    return LabRun.books(fabric);
  }

  /**
   * Figures of the switches.
   *
   * @param fabric as it stands
   * @return queues, marks and pauses
   */
  public static RunResult.FabricFigures figures(Fabric fabric) {
    return LabRun.figures(fabric);
  }
}
