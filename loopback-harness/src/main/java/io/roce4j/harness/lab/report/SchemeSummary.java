// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.report;

import io.roce4j.harness.lab.run.RunResult;
import io.roce4j.harness.lab.run.Statistics;
import io.roce4j.harness.lab.scenario.Metric;
import io.roce4j.harness.lab.scenario.Scheme;
import java.util.ArrayList;
import java.util.List;

/**
 * The runs of a scheme together.
 *
 * @param scheme that ran
 * @param runs one for each seed
 */
public record SchemeSummary(Scheme scheme, List<RunResult> runs) {
  /** Copies the list. */
  public SchemeSummary {
    runs = List.copyOf(runs);
  }

  /**
   * Puts runs together by scheme.
   *
   * @param schemes of the scenario
   * @param results of all runs
   * @return one summary for each scheme that has a run
   */
  public static List<SchemeSummary> of(List<Scheme> schemes, List<RunResult> results) {
    List<SchemeSummary> summaries = new ArrayList<>();
    for (Scheme scheme : schemes) {
      List<RunResult> own = results.stream().filter(run -> run.scheme().equals(scheme)).toList();
      if (!own.isEmpty()) {
        summaries.add(new SchemeSummary(scheme, own));
      }
    }
    return summaries;
  }

  /**
   * A metric.
   *
   * @param metric which
   * @return the mean over the seeds; NaN when a seed has none
   */
  public double mean(Metric metric) {
    return Statistics.mean(runs.stream().mapToDouble(run -> run.value(metric)).toArray());
  }
}
