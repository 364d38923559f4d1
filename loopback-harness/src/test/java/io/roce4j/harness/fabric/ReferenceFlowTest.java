// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.fabric.topology.Cable;
import io.roce4j.harness.fabric.topology.FabricSettings;
import io.roce4j.harness.fabric.topology.HostSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.Topologies;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.SimPort;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.Destination;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One flow without congestion control against two public simulators, with their packet sizes: host,
 * switch, host at 100 Gbit/s with 1 us on each cable, store and forward, an acknowledgement for
 * each packet.
 */
class ReferenceFlowTest {
  private static final int IP_UDP = 28;

  /** A row of the table: the sizes, and the time as the formula gives it. */
  record Row(String simulator, long flowBytes, int payload, int header, double analyticNs) {}

  static List<Row> rowsWithoutCongestionControl() throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                ReferenceFlowTest.class.getResourceAsStream("scenario1_single_flow.csv"),
                StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .skip(1)
          .map(line -> line.split(",", -1))
          .filter(f -> f[1].equals("none") || f[1].equals("roce_pfc"))
          .map(
              f ->
                  new Row(
                      f[0],
                      Long.parseLong(f[2]),
                      Integer.parseInt(f[3]),
                      Integer.parseInt(f[4]),
                      Double.parseDouble(f[8])))
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("rowsWithoutCongestionControl")
  void theFlowTakesTheTimeOfTheFormula(Row row) {
    // htsim sends full packets only and acknowledges with 64 bytes, ns-3 with 60.
    boolean fullOnly = row.simulator().equals("uet-htsim");
    int ackWire = fullOnly ? 64 : 60;
    FabricSettings settings =
        FabricSettings.defaults()
            .withFramingBytes(0)
            .withSwitches(SwitchSettings.defaults().withLatencyNs(0).withQueueBytes(1L << 30))
            .withHosts(HostSettings.defaults().withNicQueuePackets(4));
    Cable cable = new Cable(100_000_000_000L, 1_000);
    try (Fabric fabric = new Fabric(Topologies.single(2, cable), settings, 1, LinkObserver.NONE)) {
      Flow flow = new Flow(fabric, row, fullOnly, ackWire);
      flow.run();
      double packetNs = (row.payload() + row.header()) * 0.08;
      double tolerance =
          row.flowBytes() >= 1_000_000 ? Math.max(packetNs, row.analyticNs() / 1_000) : packetNs;
      double measured = flow.lastAckPs / (double) Timeline.PS_PER_NS;
      assertEquals(row.analyticNs(), measured, tolerance, row.toString());
      assertTrue(row.flowBytes() > 100_000 || Math.abs(measured - row.analyticNs()) < 1);
      assertEquals(0, fabric.counts().droppedPackets());
    }
  }

  /** Sender and receiver over bare ports. */
  private static final class Flow {
    private final Fabric fabric;
    private final SimPort sender;
    private final SimPort receiver;
    private final Destination there;
    private final Destination back;
    private final Row row;
    private final boolean fullOnly;
    private final int ackBytes;
    private final long packets;
    private long sent;
    private long acknowledged;
    private long lastAckPs;

    private Flow(Fabric fabric, Row row, boolean fullOnly, int ackWire) {
      this.fabric = fabric;
      this.row = row;
      this.fullOnly = fullOnly;
      this.ackBytes = ackWire - IP_UDP;
      this.packets = Math.ceilDiv(row.flowBytes(), row.payload());
      sender = fabric.host(0).openPort();
      receiver = fabric.host(1).openPort();
      there = to(sender, 1);
      back = to(receiver, 0);
    }

    private Destination to(SimPort from, int host) {
      return from.destination(
          fabric.host(host).address().high(), fabric.host(host).address().low(), 4791, 0, 0);
    }

    private void run() {
      DatagramHandler answers =
          (buffer, offset, length, segment, meta) -> send(receiver, back, ackBytes);
      DatagramHandler counts =
          (buffer, offset, length, segment, meta) -> {
            acknowledged++;
            lastAckPs = fabric.timeline().nowPs();
          };
      do {
        while (sent < packets && sender.open(0, there, 0, sizeOf(sent)) > 0) {
          send(sender, there, sizeOf(sent));
          sent++;
        }
        receiver.receive(answers, 64, fabric.clock().nanoTime());
        sender.receive(counts, 64, fabric.clock().nanoTime());
      } while (acknowledged < packets && fabric.step());
      assertEquals(packets, acknowledged);
    }

    /** UDP payload of a data packet: the wire has payload and header, IP and UDP included. */
    private int sizeOf(long index) {
      long payload = row.payload();
      if (index == packets - 1 && !fullOnly) {
        payload = row.flowBytes() - (packets - 1) * payload;
      }
      return (int) payload + row.header() - IP_UDP;
    }

    private void send(SimPort port, Destination destination, int length) {
      port.open(0, destination, 0, length);
      int at = port.claim();
      Bth.opcode(port.transmitBuffer(), at, Opcode.UC_SEND_ONLY);
      port.commit(length);
      port.flush(fabric.clock().nanoTime());
    }
  }
}
