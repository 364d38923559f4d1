// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.roce4j.harness.check.Journal;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.fabric.topology.BufferSettings;
import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.Preset;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.fabric.topology.TrafficClass;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.EndpointJournal;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a run tells of itself: journals, logs, captures, samples, diagnoses. */
class FabricReportsTest {
  private static final Cable CABLE = Cable.gbit(100, 100);
  private static final long MS = 1_000_000;
  private static final ConnectionSettings DATA =
      ConnectionSettings.defaults().withTrafficClass(Preset.DATA_TOS).withTimeout(16, 7);

  /** Runs a small lossy leaf-spine and returns the digest of everything that happened. */
  static String journalOf(long seed) {
    return journalOf(seed, false);
  }

  private static String journalOf(long seed, boolean leavesPayloadsOut) {
    Journal journal = new Journal(OutputStream.nullOutputStream());
    Topology topology = Topologies.leafSpine(2, 2, 2, CABLE, CABLE);
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(SwitchSettings.defaults().withEcmp(EcmpSettings.spraying()));
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(seed), 65_541);
        Fabric fabric =
            new Fabric(
                topology,
                settings,
                seed,
                EndpointJournal.links(journal),
                leavesPayloadsOut ? pattern : null);
        FabricTraffic traffic =
            new FabricTraffic(
                fabric,
                host ->
                    EndpointSettings.defaults()
                        .withEvents(new EndpointJournal(journal, fabric.timeline(), "h" + host)),
                pattern)) {
      traffic.tapping(host -> new EndpointJournal(journal, fabric.timeline(), "h" + host));
      for (int host = 0; host < 4; host++) {
        // Lengths with a pad, with a short last packet, and smaller than a slot's head.
        int bytes = host == 3 ? 77 : 65_536 + host * 3 - 3;
        traffic.add(host, (host + 1) % 4, WritePlan.once(bytes).withMessages(3, 2));
      }
      fabric.impair(
          "leaf0>spine1",
          PortImpairment.none()
              .losing(LossRule.bursts(0.05, 3))
              .duplicating(0.02, 500)
              .corrupting(0.1, 2));
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 1_000 * MS), "done");
      assertEquals(List.of(), traffic.findings().first());
      assertTrue(seed != 1 || traffic.count(CounterId.RX_ICRC_ENCAPSULATED) > 0);
    }
    assertTrue(journal.lines() > 300, journal.lines() + " lines");
    return journal.finish();
  }

  @Test
  void packetsWithoutPayloadAreTheVerySamePackets() {
    for (long seed = 1; seed < 6; seed++) {
      assertEquals(journalOf(seed, false), journalOf(seed, true));
    }
  }

  @Test
  void aPayloadThatIsNotOfThePatternIsRefusedWhereNoneIsCarried() {
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(1), 4_096);
        Fabric fabric =
            new Fabric(
                Topologies.single(2, CABLE),
                FabricSettings.defaults(),
                1,
                (timeline, slots) -> LinkObserver.NONE,
                pattern)) {
      PacketSource foreign =
          new PacketSource(fabric, fabric.host(0).openPort(), 1, 0, 1_000, 1).start(1, 0);
      String message =
          assertThrows(IllegalStateException.class, () -> fabric.runUntilNs(MS)).getMessage();
      assertTrue(message.contains("1000 bytes does not carry the pattern"), message);
      assertEquals(0, foreign.sent());
    }
  }

  @Test
  void theSameSeedGivesTheSameJournalAndAnotherSeedAnother() {
    assertEquals(journalOf(1), journalOf(1));
    assertNotEquals(journalOf(1), journalOf(2));
  }

  /** Started in a JVM of its own: prints the digest. */
  public static final class Child {
    private Child() {}

    /**
     * Runs.
     *
     * @param args the seed
     */
    public static void main(String[] args) {
      System.out.println(journalOf(Long.parseLong(args[0])));
    }
  }

  @Test
  void interpretedAndCompiledRunsWriteTheSameJournal() throws Exception {
    String java = ProcessHandle.current().info().command().orElseThrow();
    Process child =
        new ProcessBuilder(
                java,
                "-Xint",
                "--add-exports",
                "java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName(),
                "1")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, child.waitFor());
    assertEquals(journalOf(1), printed.strip());
  }

  @Test
  void theEventLogHasALineOfJsonForEachDecision() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    FabricEventLog[] log = new FabricEventLog[1];
    LinkObserver.Maker maker =
        (timeline, slots) -> {
          log[0] = new FabricEventLog(timeline, slots, bytes);
          return log[0];
        };
    Topology topology = Topologies.single(2, CABLE);
    long dropped;
    try (Fabric fabric = new Fabric(topology, FabricSettings.defaults(), 1, maker);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 20)) {
      traffic.add(0, 1, WritePlan.once(1 << 20));
      fabric.impair("h0>s0", PortImpairment.none().losing(LossRule.everyNth(100)));
      fabric.faults().down("h1>s0", 400_000, 410_000);
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 100 * MS));
      fabric.runUntilNs(100 * MS);
      dropped = fabric.counts().droppedPackets();
    }
    log[0].close();
    ObjectMapper mapper = new ObjectMapper();
    int drops = 0;
    int links = 0;
    for (String line : bytes.toString(StandardCharsets.UTF_8).lines().toList()) {
      JsonNode event = mapper.readTree(line);
      drops += event.get("event").asText().equals("drop") ? 1 : 0;
      links += event.get("event").asText().startsWith("link") ? 1 : 0;
      assertTrue(event.get("timePs").asLong() > 0 && event.has("port"), line);
    }
    assertTrue(drops > 0);
    assertEquals(dropped, drops);
    assertEquals(4, links);
  }

  @Test
  void aCaptureHoldsWhatAPortSentWithCommentsOnWhatWasLostThere() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Fabric fabric =
            new Fabric(
                Topologies.single(2, CABLE), FabricSettings.defaults(), 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 65_536)) {
      traffic.add(0, 1, WritePlan.once(65_536));
      fabric.impair("h0>s0", PortImpairment.none().losing(LossRule.everyNth(10)));
      List<FabricPort> ports = List.of(fabric.port("h0>s0"), fabric.port("s0>h0"));
      try (FabricCapture capture = fabric.capture(ports, bytes)) {
        fabric.start();
        assertTrue(fabric.run(traffic::isDone, 100 * MS));
        fabric.host(0).sendPause(1 << 3, 100);
        long sent = ports.get(0).sentPackets() + ports.get(1).sentPackets();
        long lost = fabric.counts().droppedPackets();
        assertEquals(sent + lost + 1, capture.frames());
      }
    }
    int lost = 0;
    int frames = 0;
    try (CaptureReader reader =
        CaptureReader.open(new ByteArrayInputStream(bytes.toByteArray()), "capture")) {
      CapturedPacket packet = new CapturedPacket();
      while (reader.next(packet)) {
        frames++;
        lost += packet.comment().equals("lost") ? 1 : 0;
      }
    }
    assertTrue(frames > 20 && lost > 0);
  }

  @Test
  void samplesShowTheQueueOverTimeAndAddUp() {
    Topology topology = Topologies.single(3, CABLE);
    try (Fabric fabric = new Fabric(topology, FabricSettings.defaults(), 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 18)) {
      traffic.add(0, 2, WritePlan.once(1 << 18));
      traffic.add(1, 2, WritePlan.once(1 << 18));
      FabricPort port = fabric.port("s0>h2");
      FabricSampler sampler = fabric.sample(List.of(port), 1_000, 200_000);
      fabric.start();
      fabric.runUntilNs(200_000);
      assertEquals(200, sampler.samples());
      long most = 0;
      long sent = 0;
      for (int i = 0; i < sampler.samples(); i++) {
        most = Math.max(most, sampler.value(0, FabricSampler.Quantity.QUEUE_BYTES, i));
        sent += sampler.value(0, FabricSampler.Quantity.SENT_BYTES, i);
      }
      assertEquals(port.sentBytes(), sent);
      assertTrue(most > 200_000 && most <= port.maxQueueBytes());
      assertThrows(
          IllegalArgumentException.class, () -> fabric.sample(fabric.ports(), 1, 1_000 * MS));
    }
  }

  @Test
  void thePathsOfAFlowAreOneWithHashingAndAllWithSpraying() {
    assertEquals(1, pathsOf(EcmpSettings.perFlow()).size());
    List<PathUse.Share> sprayed = pathsOf(EcmpSettings.spraying());
    assertEquals(4, sprayed.size());
    assertTrue(sprayed.stream().allMatch(share -> share.packets() > 30), sprayed.toString());
    List<PathUse.Share> inTurn =
        pathsOf(EcmpSettings.perFlow().withMode(EcmpSettings.Mode.ROUND_ROBIN));
    assertTrue(inTurn.stream().allMatch(share -> share.packets() == 64), inTurn.toString());
    assertEquals(1, pathsOf(EcmpSettings.perFlow().byFlowlet(100_000)).size());
    assertEquals(1, pathsOf(EcmpSettings.perFlow().adaptive(10 * MS)).size());
    assertEquals(4, pathsOf(EcmpSettings.perFlow().adaptive(0)).size());
    assertEquals(1, pathsOf(EcmpSettings.perFlow().withMode(EcmpSettings.Mode.WEIGHTED)).size());
  }

  private static List<PathUse.Share> pathsOf(EcmpSettings ecmp) {
    Topology topology = Topologies.leafSpine(2, 1, 4, CABLE, CABLE);
    FabricSettings settings =
        FabricSettings.defaults().withSwitches(SwitchSettings.defaults().withEcmp(ecmp));
    try (Fabric fabric = new Fabric(topology, settings, 3, LinkObserver.NONE)) {
      PathUse paths = fabric.recordPaths();
      fabric.host(1).openPort();
      PacketSource source =
          new PacketSource(fabric, fabric.host(0).openPort(), 1, 0, 1_000, 100_000);
      source.start(256, 0);
      fabric.runUntilNs(MS);
      assertEquals(1, paths.flows());
      return paths.of(0, 1, 0xC000);
    }
  }

  @ParameterizedTest
  @EnumSource(Preset.class)
  void aPresetHasTheRoundTripItSaysAndLosesNothingWhenItIsLossless(Preset preset) {
    try (Fabric fabric =
            new Fabric(preset.topology(2, 2, 2), preset.settings(), 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 16)) {
      ConnectionSettings connection = DATA.withPathMtu(preset.mtuBytes()).withTimeout(22, 7);
      WriteFlow ping = traffic.add(0, 3, WritePlan.once(preset.mtuBytes()).over(connection));
      fabric.start();
      assertTrue(fabric.run(traffic::isDone, 10_000 * MS));
      assertEquals(1.0, ping.completionTimeNs() / (double) preset.baseRttNs(), 0.02);
      if (preset == Preset.LOSSLESS_100G) {
        for (int from = 0; from < 3; from++) {
          traffic.add(from, 3, new WritePlan(1 << 16, 40, 20, 0, -1, connection).startingAtNs(MS));
        }
        fabric.start();
        assertTrue(fabric.run(traffic::isDone, 100 * MS));
        assertEquals(0, fabric.counts().droppedPackets());
        assertTrue(fabric.counts().marked > 0);
      }
      assertEquals(preset, Preset.of(preset.label()));
      assertEquals(List.of(), preset.settings().switches().warnings());
    }
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> Preset.of("trim"))
            .getMessage()
            .contains("lossless-100g"));
  }

  @Test
  void aRingOfThreeSwitchesDeadlocksAndTheDiagnosisNamesTheCircle() {
    // Everyone sends to the host two switches on, and all routes go round the same way.
    Topology.Builder builder = Topology.builder("ring", 3, 1);
    for (int i = 0; i < 3; i++) {
      builder.addSwitch("s" + i, 0).connect("h" + i, "s" + i, Cable.gbit(400, 100));
    }
    for (int i = 0; i < 3; i++) {
      builder.connect("s" + i, "s" + (i + 1) % 3, CABLE);
    }
    for (int at = 0; at < 3; at++) {
      for (int host = 0; host < 3; host++) {
        if (at != host) {
          builder.route("s" + at, host, "s" + (at + 1) % 3);
        }
      }
    }
    TrafficClass data = TrafficClass.weighted("data", 1).lossless(true);
    SwitchSettings switches =
        SwitchSettings.defaults()
            .withClass(TrafficClasses.DATA, data)
            .withBuffer(BufferSettings.dynamic(4 << 20, 1))
            .withPfc(PfcSettings.defaults().withXoffBytes(40_000));
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(switches)
            .withHosts(
                HostSettings.defaults()
                    .withClasses(TrafficClasses.roce().with(TrafficClasses.DATA, data)));
    try (Fabric fabric = new Fabric(builder.build(), settings, 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 20)) {
      for (int from = 0; from < 3; from++) {
        traffic.add(
            from, (from + 2) % 3, WritePlan.endless(1 << 18, 8).over(DATA.withTimeout(20, 7)));
      }
      fabric.start();
      assertEquals(FabricTraffic.End.STANDSTILL, traffic.run(100 * MS, 2 * MS));
      assertTrue(fabric.clock().nanoTime() < 50 * MS);
      Diagnosis diagnosis = fabric.diagnose();
      assertTrue(diagnosis.isDeadlock(), diagnosis.toString());
      assertEquals(3, diagnosis.deadlock().size());
      assertTrue(
          diagnosis.deadlock().stream().allMatch(queue -> queue.matches("s.>s. class 3")),
          diagnosis.deadlock().toString());
      assertTrue(traffic.explain().getFirst().contains("has completed"));
      // It survives the removal of the load.
      traffic.flows().forEach(WriteFlow::stop);
      fabric.runUntilNs(fabric.clock().nanoTime() + 10 * MS);
      assertTrue(fabric.diagnose().isDeadlock());
      assertEquals(0, fabric.counts().droppedPackets());
    }
  }

  @Test
  void aStormsDiagnosisBeginsAtTheRootPort() {
    TrafficClass data = TrafficClass.weighted("data", 1).lossless(true);
    Topology topology = Topologies.leafSpine(2, 1, 1, CABLE, CABLE);
    SwitchSettings switches =
        SwitchSettings.defaults()
            .withClass(TrafficClasses.DATA, data)
            .withBuffer(BufferSettings.dynamic(4 << 20, 1))
            .withPfc(PfcSettings.defaults().withXoffBytes(40_000));
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(switches)
            .withHosts(
                HostSettings.defaults()
                    .withClasses(TrafficClasses.roce().with(TrafficClasses.DATA, data)));
    try (Fabric fabric = new Fabric(topology, settings, 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 1 << 20)) {
      traffic.add(1, 0, WritePlan.once(1 << 20).over(DATA.withTimeout(20, 7)));
      fabric.faults().pauseStorm(0, 1 << 3, 0xFFFF, 100_000, 1_000, FabricFaults.NEVER);
      fabric.start();
      assertEquals(FabricTraffic.End.STANDSTILL, traffic.run(100 * MS, 2 * MS));
      Diagnosis diagnosis = fabric.diagnose();
      assertFalse(diagnosis.isDeadlock());
      assertEquals(List.of("leaf0>h0 class 3: paused by h0 itself"), diagnosis.roots());
      assertEquals(3, diagnosis.waits().size(), diagnosis.waits().toString());
      assertEquals(0, traffic.count(CounterId.LOCAL_ACK_TIMEOUT_ERR));
    }
  }

  @Test
  void aNicWatchdogEndsAStormOfItsOwnHost() {
    TrafficClass data = TrafficClass.weighted("data", 1).lossless(true);
    FabricSettings settings =
        FabricSettings.defaults()
            .withSwitches(SwitchSettings.defaults().withClass(TrafficClasses.DATA, data))
            .withHosts(
                HostSettings.defaults()
                    .withClasses(TrafficClasses.roce().with(TrafficClasses.DATA, data))
                    .withNicWatchdogNs(MS));
    try (Fabric fabric = new Fabric(Topologies.single(2, CABLE), settings, 1, LinkObserver.NONE);
        FabricTraffic traffic = new FabricTraffic(fabric, EndpointSettings.defaults(), 4_096)) {
      WriteFlow flow =
          traffic.add(
              0, 1, WritePlan.once(4_096).over(DATA.withTimeout(20, 7)).startingAtNs(2_000));
      fabric.faults().pauseStorm(1, 1 << 3, 0xFFFF, 100_000, 0, FabricFaults.NEVER);
      fabric.start();
      assertEquals(FabricTraffic.End.DONE, traffic.run(100 * MS, 50 * MS));
      assertTrue(flow.completionTimeNs() > MS && flow.completionTimeNs() < MS + 400_000);
    }
  }
}
