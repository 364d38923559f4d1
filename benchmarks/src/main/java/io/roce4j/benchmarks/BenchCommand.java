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
          "Put each group's table as Markdown between the lines '<!-- bench GROUP -->' and"
              + " '<!-- /bench GROUP -->' of FILE.")
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
    Set<String> names = new TreeSet<>();
    chosen.forEach(c -> names.add(c.group()));
    MarkedPage page = update == null ? null : new MarkedPage(update, names);
    JsonReport.checkApart(json, "--update", update);
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
      if (page != null) {
        names.forEach(group -> page.replace(group, table.markdown(group)));
        page.write();
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

  /** A page with a pair of marks for each group; what is between them is replaced. */
  private static final class MarkedPage {
    private final Path file;
    private String text;

    MarkedPage(Path file, Set<String> groups) {
      this.file = file;
      try {
        text = Files.readString(file);
      } catch (IOException e) {
        throw ToolException.usage(
            "--update " + file + ": cannot be read (" + IoReason.of(e) + ")", e);
      }
      for (String group : groups) {
        int from = text.indexOf(begin(group));
        if (from < 0 || text.indexOf(end(group)) < from) {
          throw ToolException.usage(
              "--update "
                  + file
                  + ": lacks the lines '"
                  + begin(group).strip()
                  + "' and '"
                  + end(group)
                  + "'");
        }
      }
    }

    private static String begin(String group) {
      return "<!-- bench " + group + " -->\n";
    }

    private static String end(String group) {
      return "<!-- /bench " + group + " -->";
    }

    void replace(String group, String table) {
      int from = text.indexOf(begin(group)) + begin(group).length();
      text = text.substring(0, from) + table + text.substring(text.indexOf(end(group)));
    }

    void write() {
      try {
        Files.writeString(file, text);
      } catch (IOException e) {
        throw ToolException.machine(
            "--update " + file + ": cannot be written (" + IoReason.of(e) + ")", e);
      }
    }
  }
}
