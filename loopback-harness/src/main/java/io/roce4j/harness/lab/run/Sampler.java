// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.fabric.FabricPort;
import io.roce4j.harness.fabric.flow.FabricTraffic;
import io.roce4j.harness.lab.scenario.SamplePlan;
import io.roce4j.transport.counters.CounterId;
import java.util.ArrayList;
import java.util.List;

/** Records a run over time: rates and events as what came since the last sample. */
final class Sampler {
  private static final double BITS = 8;
  private static final int MOST_RATES = 8;
  private static final String FULLEST = "fullest queue bytes";

  private final Fabric fabric;
  private final FabricTraffic traffic;
  private final SamplePlan plan;
  private final TimeSeries series = new TimeSeries();
  private final List<FabricPort> ofSwitches = new ArrayList<>();
  private final List<FabricPort> toHosts = new ArrayList<>();
  private final List<FabricPort> named = new ArrayList<>();
  private final FlowShares shares;
  private final int ratesOf;
  private long lastNs;
  private long lastBytes;
  private long lastMarks;
  private long lastPauses;
  private long lastDrops;
  private long lastRetransmissions;

  Sampler(Fabric fabric, FabricTraffic traffic, SamplePlan plan) {
    this.fabric = fabric;
    this.traffic = traffic;
    this.plan = plan;
    for (FabricPort port : fabric.ports()) {
      if (isOfSwitch(port)) {
        ofSwitches.add(port);
        if (leadsToHost(port)) {
          toHosts.add(port);
        }
      }
    }
    ratesOf = traffic.flows().size() <= MOST_RATES ? traffic.flows().size() : 0;
    shares = new FlowShares(traffic.flows(), plan.windowNs());
    plan.ports().forEach(name -> named.add(fabric.port(name)));
  }

  static boolean isOfSwitch(FabricPort port) {
    return !isHost(port.name().substring(0, port.name().indexOf('>')));
  }

  private static boolean leadsToHost(FabricPort port) {
    return isHost(port.name().substring(port.name().indexOf('>') + 1));
  }

  private static boolean isHost(String node) {
    return node.matches("h[0-9]+(#[0-9]+)?");
  }

  long everyNs() {
    return plan.everyNs();
  }

  void sample() {
    long nowNs = fabric.timeline().nowNs();
    if (nowNs == lastNs) {
      return;
    }
    shares.sample(nowNs);
    series.at(nowNs);
    long bytes = 0;
    for (FabricPort port : toHosts) {
      bytes += port.sentBytes();
    }
    long queued = 0;
    for (FabricPort port : ofSwitches) {
      queued = Math.max(queued, port.queueBytes());
    }
    long marks = fabric.counts().marked;
    long pauses = fabric.counts().pauseFrames;
    long drops = fabric.counts().droppedPackets();
    long retransmissions = traffic.count(CounterId.RETRANSMITTED_PACKETS);
    series.add("delivered bit/s", (bytes - lastBytes) * BITS * 1e9 / (nowNs - lastNs));
    series.add(FULLEST, queued);
    series.add("marks", marks - lastMarks);
    series.add("pauses", pauses - lastPauses);
    series.add("drops", drops - lastDrops);
    series.add("retransmissions", retransmissions - lastRetransmissions);
    series.add("packets in flight", fabric.counts().inFlight());
    for (FabricPort port : named) {
      series.add("queue of " + port.name() + " bytes", port.queueBytes());
    }
    for (int i = 0; i < ratesOf; i++) {
      series.add("rate of " + traffic.flows().get(i).name() + " bit/s", shares.bitsPerSecond(i));
    }
    lastNs = nowNs;
    lastBytes = bytes;
    lastMarks = marks;
    lastPauses = pauses;
    lastDrops = drops;
    lastRetransmissions = retransmissions;
  }

  FlowShares shares() {
    return shares;
  }

  /** The 99th percentile over the samples of the longest output queue of a switch. */
  double queueP99Bytes() {
    return Statistics.percentile(series.line(FULLEST), 99);
  }

  TimeSeries finish() {
    for (FabricPort port : ofSwitches) {
      if (!leadsToHost(port)) {
        series.pathUse(port.name(), port.sentBytes());
      }
    }
    return series;
  }
}
