// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.HashFunction;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Reads {@code switches}: buffers, marking, pausing and path choice. */
final class SwitchFields {
  private static final long MAX_LATENCY_NS = 1_000_000;
  private static final long MAX_QUEUE_BYTES = 1L << 40;
  private static final String OWN = "own";

  private SwitchFields() {}

  static SwitchSettings read(Section fields, SwitchSettings base) {
    SwitchSettings switches =
        base.withLatencyNs(fields.timeNs("latency", base.latencyNs(), 0, MAX_LATENCY_NS))
            .withQueueBytes(fields.bytes("queue", base.queueBytes(), 1, MAX_QUEUE_BYTES))
            .withEcmp(ecmp(fields, base.ecmp()));
    fields.end();
    return switches;
  }

  private static EcmpSettings ecmp(Section fields, EcmpSettings base) {
    List<String> hashes = Arrays.stream(HashFunction.values()).map(SwitchFields::word).toList();
    String hash = fields.oneOf("hash", word(base.hash()), hashes);
    EcmpSettings changed = base.withHash(HashFunction.valueOf(constant(hash)));
    if (!fields.has("hashSeed") || fields.text("hashSeed", null).equals(OWN)) {
      return changed;
    }
    return changed.withSeed(fields.count("hashSeed", null, 0, Integer.MAX_VALUE));
  }

  private static String word(HashFunction function) {
    return function.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String constant(String word) {
    return word.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
