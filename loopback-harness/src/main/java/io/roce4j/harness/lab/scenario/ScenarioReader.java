// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads scenario files. What is wrong is a {@link ToolException} of one line with the file, the
 * line, the field, the value and what is allowed.
 */
public final class ScenarioReader {
  private static final long MAX_TIME_NS = 1_000_000_000_000L;
  private static final long DEFAULT_SAMPLE_NS = 10_000;
  private static final long DEFAULT_WINDOW_NS = 500_000;
  private static final int MAX_SEEDS = 10_000;
  private static final long MAX_FILE_BYTES = 1 << 20;

  private ScenarioReader() {}

  /**
   * Reads a file.
   *
   * @param file a scenario
   * @return the scenario
   * @throws ToolException when it cannot be read or says something wrong
   */
  public static Scenario read(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > MAX_FILE_BYTES) {
        throw ToolException.usage(
            file + ": is larger than " + MAX_FILE_BYTES + " bytes: not a scenario");
      }
      return read(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw ToolException.usage(
          file + ": cannot be read (" + IoReason.of(e) + "): ./roce4j lab --list names the labs",
          e);
    }
  }

  /**
   * Reads a text.
   *
   * @param file its name, for messages
   * @param text the scenario
   * @return the scenario
   * @throws ToolException when it says something wrong
   */
  public static Scenario read(String file, String text) {
    Section root = YamlTree.read(file, text);
    String name = root.text("lab", null);
    String about = root.text("about", "");
    Topology topology = TopologyFields.read(root.section("topology"));
    TrafficPlan traffic = TrafficFields.read(root, topology);
    List<Scheme> schemes = schemes(root, topology);
    SamplePlan samples = samples(root.section("samples"), topology);
    long limit = root.timeNs("limit", null, 1, MAX_TIME_NS);
    Scenario scenario =
        new Scenario(
            name,
            about,
            topology,
            traffic,
            payload(root),
            schemes,
            FaultFields.read(root, topology),
            limit,
            root.timeNs("standstill", limit, 1, MAX_TIME_NS),
            (int) root.count("seeds", 5L, 1, MAX_SEEDS),
            samples,
            ClaimFields.read(root, schemes));
    root.end();
    return scenario;
  }

  private static Scenario.Payload payload(Section root) {
    String carried = "carried";
    boolean all = root.oneOf("payload", carried, List.of(carried, "pattern")).equals(carried);
    return all ? Scenario.Payload.CARRIED : Scenario.Payload.PATTERN;
  }

  private static List<Scheme> schemes(Section root, Topology topology) {
    Scheme usual =
        SchemeFields.read(
            root.section("defaults"), SchemeFields.defaults(FabricSettings.defaults()), topology);
    List<Scheme> schemes = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Section fields : root.sections("schemes")) {
      Scheme scheme = SchemeFields.read(fields, usual, topology);
      if (!names.add(scheme.name())) {
        throw fields.fault("name", "'" + scheme.name() + "' is the name of two schemes");
      }
      schemes.add(scheme);
    }
    if (schemes.isEmpty()) {
      schemes.add(usual);
    }
    return schemes;
  }

  private static SamplePlan samples(Section fields, Topology topology) {
    List<String> ports = fields.texts("ports");
    for (String port : ports) {
      PortNames.check(fields, "ports", port, topology);
    }
    SamplePlan plan =
        new SamplePlan(
            fields.timeNs("every", DEFAULT_SAMPLE_NS, 100, MAX_TIME_NS),
            fields.timeNs("window", DEFAULT_WINDOW_NS, 1_000, MAX_TIME_NS),
            ports);
    fields.end();
    return plan;
  }
}
