// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.roce4j.congestion.CongestionControllers;
import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.StopSignal;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.CongestionOptions;
import io.roce4j.harness.congestion.VisibleSignals;
import io.roce4j.harness.lab.realtime.RealTimeLab;
import io.roce4j.harness.lab.realtime.RealTimeOptions;
import io.roce4j.harness.lab.realtime.RealTimeReport;
import io.roce4j.harness.lab.realtime.RealTimeResult;
import io.roce4j.harness.lab.realtime.RealTimeSettings;
import io.roce4j.harness.lab.report.ClaimVerdict;
import io.roce4j.harness.lab.report.HtmlReport;
import io.roce4j.harness.lab.report.LabJson;
import io.roce4j.harness.lab.report.LabPage;
import io.roce4j.harness.lab.report.LabTable;
import io.roce4j.harness.lab.report.SchemeSummary;
import io.roce4j.harness.lab.run.LabRunner;
import io.roce4j.harness.lab.run.RunResult;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import io.roce4j.harness.mxlab.LabSize;
import io.roce4j.harness.mxlab.MxLab;
import io.roce4j.harness.mxlab.MxLabReport;
import io.roce4j.harness.mxlab.MxLabs;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./roce4j lab}: a fabric scenario in virtual time, or in real time. */
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a fabric scenario in virtual time: several schemes side by side on the same seeds,",
      "with the same protocol code as on real sockets. Exit code 1 when a claim of the scenario",
      "is not kept, when a byte is wrong, or when the run stands still. With --real-time the same",
      "scenario runs by the clock of this machine, between UDP sockets."
    })
public final class LabCommand implements Subcommand {
  private static final int MAX_SEEDS = 10_000;
  private static final int MAX_THREADS = 256;

  @Mixin private CommonOptions common = new CommonOptions();

  @Parameters(
      paramLabel = "NAME|FILE",
      arity = "0..1",
      description = "A shipped lab (--list names them) or a scenario file.")
  private String lab;

