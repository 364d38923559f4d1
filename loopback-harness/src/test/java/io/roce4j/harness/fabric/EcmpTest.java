// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.EcmpSettings;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HashFunction;
import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PacketMatch;
import io.roce4j.harness.fabric.topology.PortImpairment;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.fabric.topology.Topology;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How flows and packets spread over equal paths, and what failures do to them. */
class EcmpTest {
  private static final Cable CABLE = Cable.gbit(100, 10);
  private static final long US = 1_000;

  private static FabricSettings with(EcmpSettings ecmp) {
    return FabricSettings.defaults().withSwitches(SwitchSettings.defaults().withEcmp(ecmp));
  }

  /** The spine each flow of a permutation takes, found by a packet of each. */
  private static int[] spines(int leaves, int width, int[] target, long seed) {
    Topology topology = Topologies.leafSpine(leaves, width, width, CABLE, CABLE);
    try (Fabric fabric =
        new Fabric(topology, with(EcmpSettings.perFlow()), seed, LinkObserver.NONE)) {
      PathUse paths = fabric.recordPaths();
      List<SimPort> ports = new ArrayList<>();
      for (int host = 0; host < target.length; host++) {
        ports.add(fabric.host(host).openPort());
      }
      for (int host = 0; host < target.length; host++) {
        new PacketSource(fabric, ports.get(host), target[host], 0, 64, 1).start(1, 0);
      }
      fabric.runUntilNs(100 * US);
      int[] spines = new int[target.length];
      for (int host = 0; host < target.length; host++) {
        List<PathUse.Share> shares = paths.of(host, target[host], 0xC000);
        spines[host] = shares.isEmpty() ? -1 : spineOf(shares.getFirst().port().name());
      }
      return spines;
    }
  }

  private static int spineOf(String port) {
    return Integer.parseInt(port.substring(port.indexOf("spine") + 5));
  }

  @ParameterizedTest
  @CsvSource({"4, 4, .70, .40", "8, 4, .62, .34", "8, 8, .61, .29"})
  void aPermutationOverEcmpGetsTheRatesOfRandomSpines(
      int leaves, int width, double mean, double slowest) {
    int hosts = leaves * width;
    Random random = new Random(5);
    double meanSum = 0;
    double slowestSum = 0;
    int runs = 60;
    for (int run = 0; run < runs; run++) {
      List<Integer> order = new ArrayList<>();
      for (int host = 0; host < hosts; host++) {
        order.add(host);
      }
      Collections.shuffle(order, random);
      int[] target = new int[hosts];
      for (int i = 0; i < hosts; i++) {
        target[order.get(i)] = order.get((i + 1) % hosts);
      }
      double[] rates = maxMin(width, target, spines(leaves, width, target, run));
      meanSum += Arrays.stream(rates).average().orElseThrow();
      slowestSum += Arrays.stream(rates).min().orElseThrow();
    }
    assertEquals(mean, meanSum / runs, 0.04);
    assertEquals(slowest, slowestSum / runs, 0.05);
  }

  /** Max-min fair rates over the links of a leaf-spine: fills all flows up at the same pace. */
  private static double[] maxMin(int width, int[] target, int[] spine) {
    double[] rates = new double[target.length];
    boolean[] frozen = new boolean[target.length];
    Map<String, List<Integer>> links = new TreeMap<>();
    for (int flow = 0; flow < target.length; flow++) {
      links.computeIfAbsent("in" + flow, key -> new ArrayList<>()).add(flow);
      links.computeIfAbsent("out" + target[flow], key -> new ArrayList<>()).add(flow);
      if (spine[flow] >= 0) {
        String up = "up" + flow / width + "." + spine[flow];
        String down = "down" + target[flow] / width + "." + spine[flow];
        links.computeIfAbsent(up, key -> new ArrayList<>()).add(flow);
        links.computeIfAbsent(down, key -> new ArrayList<>()).add(flow);
      }
    }
    boolean moves = true;
    while (moves) {
      double step = Double.MAX_VALUE;
      for (List<Integer> flows : links.values()) {
        long open = flows.stream().filter(flow -> !frozen[flow]).count();
        double used = flows.stream().mapToDouble(flow -> rates[flow]).sum();
        step = open == 0 ? step : Math.min(step, (1 - used) / open);
      }
      moves = step < Double.MAX_VALUE;
      for (int flow = 0; flow < target.length; flow++) {
        rates[flow] += moves && !frozen[flow] ? step : 0;
      }
      for (List<Integer> flows : links.values()) {
        if (flows.stream().mapToDouble(flow -> rates[flow]).sum() > 1 - 1e-9) {
          flows.forEach(flow -> frozen[flow] = true);
        }
      }
    }
    return rates;
  }

