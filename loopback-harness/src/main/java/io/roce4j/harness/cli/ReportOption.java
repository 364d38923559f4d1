// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code --json} for tools that have a report and no seed; a picocli mixin. */
public final class ReportOption {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  @Option(
      names = "--json",
      paramLabel = "FILE|-",
      description = "Write the report as JSON to FILE, or to standard output for '-'.")
  private String json;

  /** Used by picocli. */
  public ReportOption() {}

  /**
   * Opens the JSON report, before the work.
   *
   * @return the report; it writes nothing when {@code --json} was not given
   * @throws ToolException when the file cannot be written
   */
  public JsonReport open() {
    return JsonReport.open(json, mixee.commandLine().getOut());
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
}
