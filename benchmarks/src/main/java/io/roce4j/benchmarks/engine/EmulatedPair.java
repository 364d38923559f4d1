// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.engine;

import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimClock;
import io.roce4j.harness.sim.SimNetwork;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;

/** Two endpoints over a link without faults, all in one thread and in virtual time. */
final class EmulatedPair implements AutoCloseable {
  private static final long LINK_BITS_PER_SECOND = 100_000_000_000L;
  private static final long DELAY_NS = 1_000;
  private static final long QUEUE_BYTES = 8 << 20;
  private static final int MAX_DATAGRAM_BYTES = 4_224;

  private final Timeline timeline = new Timeline();
  private final SimNetwork network;
  final EndpointAgent requester;
  final EndpointAgent responder;

  EmulatedPair() {
    LinkSettings link = LinkSettings.perfect(LINK_BITS_PER_SECOND, DELAY_NS, QUEUE_BYTES);
    network =
        new SimNetwork(timeline, new SeededStreams(1), MAX_DATAGRAM_BYTES, link, LinkObserver.NONE);
    requester = endpoint("a", "192.0.2.1");
    responder = endpoint("b", "192.0.2.2");
  }

  private EndpointAgent endpoint(String name, String address) {
    Gid gid = Gid.parse(address);
    return EndpointAgent.open(
        new ContextSettings().seed(1),
        network.addPort(name, gid, IpUdpFields.ROCE_PORT, SimPortSettings.defaults()),
        new SimClock(timeline));
  }

  /** A cycle of both endpoints; when neither has work, time moves to what comes next. */
  void work() {
    if (requester.doWork() + responder.doWork() > 0) {
      return;
    }
    long deadlineNs = Math.min(requester.nextDeadlineNs(), responder.nextDeadlineNs());
    if (timeline.nextPs() / Timeline.PS_PER_NS <= deadlineNs) {
      timeline.step();
    } else {
      timeline.runUntil(deadlineNs * Timeline.PS_PER_NS);
    }
  }

  @Override
  public void close() {
    requester.close();
    responder.close();
    network.close();
  }
}
