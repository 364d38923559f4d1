// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.flow;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.fabric.Fabric;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.WriteFlow;
import io.roce4j.harness.workload.WritePlan;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.PortTap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * WRITE flows over the hosts of a fabric, on the real stack. A host's endpoint is opened with its
 * first flow. Close it before the fabric.
 */
public final class FabricTraffic implements AutoCloseable {
  private final Fabric fabric;
  private final IntFunction<EndpointSettings> engines;
  private final MessagePattern pattern;
  private final boolean ownsPattern;
  private final Findings findings = new Findings();
  private final LatencyRecorder latencies = new LatencyRecorder();
  private final Map<Integer, SimEndpoint> endpoints = new LinkedHashMap<>();
  private final Map<Integer, FlowSide> sides = new LinkedHashMap<>();
  private final List<WriteFlow> flows = new ArrayList<>();
  private int done;
  private IntFunction<PortTap> taps = host -> null;

  /**
   * Prepares traffic with the same engine settings on all hosts.
   *
   * @param fabric under it
   * @param engine how endpoints behave
   * @param maxMessageBytes longest message of any flow
   */
  public FabricTraffic(Fabric fabric, EndpointSettings engine, int maxMessageBytes) {
    this(fabric, host -> engine, maxMessageBytes);
  }

  /**
   * Prepares traffic.
   *
   * @param fabric under it
   * @param engines how the endpoint of a host behaves, by its number
   * @param maxMessageBytes longest message of any flow
   */
  public FabricTraffic(Fabric fabric, IntFunction<EndpointSettings> engines, int maxMessageBytes) {
    this(fabric, engines, new MessagePattern(fabric.streams(), maxMessageBytes), true);
  }

  /**
   * Prepares traffic with the pattern of a fabric whose packets leave payloads out.
   *
   * @param fabric under it
   * @param engines how the endpoint of a host behaves, by its number
   * @param pattern as the fabric was built with; stays the caller's
   */
  public FabricTraffic(
      Fabric fabric, IntFunction<EndpointSettings> engines, MessagePattern pattern) {
    this(fabric, engines, pattern, false);
  }

  private FabricTraffic(
      Fabric fabric,
      IntFunction<EndpointSettings> engines,
      MessagePattern pattern,
      boolean ownsPattern) {
    this.fabric = fabric;
    this.engines = engines;
    this.pattern = pattern;
    this.ownsPattern = ownsPattern;
  }

  /**
   * Shows the packets of endpoints that are opened from now on to taps.
   *
   * @param value the tap of a host by its number, or null for none
   * @return this
   */
  public FabricTraffic tapping(IntFunction<PortTap> value) {
    taps = value;
    return this;
  }

  /**
   * Adds a flow.
   *
   * @param from host that writes
   * @param to host that is written to
   * @param plan what it sends
   * @return the flow, which starts with the run or at its own time
   */
  public WriteFlow add(int from, int to, WritePlan plan) {
    String name = "f" + flows.size() + ".h" + from + ">h" + to;
    FlowSide source = side(from);
    FlowSide target = side(to);
    WriteFlow flow =
        new WriteFlow(
            name,
            plan,
            fabric.streams(),
            pattern,
            source,
            target,
            fabric.clock(),
            latencies,
            findings);
    flows.add(flow);
    // The target has nothing to poll: a WRITE completes at its sender only.
    fabric.addApplication(flow, endpoints.get(from));
    return flow;
  }

  private FlowSide side(int host) {
    FlowSide side = sides.get(host);
    if (side == null) {
      SimEndpoint endpoint = endpoint(host);
      side = new FlowSide(endpoint.name(), endpoint.context(), endpoint.address(), pattern);
      sides.put(host, side);
    }
    return side;
  }

  /**
   * The endpoint of a host, opened at the first call.
   *
   * @param host its number
   * @return the endpoint
   */
  public SimEndpoint endpoint(int host) {
    SimEndpoint endpoint = endpoints.get(host);
    if (endpoint == null) {
      endpoint = fabric.host(host).open(engines.apply(host), taps.apply(host));
      endpoints.put(host, endpoint);
    }
    return endpoint;
  }

  /**
   * The flows.
   *
   * @return in the order of their making
   */
  public List<WriteFlow> flows() {
    return Collections.unmodifiableList(flows);
  }

  /**
   * What was wrong: bytes that differ, memory that was overwritten, requests refused.
   *
   * @return live
   */
  public Findings findings() {
    return findings;
  }

  /**
   * Latencies of all messages of all flows, post to completion.
   *
   * @return live
   */
  public LatencyRecorder latencies() {
    return latencies;
  }

  /**
   * Whether all flows are done.
   *
   * @return true when nothing is left to send or in flight
   */
  public boolean isDone() {
    // Asked after each event: goes on where it stood, for who is done stays so.
    while (done < flows.size() && flows.get(done).isDone()) {
      done++;
    }
    return done == flows.size();
  }

  /** How a run ended. */
  public enum End {
    /** All flows are done. */
    DONE,
    /** Virtual time was up. */
    TIME_OVER,
    /** No flow came further for a while, or nothing is to come: see {@link #explain}. */
    STANDSTILL
  }

  /**
   * Runs until all flows are done, but not past a time, and not on when nothing gets any further.
   *
   * @param limitNs virtual time at which to give up
   * @param standstillNs how long no message may complete in any flow that has begun, 1 or more
   * @return how it ended
   */
  public End run(long limitNs, long standstillNs) {
    long progress = completed();
    while (true) {
      long nowNs = fabric.clock().nanoTime();
      long untilNs = Math.min(limitNs, nowNs + standstillNs);
      if (fabric.run(this::isDone, untilNs)) {
        return End.DONE;
      }
      if (fabric.isAtRest()) {
        return End.STANDSTILL;
      }
      fabric.runUntilNs(untilNs);
      if (untilNs >= limitNs) {
        return End.TIME_OVER;
      }
      long before = progress;
      progress = completed();
      if (progress == before && hasBegun(nowNs)) {
        return End.STANDSTILL;
      }
    }
  }

  private long completed() {
    long sum = 0;
    for (WriteFlow flow : flows) {
      sum += flow.completed();
    }
    return sum;
  }

  private boolean hasBegun(long byNs) {
    for (WriteFlow flow : flows) {
      if (!flow.isDone() && flow.plan().startNs() <= byNs) {
        return true;
      }
    }
    return false;
  }

  /**
   * Why nothing gets any further: the flows that are not done, and who waits for whom.
   *
   * @return lines for people
   */
  public List<String> explain() {
    List<String> lines = new ArrayList<>();
    for (WriteFlow flow : flows) {
      if (!flow.isDone()) {
        lines.add(
            flow.name()
                + " has completed "
                + flow.completed()
                + (flow.plan().messages() == WritePlan.FOREVER
                    ? " messages"
                    : " of " + flow.plan().messages() + " messages"));
      }
    }
    lines.addAll(fabric.diagnose().lines());
    return lines;
  }

  /**
   * A counter of all endpoints together.
   *
   * @param id the counter
   * @return the sum
   */
  public long count(CounterId id) {
    long sum = 0;
    for (SimEndpoint endpoint : endpoints.values()) {
      sum += endpoint.agent().counters().get(id);
    }
    return sum;
  }

  /** Closes the flows; the endpoints close with the fabric. */
  @Override
  public void close() {
    flows.forEach(WriteFlow::close);
    sides.values().forEach(FlowSide::close);
    if (ownsPattern) {
      pattern.close();
    }
  }
}
