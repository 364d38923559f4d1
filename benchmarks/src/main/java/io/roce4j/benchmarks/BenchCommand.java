// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench}: times of the hot paths as ratios to work that no implementation can avoid. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures the hot paths, each as a ratio to a yardstick of the same round.",
    footer = {
      "",
      "'./roce4j bench --jmh ...' is JMH's own command line with the flags set.",
      "Exit code 1 with --check when a limit is missed or a benchmark allocates."
    })
public final class BenchCommand implements Subcommand {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "GROUP",
      arity = "0..*",
      description = "Groups to run, such as wire. Default: all. --list names them.")
  private List<String> groups = new ArrayList<>();

  @Option(names = "--list", description = "Name the groups and what they compare; run nothing.")
  private boolean list;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Option(names = "--check", description = "Exit 1 when a limit is missed.")
  private boolean check;

  @Option(
      names = "--json",
      paramLabel = "FILE|-",
      description = "Write the report as JSON to FILE, or to standard output for '-'.")
  private String json;

  @Option(
      names = "--update",
      paramLabel = "FILE",
      description =
          "Put the table as Markdown between the lines '<!-- bench GROUP -->' and"
              + " '<!-- /bench GROUP -->' of FILE; needs one GROUP.")
  private Path update;

  @Option(
      names = "--jmh-options",
      paramLabel = "TEXT",
      description = "Options for JMH, as one argument: '-f 2 -i 10'.")
  private String jmhOptions = "";

  /** Used by picocli. */
  public BenchCommand() {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    List<Comparison> chosen = chosen();
    if (list) {
      chosen.forEach(c -> out.println(c.group() + ": " + c.what()));
      return ExitCode.GOOD;
    }
    if (rounds < 1 || rounds > 1000) {
      throw new ParameterException(spec.commandLine(), "--rounds " + rounds + " is not in 1..1000");
    }
    MarkedFile marked = update == null ? null : MarkedFile.read(update, onlyGroup());
    try (JsonReport report = JsonReport.open(json, out)) {
      List<Measurement> measurements =
          new Rounds(chosen, parsedJmhOptions(), spec.commandLine().getErr()).run(rounds);
      List<ComparisonResult> results = new ArrayList<>();
      for (Comparison comparison : chosen) {
        results.add(ComparisonResult.of(comparison, measurements));
      }
      Report table = new Report(Machine.here(), rounds, results);
      report.write(table.json());
      (json != null && json.equals("-") ? spec.commandLine().getErr() : out).print(table.text());
      if (marked != null) {
        marked.replace(table.markdown());
      }
      return check && !table.good() ? ExitCode.CHECK_FAILED : ExitCode.GOOD;
    }
  }

  private List<Comparison> chosen() {
    Set<String> known = new TreeSet<>();
    Comparison.all().forEach(c -> known.add(c.group()));
    for (String group : groups) {
      if (!known.contains(group)) {
        throw new ParameterException(
            spec.commandLine(),
            "no benchmarks named '" + group + "'; there are: " + String.join(", ", known));
      }
    }
    return Comparison.all().stream()
        .filter(c -> groups.isEmpty() || groups.contains(c.group()))
        .toList();
  }

  private String onlyGroup() {
    if (groups.size() != 1) {
      throw new ParameterException(
          spec.commandLine(), "--update needs exactly one GROUP, not " + groups.size());
    }
    return groups.getFirst();
  }

  private CommandLineOptions parsedJmhOptions() {
    try {
      String words = jmhOptions.strip();
      return words.isEmpty()
          ? new CommandLineOptions()
          : new CommandLineOptions(words.split("\\s+", -1));
    } catch (CommandLineOptionException e) {
      throw new ParameterException(
          spec.commandLine(), "--jmh-options '" + jmhOptions + "': " + e.getMessage(), e);
    }
  }

  /** A file with a pair of marks; what is between them is replaced. */
  record MarkedFile(Path file, String before, String after) {
    static MarkedFile read(Path file, String group) {
      String begin = "<!-- bench " + group + " -->\n";
      String end = "<!-- /bench " + group + " -->";
      try {
        String text = Files.readString(file);
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from < 0 || to < from) {
          throw ToolException.usage(
              "--update " + file + ": lacks the lines '" + begin.strip() + "' and '" + end + "'");
        }
        return new MarkedFile(file, text.substring(0, from + begin.length()), text.substring(to));
      } catch (IOException e) {
        throw ToolException.usage(
            "--update " + file + ": cannot be read (" + IoReason.of(e) + ")", e);
      }
    }

    void replace(String text) {
      try {
        Files.writeString(file, before + text + after);
      } catch (IOException e) {
        throw ToolException.machine(
            "--update " + file + ": cannot be written (" + IoReason.of(e) + ")", e);
      }
    }
  }
}
