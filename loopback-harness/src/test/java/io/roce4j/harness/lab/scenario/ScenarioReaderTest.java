// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.EcnSettings;
import io.roce4j.harness.fabric.topology.HashFunction;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.fabric.topology.WatchdogSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scenario files: what is read, and how a wrong one is told of. */
class ScenarioReaderTest {
  private static final String GOOD =
      """
      lab: two
      about: Two schemes.
      topology:
        shape: leaf-spine
        leaves: 2
        hostsPerLeaf: 2
        spines: 3
        hostRate: 100Gbit
        hostDelay: 500ns
      traffic:
        - pattern: shift
          by: 2
          message: 64KiB
          messages: 3
          depth: 2
          start: 10us
          stagger: 1us
      defaults:
        window: 128
        congestionSet: {g: 1/256}
        congestion: dcqcn
      schemes:
        - name: plain
        - name: other
          congestion: swift
          mtu: 1024B
          preset: lossless-100g
          mayStall: true
          switches:
            cutThrough: true
            memory: 4MiB
            ecn: {kmin: 100kB, kmax: 400kB, pmax: 20%, atDequeue: true}
            pfc: {xoff: 200kB, quanta: 100}
            watchdog: {time: 5ms, action: forward}
            spread: flowlet
            gap: 50us
            hash: crc32
            hashSeed: 7
            reconvergence: never
          faults:
            - {fault: pause-storm, host: h1, at: 1ms}
      faults:
        - {fault: impair, port: leaf*>spine*, loss: 1%, burst: 8, at: 1us, until: 2us}
        - {fault: link-flap, link: leaf0>spine1, meanUp: 1ms, meanDown: 1ms, until: 9ms}
      limit: 20ms
      seeds: 2
      samples: {every: 5us, ports: [leaf0>spine1]}
      claims:
        - {scheme: plain, metric: goodputMean, atLeast: 0.5}
        - {scheme: other, metric: fctMaxNs, atMost: 2, timesThatOf: plain}
      """;

  private static Scenario read(String text) {
    return ScenarioReader.read("lab.yaml", text);
  }

