// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import io.roce4j.harness.cli.ToolException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs the benchmarks that some comparisons need, round by round: machines change speed, so only
 * times of the same round are compared, and of a round's iterations the best, for what else runs on
 * the machine can only add to the time.
 */
final class Rounds {
  private static final String PACKAGE = "io.roce4j.benchmarks.";
  private static final String ALLOCATION = "gc.alloc.rate.norm";
  private static final int ITERATIONS = 10;
  private static final TimeValue ITERATION = TimeValue.milliseconds(150);

  private final List<Comparison> comparisons;
  private final CommandLineOptions jmhOptions;
  private final PrintWriter progress;

  Rounds(List<Comparison> comparisons, CommandLineOptions jmhOptions, PrintWriter progress) {
    this.comparisons = comparisons;
    this.jmhOptions = jmhOptions;
    this.progress = progress;
  }

  List<Measurement> run(int rounds) {
    List<Measurement> measurements = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      progress.println("bench: round " + (round + 1) + " of " + rounds);
      try {
        for (RunResult result : runOnce()) {
          measurements.add(measurement(round, result));
        }
      } catch (RunnerException e) {
        throw ToolException.machine(
            "JMH stopped: " + e.getMessage() + "; './roce4j bench --jmh' shows its output", e);
      }
    }
    return measurements;
  }

  private Collection<RunResult> runOnce() throws RunnerException {
    ChainedOptionsBuilder options = new OptionsBuilder().parent(jmhOptions);
    Set<String> names = new TreeSet<>();
    for (Comparison comparison : comparisons) {
      names.add(comparison.subject());
      names.add(comparison.yardstick());
    }
    for (String name : names) {
      options.include("^" + Pattern.quote(PACKAGE + name) + "$");
    }
    options.addProfiler(GCProfiler.class).shouldFailOnError(true);
    if (!jmhOptions.verbosity().hasValue()) {
      options.verbosity(VerboseMode.SILENT);
    }
    if (!jmhOptions.getForkCount().hasValue()) {
      options.forks(1);
    }
    if (!jmhOptions.getWarmupIterations().hasValue()) {
      options.warmupIterations(ITERATIONS);
    }
    if (!jmhOptions.getWarmupTime().hasValue()) {
      options.warmupTime(ITERATION);
    }
    if (!jmhOptions.getMeasurementIterations().hasValue()) {
      options.measurementIterations(ITERATIONS);
    }
    if (!jmhOptions.getMeasurementTime().hasValue()) {
      options.measurementTime(ITERATION);
    }
    return new Runner(options.build()).run();
  }

  private static Measurement measurement(int round, RunResult result) {
    BenchmarkParams params = result.getParams();
    String parameters =
        params.getParamsKeys().stream()
            .sorted()
            .map(key -> key + "=" + params.getParam(key))
            .collect(Collectors.joining(","));
    Result<?> allocation = result.getSecondaryResults().get(ALLOCATION);
    return new Measurement(
        round,
        params.getBenchmark().substring(PACKAGE.length()),
        parameters,
        result.getPrimaryResult().getStatistics().getMin(),
        allocation == null ? 0 : allocation.getScore());
  }
}