  @Test
  void flowsAsManyAsUplinksUseTheirShareOfThem() {
    int width = 8;
    int used = 0;
    int runs = 60;
    int[] target = new int[2 * width];
    for (int host = 0; host < target.length; host++) {
      target[host] = (host + width) % target.length;
    }
    for (int run = 0; run < runs; run++) {
      int[] spines = spines(2, width, target, 1_000 + run);
      used += (int) Arrays.stream(spines, 0, width).distinct().count();
    }
    assertEquals(1 - Math.pow(1 - 1.0 / width, width), used / (double) (runs * width), 0.03);
  }

  @Test
  void equalSeedsPolariseTheSecondTier() {
    assertEquals(8 * 4, coreLinksUsed(EcmpSettings.perFlow().withSeed(42)), "one of four each");
    assertTrue(coreLinksUsed(EcmpSettings.perFlow()) > 0.95 * 8 * 4 * 4);
  }

  /** Links from aggregation to core that carry anything under all-to-all between pods. */
  private static int coreLinksUsed(EcmpSettings ecmp) {
    try (Fabric fabric =
        new Fabric(Topologies.fatTree(8, CABLE), with(ecmp), 3, LinkObserver.NONE)) {
      List<SimPort> ports = new ArrayList<>();
      for (int host = 0; host < 128; host++) {
        ports.add(fabric.host(host).openPort());
      }
      for (int host = 0; host < 128; host++) {
        new PacketSource(fabric, ports.get(host), (host + 16) % 128, 0, 64, 10_000)
            .overPaths(64)
            .start(64, 0);
      }
      fabric.runUntilNs(100 * US);
      int used = 0;
      for (FabricPort port : fabric.ports()) {
        used += port.name().matches("agg.*>core.*") && port.sentPackets() > 0 ? 1 : 0;
      }
      return used;
    }
  }

  @ParameterizedTest
  @EnumSource(HashFunction.class)
  void everyHashSpreadsManySourcePorts(HashFunction hash) {
    int[] packets = new int[8];
    for (int port = 0; port < 4_096; port++) {
      int ports = (0xC000 + port) << 16 | 4791;
      packets[Integer.remainderUnsigned(hash.hash(77, 0x0A00_0001, 0x0A00_0002, ports, 0), 8)]++;
    }
    int least = Arrays.stream(packets).min().orElseThrow();
    assertTrue(least > 400, hash + " " + Arrays.toString(packets));
  }

  @Test
  void hashesAreThoseOfTheirNames() {
    // CRC-32 of four zero words and seed 0: the standard CRC of 16 zero bytes is 0xecbb4b55.
    assertEquals(0xECBB_4B55, HashFunction.CRC32.hash(0, 0, 0, 0, 0));
    CRC32C castagnoli = new CRC32C();
    castagnoli.update(new byte[] {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4});
    assertEquals((int) castagnoli.getValue(), HashFunction.CRC32C.hash(0, 1, 2, 3, 4));
  }

  @Test
  void murmurChangesHalfOfItsBitsWhateverBitOfTheInputChanges() {
    int plain = HashFunction.MURMUR3.hash(1, 2, 3, 4, 5);
    double changed = 0;
    for (int bit = 0; bit < 32; bit++) {
      changed += Integer.bitCount(plain ^ HashFunction.MURMUR3.hash(1, 2 ^ 1 << bit, 3, 4, 5));
      changed += Integer.bitCount(plain ^ HashFunction.MURMUR3.hash(1, 2, 3, 4 ^ 1 << bit, 5));
      changed += Integer.bitCount(plain ^ HashFunction.MURMUR3.hash(1 ^ 1 << bit, 2, 3, 4, 5));
    }
    assertEquals(16, changed / 96, 1);
  }

  @Test
  void aFailureMovesAllFlowsWithModuloAndItsOwnWithAResilientTable() {
    EcmpSettings modulo = EcmpSettings.perFlow().reconvergingAfterNs(0);
    assertTrue(movedFlows(modulo) > 60, movedFlows(modulo) + " flows");
    int resilient = movedFlows(modulo.resilient(512));
    assertTrue(resilient > 10 && resilient < 50, resilient + " flows: a quarter");
  }