  @Option(names = "--list", description = "Name the shipped labs.")
  private boolean list;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "Runs of each scheme, from --seed upwards. Default: as the scenario says.")
  private Integer seeds;

  @Option(
      names = "--scheme",
      paramLabel = "NAME",
      split = ",",
      description = "Run only these schemes of the scenario, separated by commas.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--congestion",
      paramLabel = "NAME",
      split = ",",
      description =
          "Run the first scheme with each of these congestion controllers instead, separated by"
              + " commas; one that the scenario has a scheme for, as that scheme has it. The"
              + " scenario's claims are not judged then, nor with --congestion-set.")
  private List<String> congestion = new ArrayList<>();

  @Mixin private CongestionOptions congestionOptions = new CongestionOptions();

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Write one page with charts, which needs no network, to FILE.")
  private Path report;

  @Option(
      names = "--pcap",
      paramLabel = "PORT[,PORT...]=FILE",
      description =
          "Write the packets that these ports send to FILE as pcapng, in the first run: for"
              + " instance 'h0>s0=out.pcapng'.")
  private String pcap;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      description =
          "Put table and claims into a Markdown page, between its lines '<!-- lab -->' and"
              + " '<!-- /lab -->'.")
  private Path page;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Runs at a time. Default: the cores of the machine.")
  private Integer threads;

  @Mixin private RealTimeOptions realTime = new RealTimeOptions();

  /** Used by picocli. */
  public LabCommand() {}

  @Override
  public Integer call() {
    if (list) {
      printList(common.text());
      return ExitCode.GOOD;
    }
    if (lab == null) {
      throw ToolException.usage("lab needs a NAME or FILE: ./roce4j lab --list names the labs");
    }
    if (lab.equals(ControllersLab.NAME)) {
      return compareControllers();
    }
    Optional<MxLab> judged = MxLabs.find(lab);
    if (judged.isPresent() && realTime.isOn()) {
      throw ToolException.usage(
          "lab " + lab + " has no scenario file: --real-time takes a lab that has one");
    }
    if (judged.isPresent()) {
      return run(judged.get());
    }
    Scenario scenario = chosen(ShippedLabs.find(lab));
    try (JsonReport json = common.openJson()) {
      return realTime.isOn() ? runInRealTime(scenario, json) : run(scenario, json);
    }
  }

  private int runInRealTime(Scenario scenario, JsonReport json) {
    if (report != null || page != null || pcap != null || threads != null) {
      throw ToolException.usage(
          "--real-time takes no --report, --page, --pcap or --threads: it tells counts and how late"
              + " the emulator was");
    }
    RealTimeSettings settings = realTime.settings();
    PrintWriter out = common.text();
    RealTimeLab runs = new RealTimeLab(scenario, common.seed(), settings);
    try (StopSignal stop = new StopSignal("lab")) {
      out.printf(Locale.ROOT, "lab %s in real time, seed %d%n", scenario.name(), common.seed());
      out.printf(
          Locale.ROOT,
          "  %s; the lines carry %d full packets a second%n",
          scenario.topology(),
          runs.packetsPerSecond());
      out.flush();
      List<RealTimeResult> results =
          runs.run(
              stop::isStopped,
              result -> {
                RealTimeReport.print(out, result);
                out.flush();
              });
      if (!scenario.claims().isEmpty()) {
        out.println("claims: about virtual time, not judged");
      }
      json.write(RealTimeReport.json(scenario, common.seed(), settings, results));
      int code = exitCode(results);
      out.flush();
      stop.onReported(code);
      return code;
    }
  }

  private static int exitCode(List<RealTimeResult> results) {
    if (!results.stream().allMatch(result -> result.findings().isEmpty())) {
      return ExitCode.CHECK_FAILED;
    }
    boolean valid = results.stream().allMatch(result -> result.invalid().isEmpty());
    return valid ? ExitCode.GOOD : ExitCode.INVALID;
  }

  /** A lab in code, with its own schemes and bounds. */
  private int run(MxLab judged) {
    if (!only.isEmpty() || !congestion.isEmpty() || report != null || threads != null) {
      throw ToolException.usage(
          "lab "
              + judged.name()
              + " has schemes and bounds of its own: it takes --seed, --seeds and --json only");
    }
    LabSize size = LabSize.full(common.seed());
    if (seeds != null) {
      check("--seeds", seeds, MAX_SEEDS);
      size = new LabSize(seeds, common.seed(), 1);
    }
    try (JsonReport json = common.openJson()) {
      MxLabReport results = new MxLabReport(judged, size);
      int exitCode = results.run(common.text());
      json.write(results.json());
      return exitCode;
    }
  }

  /** All controllers in all cases, a table each. */
  private int compareControllers() {
    if (!congestion.isEmpty() || report != null || pcap != null) {
      throw ToolException.usage(
          "lab "
              + ControllersLab.NAME
              + " runs all controllers: it takes --seed, --seeds, --scheme, --threads, --page and"
              + " --json only");
    }
    ControllersLab all = ControllersLab.all();
    Scenario first = all.cases().get(0).scenario();
    if (!only.isEmpty()) {
      only.forEach(name -> scheme(first, name));
      all = all.only(only);
    }
    if (seeds != null) {
      check("--seeds", seeds, MAX_SEEDS);
      all = all.withSeeds(seeds);
    }
    int atATime = atATime();
    List<List<SchemeSummary>> tables = new ArrayList<>();
    ArrayNode data = JsonReport.mapper().createArrayNode();
    boolean sound = true;
    try (JsonReport json = common.openJson()) {
      for (ControllersLab.Case each : all.cases()) {
        Scenario scenario = each.scenario();
        common.text().println(each.title() + ", seed " + common.seed());
        List<RunResult> results = results(scenario, atATime);
        tables.add(SchemeSummary.of(scenario.schemes(), results));
        print(common.text(), tables.getLast(), List.of(), results);
        common.text().flush();
        data.add(LabJson.of(scenario, common.seed(), results, List.of()));
        sound &= results.stream().allMatch(RunResult::isSound);
      }
      json.write(data);
    }
    if (page != null) {
      LabPage.update(page, ControllersLab.page(all.cases(), tables, common.seed()));
      common.text().println("page: " + page);
    }
    return sound ? ExitCode.GOOD : ExitCode.CHECK_FAILED;
  }

  private int atATime() {
    if (threads != null) {
      check("--threads", threads, MAX_THREADS);
      return threads;
    }
    return Runtime.getRuntime().availableProcessors();
  }

  private static void printList(PrintWriter out) {
    for (String name : ShippedLabs.names()) {
      String about = ShippedLabs.find(name).about().strip().replaceAll("\\s+", " ");
      out.printf(Locale.ROOT, "%-18s %s%n", name, about);
    }
    out.printf(Locale.ROOT, "%-18s %s%n", ControllersLab.NAME, ControllersLab.ABOUT);
    for (MxLab each : MxLabs.all()) {
      out.printf(Locale.ROOT, "%-18s %s%n", each.name(), each.about());
    }
  }

  /** What the options leave of the scenario. */
  private Scenario chosen(Scenario scenario) {
    Scenario chosen = scenario;
    if (seeds != null) {
      check("--seeds", seeds, MAX_SEEDS);
      chosen = chosen.withSeeds(seeds);
    }
    if (!only.isEmpty()) {
      chosen = chosen.withSchemes(only.stream().map(name -> scheme(scenario, name)).toList());
    }
    if (!congestion.isEmpty()) {
      List<Scheme> schemes = chosen.schemes();
      chosen =
          chosen
              .withSchemes(congestion.stream().map(name -> tuned(schemes, name)).toList())
              .withoutClaims();
    }
    if (!congestionOptions.parameters().isEmpty()) {
      chosen =
          chosen
              .withSchemes(
                  chosen.schemes().stream()
                      .map(scheme -> set(scheme, scenario.hostBitsPerSecond()))
                      .toList())
              .withoutClaims();
    }
    if (!congestionOptions.isForced()) {
      chosen.schemes().forEach(this::requireSignals);
    }
    return chosen;
  }

  private static void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw ToolException.usage(option + " " + value + ": must be 1 to " + most);
    }
  }

  private static Scheme scheme(Scenario scenario, String name) {
    List<String> names = scenario.schemes().stream().map(Scheme::name).toList();
    if (!names.contains(name)) {
      throw ToolException.usage(
          "--scheme " + name + ": the scenario has " + String.join(", ", names));
    }
    return scenario.schemes().get(names.indexOf(name));
  }

  private static Scheme tuned(List<Scheme> schemes, String controller) {
    for (Scheme scheme : schemes) {
      if (scheme.congestion().equals(controller)) {
        return scheme.withCongestion(controller, scheme.congestionParameters(), controller);
      }
    }
    try {
      CongestionControllers.provider(controller);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--congestion " + controller + ": " + e.getMessage(), e);
    }
    return schemes.get(0).withCongestion(controller, Map.of(), controller);
  }

  private Scheme set(Scheme scheme, long linkBitsPerSecond) {
    congestionOptions.check(scheme.congestion(), linkBitsPerSecond, scheme.pathMtuBytes());
    Map<String, String> parameters = new LinkedHashMap<>(scheme.congestionParameters());
    parameters.putAll(congestionOptions.parameters());
    return scheme.withCongestion(scheme.congestion(), parameters, scheme.name());
  }

  private void requireSignals(Scheme scheme) {
    VisibleSignals signals =
        realTime.isOn()
            ? RealTimeLab.signals(realTime.settings(), scheme)
            : VisibleSignals.inFabric(scheme.transport());
    signals.require(scheme.congestion());
  }

  private int run(Scenario scenario, JsonReport json) {
    int atATime = atATime();
    PrintWriter out = common.text();
    out.printf(Locale.ROOT, "lab %s, seed %d%n", scenario.name(), common.seed());
    out.println("  " + scenario.topology());
    out.flush();
    List<RunResult> results = results(scenario, atATime);
    List<SchemeSummary> summaries = SchemeSummary.of(scenario.schemes(), results);
    List<ClaimVerdict> verdicts = ClaimVerdict.judge(scenario.claims(), summaries);
    print(out, summaries, verdicts, results);
    var data = LabJson.of(scenario, common.seed(), results, verdicts);
    json.write(data);
    if (report != null) {
      HtmlReport.write(report, scenario, summaries, verdicts, data);
      out.println("report: " + report);
    }
    if (page != null) {
      LabPage.update(page, scenario, common.seed(), summaries, verdicts);
      out.println("page: " + page);
    }
    if (!results.stream().allMatch(result -> result.invalid().isEmpty())) {
      return ExitCode.INVALID;
    }
    boolean kept = verdicts.stream().allMatch(ClaimVerdict::holds);
    boolean sound = results.stream().allMatch(RunResult::isSound);
    return kept && sound ? ExitCode.GOOD : ExitCode.CHECK_FAILED;
  }

  private List<RunResult> results(Scenario scenario, int atATime) {
    try (CaptureFile file = CaptureFile.open(pcap, scenario.topology())) {
      LabRunner runner = new LabRunner(scenario, common.seed(), atATime, file.capture());
      Runtime.getRuntime().addShutdownHook(new Thread(runner::cancel));
      return runner.run(this::progress);
    }
  }

  private void progress(RunResult result) {
    common
        .progress()
        .printf(
            Locale.ROOT,
            "  %s seed %d: %s of virtual time, %.2f million packet-hops a second and core%n",
            result.scheme().name(),
            result.seed(),
            TimeSpan.format((double) result.effort().virtualNs()),
            result.effort().hopsPerCoreSecond() / 1e6);
    common.progress().flush();
  }

  private static void print(
      PrintWriter out,
      List<SchemeSummary> summaries,
      List<ClaimVerdict> verdicts,
      List<RunResult> results) {
    LabTable.print(out, summaries);
    verdicts.forEach(out::println);
    for (RunResult result : results) {
      String where = result.scheme().name() + " seed " + result.seed() + ": ";
      result.findings().forEach(finding -> out.println("WRONG  " + where + finding));
      result.invalid().forEach(fault -> out.println("INVALID  " + where + fault));
      result.diagnosis().forEach(line -> out.println("STUCK  " + where + line));
      if (!result.books().isBalanced()) {
        out.println("LOST   " + where + "the books do not balance: " + result.books());
      }
    }
    LabTable.printEffort(out, results);
  }
}
