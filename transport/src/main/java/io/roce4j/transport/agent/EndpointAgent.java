// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.agent;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.engine.Endpoint;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.wire.memory.JvmFlags;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;

/**
 * Drives one endpoint over one port: the only place that reads a clock. Entry of the library:
 *
 * <pre>{@code
 * EndpointAgent agent = EndpointAgent.open(new ContextSettings().seed(seed), port, clock);
 * RdmaContext context = agent.context();
 * // make protection domains, regions, queues; then call agent.doWork() again and again,
 * // or give the agent to an Agrona AgentRunner
 * }</pre>
 *
 * <p>One thread at a time runs {@link #doWork}; it may change between calls. Control verbs called
 * on other threads are run by the agent inside a cycle, or by the caller itself while nobody runs
 * the agent.
 */
public final class EndpointAgent implements Agent, AutoCloseable {

  private static final long NEVER = Long.MAX_VALUE;

  private final Endpoint endpoint;
  private final RdmaContext context;
  private final ControlQueue control;
  private final DatagramPort port;
  private final NanoClock clock;
  private final int receiveBurstPackets;
  private CounterPublisher publisher;
  private boolean closed;
  private long sendErrorsSeen;

  private EndpointAgent(
      Endpoint endpoint,
      RdmaContext context,
      ControlQueue control,
      DatagramPort port,
      NanoClock clock,
      int receiveBurstPackets) {
    this.endpoint = endpoint;
    this.context = context;
    this.control = control;
    this.port = port;
    this.clock = clock;
    this.receiveBurstPackets = receiveBurstPackets;
  }

  /**
   * Opens an endpoint with the default engine settings.
   *
   * @param settings limits and the seed of keys.
   * @param port carries the packets; the agent owns it from now on.
   * @param clock the endpoint's time, which never goes back.
   * @return the agent, not running.
   * @throws IllegalStateException when the JVM lacks a flag that Agrona needs, naming it.
   */
  public static EndpointAgent open(ContextSettings settings, DatagramPort port, NanoClock clock) {
    return open(settings, EndpointSettings.defaults(), port, clock);
  }

  /**
   * Opens an endpoint.
   *
   * @param settings limits and the seed of keys.
   * @param engineSettings how its engines behave.
   * @param port carries the packets; the agent owns it from now on.
   * @param clock the endpoint's time, which never goes back.
   * @return the agent, not running.
   * @throws IllegalStateException when the JVM lacks a flag that Agrona needs, naming it.
   */
  public static EndpointAgent open(
      ContextSettings settings,
      EndpointSettings engineSettings,
      DatagramPort port,
      NanoClock clock) {
    JvmFlags.check();
    Endpoint endpoint = new Endpoint(engineSettings, port, settings.activeMtuBytes());
    ControlQueue control = new ControlQueue();
    RdmaContext context = new RdmaContext(settings, endpoint.control(), control);
    endpoint.context(context);
    EndpointAgent agent =
        new EndpointAgent(
            endpoint, context, control, port, clock, engineSettings.receiveBurstPackets());
    agent.endpoint.beginCycle(clock.nanoTime());
    return agent;
  }

  /**
   * Where applications make their verbs objects.
   *
   * @return the context of this endpoint.
   */
  public RdmaContext context() {
    return context;
  }

  /**
   * The port under the endpoint.
   *
   * @return the port given at {@link #open}.
   */
  public DatagramPort port() {
    return port;
  }

  /**
   * Live counters. Other threads read the published copy, see {@link #publishTo}.
   *
   * @return written by the thread that runs the agent.
   */
  public Counters counters() {
    return endpoint.counters();
  }

  /**
   * Publishes the counters at the end of every cycle that did something.
   *
   * @param target where to, or null for nowhere.
   */
  public void publishTo(CounterPublisher target) {
    publisher = target;
  }

  /**
   * One cycle: clock, commands, receive, timers, transmit, flush, counters.
   *
   * @return work done, 0 when the agent may idle until {@link #nextDeadlineNs}, a packet or a call.
   */
  @Override
  public int doWork() {
    if (closed || !control.enter()) {
      return 0; // a caller's thread is running control verbs: it is done in a moment
    }
    try {
      long nowNs = clock.nanoTime();
      int work = endpoint.beginCycle(nowNs);
      work += port.receive(endpoint, receiveBurstPackets, nowNs);
      endpoint.endBurst();
      work += endpoint.fireTimers();
      context.onTimer(nowNs);
      work += endpoint.transmit(port);
      work += port.flush(nowNs);
      countSendErrors();
      if (publisher != null && work > 0) {
        publisher.publish(endpoint.counters(), port.counters());
      }
      return work;
    } finally {
      control.exit();
    }
  }

  /** What the port has given up, for the counter that users of other stacks look at. */
  private void countSendErrors() {
    long errors = port.counters().txErrors;
    if (errors != sendErrorsSeen) {
      endpoint.counters().add(CounterId.SEND_ERR, errors - sendErrorsSeen);
      sendErrorsSeen = errors;
    }
  }

  /**
   * When {@link #doWork} has something to do although no packet came and nothing was posted.
   *
   * @return time of the clock in ns, {@link Long#MAX_VALUE} for never.
   */
  public long nextDeadlineNs() {
    if (closed) {
      return NEVER;
    }
    long deadlineNs = Math.min(endpoint.nextDeadlineNs(), context.nextDeadlineNs());
    return Math.min(deadlineNs, port.nextDeadlineNs());
  }

  /**
   * Whether another {@link #doWork} at the time of the last one would do nothing, unless the port
   * has packets to hand over or to send: for drivers in virtual time, which know their port and
   * spare themselves that cycle.
   *
   * @return false when there may be something to do; for the thread that runs the agent.
   */
  public boolean isAtRest() {
    return !control.hasPending()
        && endpoint.isAtRest()
        && context.nextDeadlineNs() == Long.MAX_VALUE;
  }

  @Override
  public String roleName() {
    return "roce4j-endpoint";
  }

  @Override
  public void onClose() {
    close();
  }

  /** Destroys every verbs object left and closes the port. Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      context.close();
      port.close();
    }
  }
}
