// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.report;

import io.roce4j.harness.lab.scenario.Claim;
import io.roce4j.harness.lab.scenario.Metric;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether a claim was kept.
 *
 * @param claim what the scenario says
 * @param measured the metric, mean over the seeds
 * @param limit what it was held against
 * @param holds whether it was kept
 */
public record ClaimVerdict(Claim claim, double measured, double limit, boolean holds) {
  /**
   * Judges claims. Those about schemes that did not run are left out.
   *
   * @param claims of the scenario
   * @param summaries of the schemes that ran
   * @return a verdict for each claim that can be judged
   */
  public static List<ClaimVerdict> judge(List<Claim> claims, List<SchemeSummary> summaries) {
    List<ClaimVerdict> verdicts = new ArrayList<>();
    for (Claim claim : claims) {
      SchemeSummary own = find(summaries, claim.scheme());
      SchemeSummary other = claim.than() == null ? own : find(summaries, claim.than());
      if (own == null || other == null) {
        continue;
      }
      double measured = own.mean(claim.metric());
      double limit =
          claim.than() == null ? claim.value() : claim.value() * other.mean(claim.metric());
      verdicts.add(new ClaimVerdict(claim, measured, limit, claim.holds(measured, limit)));
    }
    return verdicts;
  }

  private static SchemeSummary find(List<SchemeSummary> summaries, String name) {
    return summaries.stream()
        .filter(summary -> summary.scheme().name().equals(name))
        .findFirst()
        .orElse(null);
  }

  @Override
  public String toString() {
    return (holds ? "pass   " : "SHORT  ")
        + claim
        + " (measured "
        + Metric.number(measured)
        + (claim.than() == null ? "" : ", bound " + Metric.number(limit))
        + ")";
  }
}
