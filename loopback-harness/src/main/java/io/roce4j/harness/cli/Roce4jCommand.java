// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command. It does nothing itself: it finds the tools and turns failures into lines. */
@Command(
    name = "roce4j",
    mixinStandardHelpOptions = true,
    versionProvider = VersionProvider.class,
    synopsisSubcommandLabel = "COMMAND",
    description = "A userspace RoCEv2 stack: soak tests, captures, simulated fabrics.",
    footer = {
      "",
      "The launcher has four commands more: test (the whole test command), bench (benchmarks),"
          + " fuzz (a search for bad inputs), clean.",
      "",
      "Sizes: 64K and 64KiB are 65536, 64kB is 64000. Rates: 10Gbit. Times: 10us, 5s. Loss: 1%% or"
          + " 0.01.",
      "Exit codes: 0 good, 1 a check failed, 2 wrong usage, 3 the machine lacks something,",
      "4 INVALID (an impairment that had to act did not, or was off by more than 10%% beyond"
          + " chance)."
    })
public final class Roce4jCommand implements Runnable {
  @Spec private CommandSpec spec;

  private Roce4jCommand() {}

  /**
   * Builds the command line with every {@link Subcommand} on the class path.
   *
   * @param out where results and help go
   * @param err where errors and progress go
   * @return a command line to execute once
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err) {
    return commandLine(out, err, tools());
  }

  /** Every {@link Subcommand} on the class path, in the order of the help. */
  static Subcommand[] tools() {
    List<Subcommand> tools = new ArrayList<>();
    ServiceLoader.load(Subcommand.class).forEach(tools::add);
    return tools.toArray(Subcommand[]::new);
  }

  /**
   * Builds the command line with the tools given.
   *
   * @param out where results and help go
   * @param err where errors and progress go
   * @param tools the subcommands, in the order of the help
   * @return a command line to execute once
   */
  public static CommandLine commandLine(PrintWriter out, PrintWriter err, Subcommand... tools) {
    CommandLine root = new CommandLine(new Roce4jCommand());
    for (Subcommand tool : tools) {
      CommandLine command = new CommandLine(tool);
      addHelp(command.getCommandSpec());
      root.addSubcommand(command);
    }
    // The settings below reach only the subcommands present, so they come after the loop.
    root.setOut(out);
    root.setErr(err);
    root.setUsageHelpAutoWidth(true);
    root.setCaseInsensitiveEnumValuesAllowed(true);
    root.registerConverter(Path.class, new FileName.Converter());
    root.setParameterExceptionHandler(Roce4jCommand::onWrongUsage);
    root.setExecutionStrategy(Roce4jCommand::execute);
    root.setExecutionExceptionHandler((e, command, parsed) -> onFailure(e, command));
    return root;
  }

  /**
   * Every tool has --help: picocli leaves out all of its standard options where a tool has one of
   * their names itself, as rping has -V.
   */
  private static void addHelp(CommandSpec tool) {
    if (tool.findOption("--help") != null) {
      return;
    }
    String[] names =
        tool.findOption("-h") == null ? new String[] {"-h", "--help"} : new String[] {"--help"};
    tool.addOption(
        OptionSpec.builder(names)
            .usageHelp(true)
            .description("Show this help message and exit.")
            .build());
  }

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getErr());
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  /** Picocli prints the help outside any tool: a failure there is told like a tool's. */
  private static int execute(ParseResult parsed) {
    try {
      return new CommandLine.RunLast().execute(parsed);
    } catch (ToolException e) {
      throw new ExecutionException(parsed.commandSpec().commandLine(), e.getMessage(), e);
    }
  }

  private static int onWrongUsage(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    StringBuilder line = new StringBuilder(prefix(command)).append(firstLine(e.getMessage()));
    if (e instanceof UnmatchedArgumentException unmatched) {
      List<String> suggestions = unmatched.getSuggestions();
      if (!suggestions.isEmpty()) {
        line.append("; did you mean ").append(suggestions.getFirst()).append('?');
      }
    }
    line.append(" ('").append(command.getCommandSpec().qualifiedName()).append(" --help' lists");
    line.append(command.getSubcommands().isEmpty() ? " the options)" : " the commands)");
    command.getErr().println(line);
    return ExitCode.USAGE;
  }

  private static int onFailure(Exception e, CommandLine command) {
    if (e instanceof ToolException failure) {
      command.getErr().println(prefix(command) + firstLine(failure.getMessage()));
      return failure.exitCode();
    }
    command.getErr().println(prefix(command) + "internal error, please report it with this trace");
    e.printStackTrace(command.getErr());
    return ExitCode.CHECK_FAILED;
  }

  private static String prefix(CommandLine command) {
    return command.getCommandSpec().qualifiedName() + ": ";
  }

  /** Messages of libraries may run over several lines; an error is one. */
  private static String firstLine(String message) {
    return message == null ? "no reason given" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
