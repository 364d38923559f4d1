// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The presets against the table of their specification [FE 5]. */
class PresetTest {
  private static final long GBIT = 1_000_000_000;

  /**
   * A round trip of 9.3 us at 100 Gbit/s is a BDP of 116,250 bytes: 5, 0.2 and 0.8 of it. The MTU
   * of deep is that of its Ethernet, 9,000, and 4,096 the largest of RoCE.
   */
  @ParameterizedTest
  @CsvSource({
    "lossless-100g, 100, 400,   10000, 4096,      -1, 33554432, 0.125,  400000, 1600000, 0.2, true",
    "lossy-100g,    100, 100,    9300, 4096,  581250,       -1,    -1,   23250,   93000, 1, false",
    "shallow,       100, 100,   10000, 4096,  100000,       -1,    -1,   20000,   80000, 1, false",
    "deep,          400, 400,   20000, 4096,  -1,  100000000,       1, 1048576, 2097152, .05,"
        + " false",
    "lossy-wan,      10,  10, 5000000, 4096, 8000000,       -1,    -1, 1000000, 4000000, 1, false",
    "tiny-sw,         1,   1,  200000, 1024,   64000,       -1,    -1,    8000,   32000, 1, false",
  })
  void aPresetIsThatOfTheTable(
      String name,
      long host,
      long up,
      long rttNs,
      int mtu,
      long queueBytes,
      long memoryBytes,
      double alpha,
      long kmin,
      long kmax,
      double pmax,
      boolean lossless) {
    Preset preset = Preset.of(name);
    Topology topology = preset.topology(2, 2, 2);
    assertEquals(host * GBIT, preset.hostBitsPerSecond());
    for (Topology.Link link : topology.links()) {
      boolean isEdge = Math.min(link.from(), link.to()) < topology.hosts();
      assertEquals((isEdge ? host : up) * GBIT, link.cable().bitsPerSecond());
    }
    assertEquals(rttNs, preset.baseRttNs());
    assertEquals(mtu, preset.mtuBytes());
    SwitchSettings switches = preset.settings().switches();
    BufferSettings buffer = switches.buffer();
    if (queueBytes >= 0) {
      assertEquals(queueBytes, buffer.queueBytes());
    } else {
      assertEquals(memoryBytes, buffer.totalBytes());
      assertEquals(alpha, buffer.alpha());
    }
    TrafficClass data = switches.classes().get(TrafficClasses.DATA);
    assertEquals(EcnSettings.red(kmin, kmax, pmax), data.ecn());
    assertEquals(lossless, data.lossless());
    assertEquals(lossless, preset.settings().hosts().classes().get(TrafficClasses.DATA).lossless());
  }
}
