// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.doctor;

import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortProvider;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks of the port that is wanted: its address and MTU, the rights, whether it opens, what it can
 * do, and whether a packet that it sends to itself arrives.
 */
final class PortChecks {
  private static final int PROBE_BYTES = Bth.LENGTH + 4;
  private static final int PROBE_TRIES = 5;
  private static final long PROBE_NS = 100_000_000;
  private static final long PARK_NS = 500_000;

  private final String portName;
  private final PortSettings settings;
  private int arrived;

  /**
   * Checks a port.
   *
   * @param portName kind, or auto
   * @param settings address and UDP port
   */
  PortChecks(String portName, PortSettings settings) {
    this.portName = portName;
    this.settings = settings;
  }

  /** All of them; what cannot be looked at for want of an earlier thing is left out. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    LocalInterface local;
    try {
      local = LocalInterface.of(settings.bindAddress());
    } catch (PortException e) {
      findings.add(Finding.fail("address", e.getMessage(), "give an address with --bind"));
      return findings;
    }
    findings.add(
        Finding.ok("address", settings.bindAddress().getHostAddress() + " is on " + local.name()));
    findings.add(mtu(local.name(), local.mtuBytes()));
    findings.addAll(kinds());
    open(findings);
    return findings;
  }

  /** Which path MTU the interface allows [FC-55]. */
  static Finding mtu(String interfaceName, int bytes) {
    String text = interfaceName + " has MTU " + bytes;
    int best = PathMtu.best(bytes);
    if (PathMtu.ipBytes(best) > bytes) {
      return Finding.fail(
          "MTU",
          text + ": not even path MTU " + PathMtu.MIN_BYTES + " fits with its headers",
          raise(interfaceName, PathMtu.MIN_BYTES));
    }
    if (best < PathMtu.MAX_BYTES) {
      return Finding.warn(
          "MTU",
          text + ": path MTU " + best + " is the largest that fits, 4096 makes fewer packets",
          raise(interfaceName, PathMtu.MAX_BYTES) + ", on every hop");
    }
    return Finding.ok("MTU", text + ": path MTU 4096 fits");
  }

  private static String raise(String interfaceName, int pathMtu) {
    return "ip link set dev " + interfaceName + " mtu " + Math.max(PathMtu.ipBytes(pathMtu), 576);
  }

  /** Every kind of port: whether it works here, and whether it is needed. */
  private List<Finding> kinds() {
    List<Finding> findings = new ArrayList<>();
    for (PortProvider provider : Ports.providers()) {
      String reason = provider.unavailableReason();
      boolean isWanted = provider.name().equals(portName);
      String check = "port " + provider.name();
      if (reason == null) {
        findings.add(Finding.ok(check, provider.description()));
      } else {
        String[] parts = split(reason, isWanted ? "use another --io" : "none, if it is not wanted");
        String text = "cannot work here: " + parts[0];
        findings.add(
            isWanted ? Finding.fail(check, text, parts[1]) : Finding.warn(check, text, parts[1]));
      }
    }
    return findings;
  }

  private void open(List<Finding> findings) {
    try (DatagramPort port = Ports.open(portName, settings).port()) {
      PortCapabilities can = port.capabilities();
      findings.add(
          Finding.ok(
              "UDP port", settings.udpPort() + " is free; port " + can.name() + " opens there"));
      findings.add(ecn(can));
      findings.add(reach(port));
    } catch (PortException e) {
      String[] parts = split(e.getMessage(), "use another --io or --bind");
      findings.add(Finding.fail("UDP port", parts[0], parts[1]));
    }
  }

  /** Messages of ports have cause and cure in one line, with a colon before the cure. */
  private static String[] split(String message, String otherwise) {
    int colon = message.lastIndexOf(": ");
    return colon < 0
        ? new String[] {message, otherwise}
        : new String[] {message.substring(0, colon), message.substring(colon + 2)};
  }

  /** Whether marks of the network can be seen. */
  static Finding ecn(PortCapabilities can) {
    if (can.ecnReceive()) {
      return Finding.ok("ECN", "port " + can.name() + " sees the marks of received packets");
    }
    return Finding.warn(
        "ECN",
        "port "
            + can.name()
            + " cannot see the marks of received packets: DCQCN hears of no"
            + " congestion",
        "use --io linux or --io raw");
  }

  /** Sends packets to the port itself: what a filter drops does not come back. */
  private Finding reach(DatagramPort port) {
    if (port.capabilities().ipHeaderSeen() && !isLoopback()) {
      return Finding.ok("reach", "not tried: frames of port raw do not come back to their sender");
    }
    Destination self =
        port.destination(port.localGidHi(), port.localGidLo(), port.localUdpPort(), 0, 0);
    int refused = 0;
    for (int i = 0; i < PROBE_TRIES && arrived == 0; i++) {
      if (port.open(0, self, 0, PROBE_BYTES) > 0) {
        int at = port.claim();
        Bth.write(
            port.transmitBuffer(), at, Opcode.UC_SEND_ONLY, false, true, 0, 0xFFFF, 1, false, i);
        port.commit(PROBE_BYTES);
      }
      awaitArrival(port);
      refused = port.counters().lastTxErrno;
    }
    return reach(port.localUdpPort(), arrived > 0, refused);
  }

  private boolean isLoopback() {
    return LocalInterface.of(settings.bindAddress()).loopback();
  }

  private void awaitArrival(DatagramPort port) {
    long sinceNs = System.nanoTime();
    while (arrived == 0 && System.nanoTime() - sinceNs < PROBE_NS) {
      port.flush(System.nanoTime());
      port.receive((buffer, offset, length, segmentBytes, meta) -> arrived++, 1, System.nanoTime());
      LockSupport.parkNanos(PARK_NS);
    }
  }

  static Finding reach(int udpPort, boolean hasArrived, int refusal) {
    if (hasArrived) {
      return Finding.ok("reach", "a packet to UDP port " + udpPort + " of this host arrives");
    }
    String why = refusal == 0 ? "" : " (the system refuses it with error " + refusal + ")";
    return Finding.fail(
        "reach",
        "no packet to UDP port "
            + udpPort
            + " of this host arrives"
            + why
            + ": a packet filter or a queueing discipline drops it, or the loopback interface is"
            + " down",
        "ip link set lo up; tc qdisc show; nft list ruleset; let UDP port " + udpPort + " pass");
  }
}
