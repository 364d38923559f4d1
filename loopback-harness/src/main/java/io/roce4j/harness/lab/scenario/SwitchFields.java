// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.BufferSettings;
import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.HashFunction;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.fabric.topology.WatchdogSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Reads {@code switches}: memory, marking, pausing and path choice. Marking and pausing are those
 * of the class of data, {@link TrafficClasses#DATA}.
 */
final class SwitchFields {
  private static final long MAX_NS = 60_000_000_000L;
  private static final long MAX_LATENCY_NS = 1_000_000;
  private static final long MAX_BYTES = 1L << 40;
  private static final double MAX_ALPHA = 128;
  private static final double MIN_ALPHA = 1.0 / 1024;
  private static final List<String> SPREADS =
      List.of("flow", "weighted", "random-spray", "round-robin", "flowlet", "adaptive");

  private SwitchFields() {}

  static SwitchSettings read(Section fields, SwitchSettings base) {
    try {
      TrafficClass data = base.classes().get(TrafficClasses.DATA);
      SwitchSettings switches =
          base.withLatencyNs(fields.timeNs("latency", base.latencyNs(), 0, MAX_LATENCY_NS))
              .withCutThrough(fields.flag("cutThrough", base.isCutThrough()))
              .withBuffer(buffer(fields, base.buffer()))
              .withEcmp(ecmp(fields, base.ecmp()))
              .withPfc(pfc(fields.section("pfc"), base.pfc()))
              .withWatchdog(watchdog(fields, base.watchdog()))
              .withClass(
                  TrafficClasses.DATA,
                  data.lossless(fields.flag("lossless", data.lossless()))
                      .marking(ecn(fields, data.ecn())));
      fields.end();
      return switches;
    } catch (IllegalArgumentException e) {
      throw fields.fault(e.getMessage());
    }
  }

  private static BufferSettings buffer(Section fields, BufferSettings base) {
    boolean shared = fields.has("memory");
    // A shared memory bounds queues by its threshold, unless a bound is given.
    long queue = shared ? MAX_BYTES : base.queueBytes();
    double alpha = shared && base.alpha() == BufferSettings.UNLIMITED ? 1 : base.alpha();
    return new BufferSettings(
        fields.bytes("memory", base.totalBytes(), 1, MAX_BYTES),
        fields.bytes("reserved", base.reservedBytes(), 0, MAX_BYTES),
        alpha(fields, alpha),
        base.alphaByRate(),
        fields.bytes("queue", queue, 1, MAX_BYTES),
        base.cellBytes());
  }

  private static double alpha(Section fields, double usual) {
    return fields.has("alpha") ? fields.number("alpha", null, MIN_ALPHA, MAX_ALPHA) : usual;
  }

  private static EcnSettings ecn(Section fields, EcnSettings base) {
    if (!fields.has("ecn")) {
      return base;
    }
    if (fields.isText("ecn")) {
      fields.oneOf("ecn", null, List.of("off"));
      return EcnSettings.OFF;
    }
    Section ecn = fields.section("ecn");
    long kmin = ecn.bytes("kmin", null, 0, MAX_BYTES);
    EcnSettings marks =
        EcnSettings.red(kmin, ecn.bytes("kmax", kmin, kmin, MAX_BYTES), ecn.fraction("pmax", 1.0));
    marks = ecn.flag("atDequeue", false) ? marks.markingAtDequeue() : marks;
    marks = ecn.flag("lastHop", true) ? marks : marks.withoutLastHop();
    marks = ecn.flag("dropNotEct", false) ? marks.droppingNotEct() : marks;
    ecn.end();
    return marks;
  }

  private static PfcSettings pfc(Section fields, PfcSettings base) {
    PfcSettings pfc =
        new PfcSettings(
            fields.bytes("xoff", base.xoffBytes(), 0, MAX_BYTES),
            fields.bytes("xonOffset", base.xonOffsetBytes(), 0, MAX_BYTES),
            fields.has("headroom")
                ? fields.bytes("headroom", null, 0, MAX_BYTES)
                : base.headroomBytes(),
            (int) fields.count("quanta", (long) base.quanta(), 1, PfcSettings.MAX_QUANTA),
            (int)
                fields.count(
                    "responseQuanta", (long) base.responseQuanta(), 0, PfcSettings.MAX_QUANTA));
    fields.end();
    return pfc;
  }

  private static WatchdogSettings watchdog(Section fields, WatchdogSettings base) {
    if (!fields.has("watchdog")) {
      return base;
    }
    if (fields.isText("watchdog")) {
      fields.oneOf("watchdog", null, List.of("off"));
      return null;
    }
    Section watchdog = fields.section("watchdog");
    WatchdogSettings settings =
        WatchdogSettings.of(
            watchdog.timeNs("time", null, 1_000, MAX_NS),
            WatchdogSettings.Action.valueOf(
                constant(watchdog.oneOf("action", "drop", List.of("drop", "forward", "alert")))));
    watchdog.end();
    return settings;
  }

  private static EcmpSettings ecmp(Section fields, EcmpSettings base) {
    EcmpSettings.Mode mode =
        EcmpSettings.Mode.valueOf(constant(fields.oneOf("spread", word(base.mode()), SPREADS)));
    List<String> hashes = Arrays.stream(HashFunction.values()).map(SwitchFields::word).toList();
    HashFunction hash =
        HashFunction.valueOf(constant(fields.oneOf("hash", word(base.hash()), hashes)));
    return new EcmpSettings(
        mode,
        hash,
        seed(fields, base),
        fields.flag("hashDestQp", base.hashesDestQp()),
        (int) fields.count("buckets", (long) base.buckets(), 0, 65_536),
        fields.timeNs("gap", base.flowletGapNs(), 0, MAX_NS),
        reconvergence(fields, base));
  }

  private static long seed(Section fields, EcmpSettings base) {
    if (!fields.has("hashSeed")) {
      return base.seed();
    }
    boolean own = fields.text("hashSeed", null).equals("own");
    return own ? EcmpSettings.OWN_SEED : fields.count("hashSeed", null, 0, Integer.MAX_VALUE);
  }

  private static long reconvergence(Section fields, EcmpSettings base) {
    if (!fields.has("reconvergence")) {
      return base.reconvergenceNs();
    }
    boolean never = fields.text("reconvergence", null).equals("never");
    return never ? EcmpSettings.NEVER : fields.timeNs("reconvergence", null, 0, MAX_NS);
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String constant(String word) {
    return word.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
