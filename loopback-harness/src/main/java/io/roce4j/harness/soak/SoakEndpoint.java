// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.congestion.VisibleSignals;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.live.ImpairedPort;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.ip.Gid;
import java.util.BitSet;
import org.agrona.concurrent.NanoClock;

/** One endpoint of a soak: its port, the impairments in front of it, its agent. */
final class SoakEndpoint implements AutoCloseable {
  private static final int STAGE_PACKETS = 2048;
  private static final int DELAY_STAGE_PACKETS = 16_384;
  private static final int TRAINS_A_CYCLE = 16;
  private static final int RECEIVE_BURST_PACKETS = 2_048;

  /** Where impairments sit. There is one right place; a test has another [FC-56]. */
  interface Attachment {
    /** In front of the port that carries the packets. */
    Attachment IN_FRONT = (wire, impaired) -> impaired;

    /** Returns the port that the endpoint uses. */
    DatagramPort top(DatagramPort wire, ImpairedPort impaired);
  }

  private final String name;
  private final String portName;
  private final String portReason;
  private final PortSettings settings;
  private final LinkWatch watch;
  private final ImpairedPort impaired;
  private final EndpointAgent agent;

  /**
   * Opens the port and the endpoint over it; nothing runs yet.
   *
   * @param name tells this endpoint's dice and keys from the other's
   * @param plan of the run
   * @param settings of the port
   * @param impairment of what it sends
   * @param tap for the capture, or null
   * @param attachment where the impairments sit
   * @param clock of the endpoint
   * @throws ToolException when the port cannot be opened
   */
  SoakEndpoint(
      String name,
      SoakPlan plan,
      PortSettings settings,
      Impairment impairment,
      CaptureTap tap,
      Attachment attachment,
      NanoClock clock) {
    this.name = name;
    this.settings = settings;
    SeededStreams streams = new SeededStreams(plan.seed());
    Ports.Opened opened = open(plan.portName(), settings);
    portName = opened.port().capabilities().name();
    portReason = opened.reason();
    DatagramPort port = opened.port();
    watch = new LinkWatch(tap);
    port.tap(watch);
    if (impairment.isNone()) {
      impaired = null;
    } else {
      PacketDice dice = new PacketDice(impairment, streams.child("link." + name));
      int stage = impairment.delayNs() > 0 ? DELAY_STAGE_PACKETS : STAGE_PACKETS;
      impaired = new ImpairedPort(port, dice, stage);
      port = attachment.top(port, impaired);
    }
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withTrainPackets(plan.trainPackets())
            .withWindowPackets(plan.windowPackets())
            // One thread drives both ends: what one sends in a cycle the other must take in the
            // next, or the socket between them overflows and this host adds losses of its own.
            .withTransmitTrains(TRAINS_A_CYCLE)
            .withReceiveBurstPackets(RECEIVE_BURST_PACKETS);
    ContextSettings context = new ContextSettings().seed(streams.derive("keys." + name));
    try {
      agent = EndpointAgent.open(context, engine, port, clock);
    } catch (RuntimeException e) {
      port.close();
      throw e;
    }
  }

  /**
   * Refuses a congestion controller that would run blind, unless it is forced to.
   *
   * @throws ToolException naming the missing signal and the cure
   */
  void requireSignals(SoakPlan plan) {
    if (!plan.isForced()) {
      VisibleSignals.on(agent.port().capabilities(), plan.connection().profile())
          .require(plan.connection().congestion());
    }
  }

  private static Ports.Opened open(String portName, PortSettings settings) {
    try {
      return Ports.open(portName, settings);
    } catch (PortException e) {
      throw ToolException.machine(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--io " + portName + ": " + e.getMessage(), e);
    }
  }

  EndpointAgent agent() {
    return agent;
  }

  /** Name of the port as opened. */
  String portName() {
    return portName;
  }

  /** Why that port. */
  String portReason() {
    return portReason;
  }

  /** What flows share on this endpoint. */
  FlowSide side(MessagePattern pattern) {
    DatagramPort port = agent.port();
    return new FlowSide(
        name,
        agent.context(),
        address(port.localGidHi(), port.localGidLo(), settings.udpPort()),
        pattern);
  }

  /** An address vector with the defaults of soak. */
  static AddressVector address(long gidHi, long gidLo, int udpPort) {
    AddressVector base = AddressVector.of(gidHi, gidLo);
    return new AddressVector(
        base.gidHi(),
        base.gidLo(),
        udpPort,
        base.trafficClass(),
        base.flowLabel(),
        base.hopLimit(),
        base.udpSourcePort());
  }

  /** Lets this end of a link know the other, which is of this process too. */
  void meet(SoakEndpoint other) {
    watch.expect(other.gid(), other.sourcePorts());
    if (other.impaired != null) {
      other.impaired.offeredTap(watch::onSent);
    }
  }

  private Gid gid() {
    return new Gid(agent.port().localGidHi(), agent.port().localGidLo());
  }

  /** The UDP ports that this endpoint sends from. */
  BitSet sourcePorts() {
    DatagramPort port = agent.port();
    BitSet ports = new BitSet();
    for (int slot = 0; slot < port.capabilities().pathSlots(); slot++) {
      ports.set(port.sourcePort(slot));
    }
    return ports;
  }

  /** What arrives here. */
  LinkWatch watch() {
    return watch;
  }

  /** What the impairments did so far; all zero when there are none. */
  ImpairmentCounts network() {
    ImpairmentCounts sum = new ImpairmentCounts();
    if (impaired != null) {
      sum.add(impaired.impairmentCounts());
    }
    return sum;
  }

  /** Packets that the impairments hold at the moment. */
  long packetsInside() {
    return impaired == null ? 0 : impaired.packetsInside();
  }

  /** Also closes the impairments where they are not what the endpoint uses. Idempotent. */
  @Override
  public void close() {
    agent.close();
    if (impaired != null) {
      impaired.close();
    }
  }
}
