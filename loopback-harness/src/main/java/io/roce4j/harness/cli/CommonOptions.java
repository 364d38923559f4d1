// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.SplittableRandom;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options every tool with a seed and a report has, for use as a picocli mixin: {@code --json},
 * {@code --seed}. A tool prints {@link #seed()} whether it was given or drawn, so that any run can
 * be repeated.
 */
public final class CommonOptions {
  /** Drawn seeds are short enough to be typed again. */
  private static final long DRAWN_SEED_BOUND = 1L << 48;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  @Option(
      names = "--json",
      paramLabel = "FILE|-",
      description = "Write the report as JSON to FILE, or to standard output for '-'.")
  private String json;

  @Option(
      names = "--seed",
      paramLabel = "N",
      converter = SeedConverter.class,
      description = "Repeat the run of this seed. Default: drawn, and printed.")
  private Long seed;

  private long drawnSeed = -1;

  /** Used by picocli. */
  public CommonOptions() {}

  /**
   * The seed given, or one drawn at the first call.
   *
   * @return the seed of this run, the same at every call
   */
  public long seed() {
    if (seed != null) {
      return seed;
    }
    if (drawnSeed < 0) {
      drawnSeed = new SplittableRandom().nextLong(DRAWN_SEED_BOUND);
    }
    return drawnSeed;
  }

  /**
   * Opens the JSON report, before the work, so that a path that cannot be written is found at once.
   *
   * @return the report; it writes nothing when {@code --json} was not given
   * @throws ToolException when the file cannot be written
   */
  public JsonReport openJson() {
    return JsonReport.open(json, mixee.commandLine().getOut());
  }

  /**
   * Refuses another file of the run that the report would overwrite; to be asked before {@link
   * #openJson}.
   *
   * @param option the option that names it
   * @param file the file, or null for none
   * @throws ToolException when {@code --json} names it too
   */
  public void checkApartFromJson(String option, Path file) {
    JsonReport.checkApart(json, option, file);
  }

  /**
   * Where text for people goes: standard output, or standard error when standard output carries the
   * JSON.
   *
   * @return a writer that the caller does not close
   */
  public PrintWriter text() {
    boolean jsonTakesOut = "-".equals(json);
    return jsonTakesOut ? mixee.commandLine().getErr() : mixee.commandLine().getOut();
  }

  /**
   * Where live progress goes.
   *
   * @return a writer on standard error that the caller does not close
   */
  public PrintWriter progress() {
    return mixee.commandLine().getErr();
  }
}