  @Test
  void everyFieldArrives() {
    Scenario scenario = read(GOOD);
    assertEquals("two", scenario.name());
    assertEquals(4, scenario.topology().hosts());
    assertEquals(5, scenario.topology().switches().size());
    assertEquals(100_000_000_000L, scenario.hostBitsPerSecond());
    assertEquals(20_000_000, scenario.limitNs());
    assertEquals(2, scenario.seeds());
    assertEquals(5_000, scenario.samples().everyNs());
    assertEquals(List.of("leaf0>spine1"), scenario.samples().ports());
    TrafficPlan.Group group = scenario.traffic().groups().get(0);
    assertEquals(65_536, group.messageBytes());
    assertEquals(3, group.messages());
    assertEquals(10_000, group.startNs());
    Scheme plain = scenario.schemes().get(0);
    assertEquals("dcqcn", plain.congestion());
    assertEquals(Map.of("g", "1/256"), plain.congestionParameters());
    assertEquals(128, plain.windowPackets());
    Scheme other = scenario.schemes().get(1);
    assertEquals("swift", other.congestion());
    assertEquals(Map.of(), other.congestionParameters());
    assertEquals(1024, other.pathMtuBytes());
    SwitchSettings switches = other.fabric().switches();
    assertTrue(switches.isCutThrough() && !plain.fabric().switches().isCutThrough());
    assertEquals(4 << 20, switches.buffer().totalBytes());
    EcnSettings ecn = switches.classes().get(TrafficClasses.DATA).ecn();
    assertEquals(EcnSettings.red(100_000, 400_000, 0.2).markingAtDequeue(), ecn);
    assertEquals(200_000, switches.pfc().xoffBytes());
    assertEquals(100, switches.pfc().quanta());
    assertEquals(5_000_000, switches.watchdog().detectNs());
    assertEquals(WatchdogSettings.Action.FORWARD, switches.watchdog().action());
    assertEquals(EcmpSettings.Mode.FLOWLET, switches.ecmp().mode());
    assertEquals(50_000, switches.ecmp().flowletGapNs());
    assertEquals(HashFunction.CRC32, switches.ecmp().hash());
    assertEquals(7, switches.ecmp().seed());
    assertEquals(EcmpSettings.NEVER, switches.ecmp().reconvergenceNs());
    // What the preset says stays where the scheme says nothing.
    assertEquals(4_096, switches.buffer().reservedBytes());
    assertTrue(switches.classes().get(TrafficClasses.DATA).lossless());
    assertTrue(other.fabric().hosts().classes().get(TrafficClasses.DATA).lossless());
    assertFalse(plain.fabric().hosts().classes().get(TrafficClasses.DATA).lossless());
    assertTrue(other.mayStall() && !plain.mayStall());
    assertEquals(List.of("pause-storm"), other.faults().stream().map(Fault::name).toList());
    assertEquals(
        List.of("impair", "link-flap"), scenario.faults().stream().map(Fault::name).toList());
    assertEquals(
        "other: fctMaxNs at most 2 times that of plain", scenario.claims().get(1).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "leaves: 2|leaves: -2|lab.yaml:5: topology.leaves: -2 is not allowed: 1 to 4096",
        "leaves: 2|leaves: many|lab.yaml:5: topology.leaves: 'many' is not a whole number",
        "hostRate: 100Gbit|hostRate: 100|lab.yaml:8: topology.hostRate: '100' is not a rate",
        "hostDelay: 500ns|hostDelay: 500|lab.yaml:9: topology.hostDelay: '500' is not a time",
        "message: 64KiB|message: 65536|message: '65536' has no unit: write 65536B",
        "message: 64KiB|size: 64KiB|lab.yaml:11: traffic[0].message: is missing",
        "spines: 3|spines: 3, colour: blue|is not YAML",
        "  spines: 3|  spines: 3\\n  colour: blue|colour is not a field here: allowed are",
        "shape: leaf-spine|shape: torus|'torus' is not known: allowed are single, dumbbell",
        "pattern: shift|pattern: storm|'storm' is not known: allowed are permutation, incast",
        "by: 2|by: 4|traffic[0].by: 4 is not allowed: 1 to 3",
        "g: 1/256|gg: 1/256|has no parameter 'gg'",
        "congestion: swift|congestion: quick|quick",
        "name: other|name: plain|schemes[1].name: 'plain' is the name of two schemes",
        "leaf0>spine1|leaf0>spine9|node spine9 is not in topology leafSpine",
        "leaf0>spine1|leaf0>leaf1|there is no cable between the two",
        "leaf0>spine1|leaf0|'leaf0' is not a port: write leaf0>spine1",
        "metric: goodputMean|metric: speed|'speed' is not known: allowed are goodputMean",
        "atLeast: 0.5|atLeast: half|'half' is not a number",
        "kmin: 100kB|kmin: 500kB|schemes[1].switches.ecn.kmax: 400000 is not allowed: 500000 to",
        "pmax: 20%|pmax: 120%|'120%' is more than 100%",
        "quanta: 100|quanta: 70000|schemes[1].switches.pfc.quanta: 70000 is not allowed: 1 to",
        "action: forward|action: explode|'explode' is not known: allowed are drop, forward, alert",
        "spread: flowlet|spread: magic|'magic' is not known: allowed are flow, weighted",
        "hash: crc32|hash: md5|'md5' is not known: allowed are murmur3, crc32",
        "preset: lossless-100g|preset: fast|'fast' is not known: allowed are lossless-100g",
        "memory: 4MiB|memory: 4|schemes[1].switches.memory: '4' has no unit",
        "fault: pause-storm|fault: fire|'fire' is not known: allowed are impair, link-down",
        "host: h1|host: h9|schemes[1].faults[0].host: node h9 is not in topology",
        "host: h1|host: leaf0|schemes[1].faults[0].host: 'leaf0' is a switch",
        "cutThrough: true|cutThrough: 1|schemes[1].switches.cutThrough: '1': write true or false",
        "loss: 1%|'loss: 1%, only: some'|'some' is not known: allowed are all, acks",
        "'loss: 1%, burst: 8'|'corrupt: 1%, only: acks'|faults[0].only: needs a loss or everyNth",
        "loss: 1%|bitErrors: 0.5|faults[0].bitErrors: 0.5 is not allowed: 0.0 to 0.01",
        "port: leaf*>spine*|port: core*>spine*|'core*>spine*' fits no port",
        "loss: 1%|loss: 1|'1' could be 1% or all",
        "'loss: 1%, burst: 8, '|''|needs a loss, everyNth, bitErrors, corrupt,",
        "'until: 9ms'|'at: 1us'|faults[1].until: is missing: flapping needs an end",
        "until: 2us|until: 1us|faults[0].until: 1000 is not allowed: 1001 to",
        "limit: 20ms|limit: 0|limit: 0 is not allowed: 1 to",
        "seeds: 2|payload: some|payload: 'some' is not known: allowed are carried, pattern",
        "seeds: 2|seeds: 0|seeds: 0 is not allowed: 1 to 10000",
        "lab: two|lab: two\\nlab: three|is there twice",
        "mtu: 1024B|mtu: 1500B|'1500B' is not known: allowed are 256B",
      })
  void wrongValueIsToldWithPlaceValueAndWhatIsAllowed(String from, String to, String says) {
    String text = GOOD.replace(from, to.replace("\\n", "\n"));
    assertTrue(!text.equals(GOOD), "the case changes nothing");
    ToolException e = assertThrows(ToolException.class, () -> read(text));
    assertEquals(2, e.exitCode());
    assertTrue(e.getMessage().contains(says), e.getMessage());
    assertTrue(e.getMessage().startsWith("lab.yaml:"), e.getMessage());
    assertEquals(1, e.getMessage().lines().count());
  }

  @ParameterizedTest
  @CsvSource({"''", "'- a'", "'\"just text\"'", "'{'", "'a: [1'", "'? {a: b}: c'", "'a: &x [*x]'"})
  void whatIsNoScenarioIsRefused(String text) {
    ToolException e = assertThrows(ToolException.class, () -> read(text));
    assertEquals(2, e.exitCode());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  @Test
  void missingFileIsRefused() {
    ToolException e =
        assertThrows(ToolException.class, () -> ScenarioReader.read(Path.of("no/such.yaml")));
    assertTrue(e.getMessage().contains("no/such.yaml: cannot be read"), e.getMessage());
  }

  @Test
  void deepNestingIsRefused() {
    String text = "a: " + "[".repeat(500) + "]".repeat(500);
    ToolException e = assertThrows(ToolException.class, () -> read(text));
    assertTrue(e.getMessage().contains("nested deeper than 20"), e.getMessage());
  }
}