  /** Flows of 128 whose spine changes when one of four is cut off. */
  private static int movedFlows(EcmpSettings ecmp) {
    Topology topology = Topologies.leafSpine(2, 1, 4, CABLE, CABLE);
    try (Fabric fabric = new Fabric(topology, with(ecmp), 3, LinkObserver.NONE)) {
      fabric.host(1).openPort();
      SimPort sender = fabric.host(0).openPort();
      PathUse paths = fabric.recordPaths();
      new PacketSource(fabric, sender, 1, 0, 64, 100_000).overPaths(128).start(128, 0);
      fabric.faults().down("leaf0>spine2", 50 * US, FabricFaults.NEVER);
      new PacketSource(fabric, sender, 1, 0, 64, 100_000).overPaths(128).start(128, 60 * US);
      fabric.runUntilNs(200 * US);
      int moved = 0;
      for (int path = 0; path < 128; path++) {
        moved += paths.of(0, 1, 0xC000 + path).size() > 1 ? 1 : 0;
      }
      assertEquals(0, fabric.counts().droppedPackets());
      return moved;
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "100000, 25", "-1, 50"})
  void packetsAreLostUntilRoutesFollowAFailure(long reconvergenceNs, int expectedLost) {
    Topology topology = Topologies.leafSpine(2, 1, 4, CABLE, CABLE);
    EcmpSettings ecmp =
        EcmpSettings.perFlow()
            .withMode(EcmpSettings.Mode.ROUND_ROBIN)
            .reconvergingAfterNs(reconvergenceNs);
    try (Fabric fabric = new Fabric(topology, with(ecmp), 3, LinkObserver.NONE)) {
      fabric.host(1).openPort();
      SimPort sender = fabric.host(0).openPort();
      // A packet each microsecond; the cable is down for 200 us: one of four is lost meanwhile.
      fabric.faults().down("leaf0>spine2", 100 * US, 300 * US);
      new PacketSource(fabric, sender, 1, 0, 64, 1_000_000).start(400, 0);
      fabric.runUntilNs(1_000 * US);
      long lost = fabric.counts().dropped[LinkObserver.LINK_DOWN];
      assertTrue(Math.abs(lost - expectedLost) <= 1, lost + " lost");
    }
  }

  @Test
  void aGreyCableAndABlackHoleHitOnlyTheirShare() {
    Topology topology = Topologies.leafSpine(2, 1, 4, CABLE, CABLE);
    EcmpSettings spray = EcmpSettings.perFlow().withMode(EcmpSettings.Mode.ROUND_ROBIN);
    try (Fabric fabric = new Fabric(topology, with(spray), 3, LinkObserver.NONE)) {
      fabric.host(1).openPort();
      SimPort sender = fabric.host(0).openPort();
      fabric.impair("leaf0>spine1", PortImpairment.none().losing(LossRule.independent(0.1)));
      PacketMatch quarter = PacketMatch.all().ofBucket(1, 4);
      fabric.impair("leaf0>spine3", PortImpairment.none().losing(LossRule.blackHole(quarter)));
      fabric.faults().blackHole("spine2", 0, 100 * US);
      new PacketSource(fabric, sender, 1, 0, 64, 100_000).overPaths(15).start(4_000, 0);
      fabric.runUntilNs(1_000 * US);
      long lost = fabric.counts().dropped[LinkObserver.LOST];
      assertTrue(Math.abs(lost - 100) < 35, lost + " lost");
      // 250 of the switch's time, and of the cable the source ports 1, 5, 9, 13 of 15.
      long swallowed = fabric.counts().dropped[LinkObserver.BLACK_HOLE];
      assertTrue(Math.abs(swallowed - 250 - 1_000 * 4 / 15) < 12, swallowed + " swallowed");
      assertTrue(fabric.judgeImpairments().isValid(), fabric.judgeImpairments().faults()::toString);
    }
  }

  @Test
  void anImpairmentThatMeetsNoPacketMakesTheRunInvalid() {
    try (Fabric fabric =
        new Fabric(Topologies.single(3, CABLE), FabricSettings.defaults(), 3, LinkObserver.NONE)) {
      fabric.impair("h2>s0", PortImpairment.none().losing(LossRule.independent(0.5)));
      fabric.host(1).openPort();
      new PacketSource(fabric, fabric.host(0).openPort(), 1, 0, 64, 100_000).start(100, 0);
      fabric.runUntilNs(100 * US);
      assertTrue(!fabric.judgeImpairments().isValid());
    }
  }

  @Test
  void aFlappingCableComesAndGoesAndEndsUp() {
    int[] changes = new int[2];
    LinkObserver counter =
        new LinkObserver() {
          @Override
          public void onLinkState(String port, boolean up) {
            changes[up ? 1 : 0]++;
          }

          @Override
          public void onDropped(String link, int slot, int reason) {}

          @Override
          public void onDuplicated(String link, int slot) {}

          @Override
          public void onCorrupted(String link, int slot, int bit) {}

          @Override
          public void onHeld(String link, int slot) {}
        };
    try (Fabric fabric =
        new Fabric(Topologies.single(2, CABLE), FabricSettings.defaults(), 3, counter)) {
      fabric.faults().flap("h0>s0", 50 * US, 10 * US, 5 * US, 0, 10_000 * US);
      fabric.runUntilNs(10_000 * US);
      assertTrue(fabric.port("h0>s0").isUp() && fabric.port("s0>h0").isUp());
      assertEquals(changes[0], changes[1]);
      // 10 ms over 65 us each, two directions.
      assertEquals(2 * 154, changes[0], 80);
    }
  }
}
