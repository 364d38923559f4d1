// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.BufferSettings;
import io.roce4j.harness.fabric.topology.PfcSettings;
import io.roce4j.harness.fabric.topology.SwitchSettings;
import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.Timeline;

/**
 * A switch: classify, route, admit, mark, queue. Each of its ports serves its queues by itself.
 *
 * <p>The latency of the switch has passed before {@link #receive}: accounting, marks and pauses are
 * those of the moment at which a packet enters its queue.
 *
 * <p>A switch that cuts through is handed a packet when its headers are in. It goes to its queue
 * then, unless the output is faster than the input and would run dry: such a packet is stored
 * first. A damaged frame goes on with its wrong check until somebody stores it, a switch or the
 * receiving host, and is dropped there.
 */
final class FabricSwitch extends FabricNode implements Timeline.Occurrence {
  private final FabricCore core;
  private final PacketFacts facts;
  private final SwitchSettings settings;
  private final TrafficClasses classes;
  private final int losslessMask;
  private final NextHopChooser chooser;
  private EcnMarker[] markers;
  private SharedBuffer buffer;
  private PauseSender pauseSender;
  private int[][] allNextHops;
  private int[][] nextHops;
  private boolean isBlackHole;
  private SwitchExtension extension;
  private int beingStored;

  FabricSwitch(FabricCore core, String name, int ports, SwitchSettings settings) {
    super(name, ports);
    this.core = core;
    this.facts = core.facts;
    this.settings = settings;
    this.classes = settings.classes();
    this.losslessMask = classes.losslessMask();
    this.chooser = new NextHopChooser(core, name, settings.ecmp(), this.ports);
  }

  SwitchSettings settings() {
    return settings;
  }

  SharedBuffer buffer() {
    return buffer;
  }

  PauseSender pauseSender() {
    return pauseSender;
  }

  /** Completes the switch once its ports are connected. */
  void complete() {
    long slowest = Long.MAX_VALUE;
    for (FabricPort port : ports) {
      slowest = Math.min(slowest, port.bitsPerSecond());
    }
    BufferSettings memory = settings.buffer();
    double[] alphas = new double[ports.length];
    long[] headrooms = new long[ports.length];
    markers = new EcnMarker[ports.length];
    for (int i = 0; i < ports.length; i++) {
      FabricPort port = ports[i];
      double factor = memory.alphaByRate() ? port.bitsPerSecond() / (double) slowest : 1;
      alphas[i] = memory.alpha() * factor;
      headrooms[i] = losslessMask == 0 ? 0 : headroom(port);
      EcnMarker marker =
          new EcnMarker(
              classes,
              port.peer() instanceof FabricHost,
              core.streams.stream("ecn." + port.name()));
      markers[i] = marker.isOn() ? marker : null;
      if (settings.watchdog() != null && losslessMask != 0) {
        port.watch(settings.watchdog().forPorts(ports.length));
      }
    }
    int lossless = Integer.bitCount(losslessMask);
    buffer = new SharedBuffer(name, memory, settings.pfc(), alphas, headrooms, lossless);
    if (losslessMask != 0) {
      pauseSender = new PauseSender(core, this, buffer, settings.pfc());
    }
  }

  private long headroom(FabricPort port) {
    PfcSettings pfc = settings.pfc();
    return pfc.headroomBytes() == PfcSettings.FITTING
        ? pfc.fittingHeadroomBytes(port.cable(), core.maxWireBytes(), settings.latencyNs())
        : pfc.headroomBytes();
  }

  /** The next hops when all cables are up; they are in force until others come. */
  void routes(int[][] nextHopsByHost) {
    allNextHops = nextHopsByHost;
    nextHops = nextHopsByHost;
  }

  /** The next hops over what is left. */
  void reroute(int[][] nextHopsByHost) {
    nextHops = nextHopsByHost;
  }

  void extend(SwitchExtension value) {
    extension = value;
  }

  /** Swallows everything from now on, or no longer: a switch that is up and forwards nothing. */
  void setBlackHole(boolean value) {
    isBlackHole = value;
  }

  @Override
  void receive(int port, int slot) {
    if (isBlackHole) {
      core.drop(name, slot, LinkObserver.BLACK_HOLE);
      return;
    }
    if (!settings.isCutThrough() && core.slots.isFrameDamaged(slot)) {
      core.drop(name, slot, LinkObserver.FRAME_ERROR);
      return;
    }
    if (settings.isRouter() && !facts.decrementTimeToLive(slot)) {
      core.drop(name, slot, LinkObserver.TTL_EXPIRED); // [FC-48]
      return;
    }
    int host = facts.destinationHost(slot);
    int[] choices = nextHops[host];
    if (choices.length == 0) {
      core.drop(name, slot, LinkObserver.NO_ROUTE);
      return;
    }
    int chosen =
        choices.length == 1 ? choices[0] : chooser.choose(choices, allNextHops[host], slot);
    if (core.pathUse != null && choices.length > 1) {
      int source = facts.sourceHost(slot);
      core.pathUse.count(source, host, core.slots.path(slot), ports[chosen]);
    }
    facts.ingress(slot, port);
    FabricPort out = ports[chosen];
    if (settings.isCutThrough() && out.bitsPerSecond() > ports[port].bitsPerSecond()) {
      store(port, out, slot);
    } else {
      admit(port, out, slot);
    }
  }

