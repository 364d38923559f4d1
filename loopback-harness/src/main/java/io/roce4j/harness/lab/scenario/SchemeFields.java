// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.Preset;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topology;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the {@code defaults} and {@code schemes} of a scenario: a scheme is what the defaults say,
 * changed by what it says itself.
 */
final class SchemeFields {
  private static final List<String> TRANSPORTS = List.of("rc", "mx");
  private static final List<String> MTUS = List.of("256B", "512B", "1024B", "2048B", "4096B");
  private static final int MAX_PATHS = 256;
  private static final int MAX_TRAIN = 64;
  private static final int MAX_WINDOW = 1 << 20;
  private static final int MAX_TIMEOUT_CODE = 31;
  private static final int MAX_RETRIES = 7;
  private static final int MAX_TOS = 255;
  private static final int DATA_TOS = 26 << 2;

  private SchemeFields() {}

  static Scheme defaults(FabricSettings fabric) {
    return new Scheme(
        "default", "rc", "none", Map.of(), 1, 1, 256, 4096, 8, 7, DATA_TOS, fabric, List.of(),
        false);
  }

  static Scheme read(Section fields, Scheme base, Topology topology) {
    long linkBitsPerSecond = Scenario.hostBitsPerSecond(topology);
    String transport = fields.oneOf("transport", base.transport(), TRANSPORTS);
    String congestion = fields.text("congestion", base.congestion());
    Map<String, String> parameters = parameters(fields, base, congestion);
    int mtu = mtu(fields, base);
    checkCongestion(fields, congestion, parameters, linkBitsPerSecond, mtu);
    FabricSettings fabric = fabric(fields, base.fabric());
    Scheme scheme =
        new Scheme(
            fields.text("name", base.name()),
            transport,
            congestion,
            parameters,
            (int) fields.count("paths", (long) base.paths(), 1, MAX_PATHS),
            (int) fields.count("train", (long) base.trainPackets(), 1, MAX_TRAIN),
            (int) fields.count("window", (long) base.windowPackets(), 2, MAX_WINDOW),
            mtu,
            (int) fields.count("timeoutCode", (long) base.timeoutCode(), 0, MAX_TIMEOUT_CODE),
            (int) fields.count("retries", (long) base.retryCount(), 0, MAX_RETRIES),
            (int) fields.count("tos", (long) base.tos(), 0, MAX_TOS),
            fabric,
            FaultFields.read(fields, topology),
            fields.flag("mayStall", base.mayStall()));
    if (transport.equals("rc") && scheme.paths() != 1) {
      throw fields.fault("paths", scheme.paths() + ": an RC connection has one path");
    }
    fields.end();
    return scheme;
  }

  private static FabricSettings fabric(Section fields, FabricSettings base) {
    FabricSettings fabric = base;
    if (fields.has("preset")) {
      String preset =
          fields.oneOf("preset", null, Arrays.stream(Preset.values()).map(Preset::label).toList());
      fabric = Preset.of(preset).settings();
    }
    SwitchSettings switches = SwitchFields.read(fields.section("switches"), fabric.switches());
    return fabric
        .withSwitches(switches)
        .withHosts(HostFields.read(fields.section("hosts"), fabric.hosts(), switches))
        .withFramingBytes((int) fields.bytes("framing", (long) fabric.framingBytes(), 0, 100));
  }

  private static int mtu(Section fields, Scheme base) {
    String word = fields.oneOf("mtu", base.pathMtuBytes() + "B", MTUS);
    return Integer.parseInt(word.substring(0, word.length() - 1));
  }

  private static Map<String, String> parameters(Section fields, Scheme base, String congestion) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (congestion.equals(base.congestion())) {
      parameters.putAll(base.congestionParameters());
    }
    Section set = fields.section("congestionSet");
    for (String name : set.names()) {
      parameters.put(name, set.text(name, null));
    }
    return parameters;
  }

  private static void checkCongestion(
      Section fields, String name, Map<String, String> parameters, long link, int mtu) {
    try {
      CongestionControllers.check(
          name, CongestionSettings.of(link, mtu, 1_000).withAll(parameters));
    } catch (IllegalArgumentException e) {
      throw fields.fault(parameters.isEmpty() ? "congestion" : "congestionSet", e.getMessage());
    }
  }
}
