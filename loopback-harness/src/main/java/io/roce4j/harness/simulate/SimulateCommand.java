// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.check.Findings;
import io.roce4j.harness.cli.CommonOptions;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Subcommand;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.harness.random.SeededStreams;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code ./roce4j simulate}: the whole stack in virtual time through drawn faults, seed by seed.
 */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Runs the whole stack in virtual time through drawn faults: all operations of RC,",
      "UC and UD on several queue pairs. Checks bytes, order, exactly-once completions",
      "and atomics, memory and, once the network has healed, progress.",
      "Each seed is one run and repeats byte for byte. --seed is the first one."
    })
public final class SimulateCommand implements Subcommand {
  private static final String CM = "cm";

  @Mixin private CommonOptions common = new CommonOptions();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How many seeds, from --seed upwards. Default: ${DEFAULT-VALUE}.")
  private int seeds;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      defaultValue = "data",
      description = {
        "What runs: data (verified traffic over connections), or cm (connections are made,",
        "refused, ended and left while messages get lost). Default: data."
      })
  private String scenario;

  @Option(
      names = "--journal",
      paramLabel = "FILE",
      description = "Write the journal of the first seed to FILE.")
  private Path journal;

  @Option(
      names = "--verbose",
      description = "Print each seed's plan and what the network did to the packets.")
  private boolean verbose;

  /** Used by picocli. */
  public SimulateCommand() {}

  @Override
  public Integer call() {
    if (seeds < 1) {
      throw ToolException.usage("--seeds " + seeds + ": must be at least 1");
    }
    common.checkApartFromJson("--journal", journal);
    if (!scenario.equals(CM) && !scenario.equals("data")) {
      throw ToolException.usage("--scenario " + scenario + ": allowed are data and cm");
    }
    try (JsonReport json = common.openJson()) {
      ObjectNode report = JsonReport.mapper().createObjectNode();
      report.put("tool", "simulate");
      report.put("version", VersionProvider.version());
      report.put("scenario", scenario);
      report.put("seed", common.seed());
      ArrayNode runs = report.putArray("runs");
      int failed = 0;
      long began = System.nanoTime();
      for (int i = 0; i < seeds; i++) {
        failed += isGood(common.seed() + i, i == 0 ? journal : null, runs) ? 0 : 1;
      }
      common
          .text()
          .printf(
              Locale.ROOT,
              "%d seeds from %d, %d failed, %.1f s%n",
              seeds,
              common.seed(),
              failed,
              (System.nanoTime() - began) / 1e9);
      report.put("failed", failed);
      json.write(report);
      return failed == 0 ? ExitCode.GOOD : ExitCode.CHECK_FAILED;
    }
  }

  /** Runs a seed, says what came of it and adds it to the report. */
  private boolean isGood(long seed, Path file, ArrayNode runs) {
    try (OutputStream out =
        file == null
            ? OutputStream.nullOutputStream()
            : new BufferedOutputStream(Files.newOutputStream(file))) {
      if (scenario.equals(CM)) {
        CmStorm.Outcome outcome = CmStorm.of(seed, out);
        print(outcome);
        add(runs, outcome);
        return outcome.findings().count() == 0;
      }
      SimulatedRun.Outcome outcome = SimulatedRun.of(seed, out);
      print(outcome);
      add(runs, outcome);
      return outcome.findings().count() == 0;
    } catch (IOException e) {
      throw ToolException.usage(
          "--journal " + file + ": cannot be written (" + IoReason.of(e) + "): name another file",
          e);
    }
  }

  private void print(CmStorm.Outcome outcome) {
    if (verbose) {
      common
          .text()
          .printf(
              Locale.ROOT,
              "seed %d: %,d requests; packets %,d, lost %,d, reordered %,d, duplicated %,d;"
                  + " sent again REQ %d, REP %d, RTU %d, DREQ %d%n",
              outcome.seed(),
              outcome.requests(),
              outcome.network().offered,
              outcome.network().lost,
              outcome.network().displaced,
              outcome.network().duplicated,
              outcome.retries()[0],
              outcome.retries()[1],
              outcome.retries()[2],
              outcome.retries()[3]);
    }
    printFindings(outcome.seed(), outcome.findings());
  }

  private void printFindings(long seed, Findings findings) {
    if (findings.count() > 0) {
      common
          .text()
          .printf(
              Locale.ROOT,
              "seed %d FAILED with %d findings; the first: %s%n"
                  + "  repeat: ./roce4j simulate --scenario %s --seeds 1 --seed %d --verbose"
                  + " --journal FILE%n",
              seed,
              findings.count(),
              findings.first().getFirst(),
              scenario,
              seed);
    }
  }

  private static void add(ArrayNode runs, CmStorm.Outcome outcome) {
    ObjectNode run = addRun(runs, outcome.seed(), outcome.findings());
    run.put("journalSha256", outcome.digest());
    run.put("journalLines", outcome.journalLines());
    run.put("requests", outcome.requests());
    run.put("packetsOffered", outcome.network().offered);
    run.put("packetsLost", outcome.network().lost);
    run.put("packetsReordered", outcome.network().displaced);
    run.put("packetsDuplicated", outcome.network().duplicated);
    run.put("reqRetries", outcome.retries()[0]);
    run.put("repRetries", outcome.retries()[1]);
    run.put("rtuRetries", outcome.retries()[2]);
    run.put("dreqRetries", outcome.retries()[3]);
  }

  private static ObjectNode addRun(ArrayNode runs, long seed, Findings findings) {
    ObjectNode run = runs.addObject();
    run.put("seed", seed);
    run.put("errors", findings.count());
    ArrayNode first = run.putArray("findings");
    findings.first().forEach(first::add);
    return run;
  }

  private void print(SimulatedRun.Outcome outcome) {
    if (verbose) {
      common
          .text()
          .printf(
              Locale.ROOT,
              "seed %d: %s%n  %,d bytes verified in %.3f ms, %,d events, packets %,d, lost %,d,"
                  + " reordered %,d, duplicated %,d, corrupted %,d, discarded %,d; %s%n",
              outcome.seed(),
              RunPlan.draw(new SeededStreams(outcome.seed())),
              outcome.bytesVerified(),
              outcome.virtualNs() / 1e6,
              outcome.events(),
              outcome.network().offered,
              outcome.network().lost,
              outcome.network().displaced,
              outcome.network().duplicated,
              outcome.network().corrupted,
              outcome.network().discarded,
              outcome.recovery());
    }
    printFindings(outcome.seed(), outcome.findings());
  }

  private static void add(ArrayNode runs, SimulatedRun.Outcome outcome) {
    ObjectNode run = addRun(runs, outcome.seed(), outcome.findings());
    run.put("journalSha256", outcome.digest());
    run.put("journalLines", outcome.journalLines());
    run.put("virtualNs", outcome.virtualNs());
    run.put("events", outcome.events());
    run.put("bytesVerified", outcome.bytesVerified());
    run.put("packetsOffered", outcome.network().offered);
    run.put("packetsLost", outcome.network().lost);
    run.put("packetsReordered", outcome.network().displaced);
    run.put("packetsDuplicated", outcome.network().duplicated);
    run.put("packetsCorrupted", outcome.network().corrupted);
    run.put("packetsDiscarded", outcome.network().discarded);
    run.put("retransmissions", outcome.recovery().retransmissions());
    run.put("timeouts", outcome.recovery().timeouts());
    run.put("sequenceNaks", outcome.recovery().sequenceNaks());
    run.put("rnrNaks", outcome.recovery().rnrNaks());
    run.put("impliedNaks", outcome.recovery().impliedNaks());
    run.put("duplicateRequests", outcome.recovery().duplicateRequests());
    run.put("icrcErrors", outcome.recovery().icrcErrors());
  }
}