  /** Lets the rest of a packet come in first: the output would run dry. */
  private void store(int in, FabricPort out, int slot) {
    beingStored++;
    // Both directions of a cable have the same rate.
    long wholePs = core.timeline.nowPs() + ports[in].tailPs(facts.wireBytes(slot));
    core.timeline.schedule(wholePs, this, out.index(), (long) in << 32 | slot);
  }

  /** A packet that is stored first is all in. */
  @Override
  public void happen(int out, long argument) {
    int slot = (int) argument;
    beingStored--;
    if (isBlackHole) {
      core.drop(name, slot, LinkObserver.BLACK_HOLE);
    } else if (core.slots.isFrameDamaged(slot)) {
      core.drop(name, slot, LinkObserver.FRAME_ERROR);
    } else {
      admit((int) (argument >> 32), ports[out], slot);
    }
  }

  /** Packets whose headers are in, and the rest of which has to be. */
  int packetsBeingStored() {
    return beingStored;
  }

  private void admit(int in, FabricPort out, int slot) {
    int trafficClass = classes.classOf(facts.tos(slot));
    if (out.isClosed(trafficClass)) {
      out.drop(slot, LinkObserver.WATCHDOG);
      return;
    }
    if (markers[out.index()] != null && !mark(out, trafficClass, false, slot)) {
      out.drop(slot, LinkObserver.EARLY_DROP);
      return;
    }
    int reason = take(in, out, trafficClass, slot);
    if (reason != SharedBuffer.ADMITTED && extension != null) {
      reason = takeChanged(in, out, trafficClass, slot, reason);
    }
    if (reason != SharedBuffer.ADMITTED) {
      out.drop(slot, reason);
    }
  }

  /** Accounts a packet and queues it, or says why not. */
  private int take(int in, FabricPort out, int trafficClass, int slot) {
    int wireBytes = facts.wireBytes(slot);
    boolean isLossless = (losslessMask >>> trafficClass & 1) != 0;
    int reason =
        isLossless
            ? buffer.admitToGroup(in, trafficClass, wireBytes)
            : buffer.admitToQueue(out.index(), trafficClass, wireBytes);
    if (reason == SharedBuffer.ADMITTED) {
      if (isLossless) {
        pauseSender.onQueued(in, out.index(), trafficClass, wireBytes);
      }
      out.enqueue(slot, trafficClass, wireBytes);
    }
    return reason;
  }

  private int takeChanged(int in, FabricPort out, int trafficClass, int slot, int reason) {
    facts.settle(slot);
    int other = extension.onOverflow(out, trafficClass, slot);
    facts.enter(slot);
    if (other == SwitchExtension.DROP) {
      return reason;
    }
    int second = take(in, out, other, slot);
    core.counts.trimmed += second == SharedBuffer.ADMITTED ? 1 : 0;
    return second;
  }

  /** Marks a packet if it must be; false when it has to be dropped instead. */
  private boolean mark(FabricPort out, int trafficClass, boolean atDequeue, int slot) {
    int ecn = facts.tos(slot) & 3;
    EcnMarker marker = markers[out.index()];
    if (ecn != 0 && !atDequeue && marker.isOn(trafficClass)) {
      core.counts.markable++;
    }
    int decision = marker.decide(out, trafficClass, atDequeue, ecn != 0, buffer.sharedUse());
    if (decision == EcnMarker.MARK && ecn != FabricHeader.CE) {
      facts.markCongestion(slot);
      out.countMark(slot);
    }
    return decision != EcnMarker.DROP;
  }

  @Override
  void onDequeued(FabricPort port, int trafficClass, int slot) {
    int wireBytes = facts.wireBytes(slot);
    if ((losslessMask >>> trafficClass & 1) != 0) {
      int in = facts.ingress(slot);
      buffer.releaseFromGroup(in, trafficClass, wireBytes);
      pauseSender.onLeft(in, port.index(), trafficClass, wireBytes);
    } else {
      buffer.releaseFromQueue(port.index(), trafficClass, wireBytes);
    }
  }

  @Override
  void onDeparture(FabricPort port, int trafficClass, int slot) {
    if (markers[port.index()] != null) {
      mark(port, trafficClass, true, slot);
    }
    if (extension != null) {
      facts.settle(slot);
      extension.onDeparture(port, trafficClass, slot);
      facts.enter(slot);
    }
  }
}
