// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.QueuePair;
import java.util.List;
import org.agrona.concurrent.NanoClock;

/**
 * A reliable connection between two endpoints of one process, with a verified flow each way. PSNs
 * start at drawn numbers, so that wraps are seen.
 *
 * <p>Made and closed while no other thread drives the endpoints, or on the control path of ones
 * that are driven.
 */
public final class VerifiedConnection implements AutoCloseable {
  private final QueuePair first;
  private final QueuePair second;
  private final List<VerifiedFlow> flows;

  /**
   * Makes the queue pairs, connects them and posts the receives.
   *
   * @param name unique in the run
   * @param settings of the connection
   * @param load of each direction
   * @param streams of the run; the connection derives its own by name
   * @param pattern the contents
   * @param a one side
   * @param b the other side
   * @param clock for latencies
   * @param findings gets what is wrong
   */
  public VerifiedConnection(
      String name,
      ConnectionSettings settings,
      FlowSettings load,
      SeededStreams streams,
      MessagePattern pattern,
      FlowSide a,
      FlowSide b,
      NanoClock clock,
      Findings findings) {
    SeededStreams own = streams.child("connection." + name);
    String forth = name + " " + a.name() + ">" + b.name();
    String back = name + " " + b.name() + ">" + a.name();
    VerifiedFlow there =
        new VerifiedFlow(forth, load, own.child("there"), pattern, a, b, clock, findings);
    VerifiedFlow here =
        new VerifiedFlow(back, load, own.child("back"), pattern, b, a, clock, findings);
    first =
        ConnectedPair.queuePair(
            a, there.sendCompletions(), here.receiveCompletions(), settings, load);
    second =
        ConnectedPair.queuePair(
            b, here.sendCompletions(), there.receiveCompletions(), settings, load);
    ConnectedPair.connect(
        first,
        b.address().withTrafficClass(settings.trafficClass()),
        second,
        a.address().withTrafficClass(settings.trafficClass()),
        settings,
        own.stream("psn"));
    there.start(first, second);
    here.start(second, first);
    flows = List.of(there, here);
  }

  /**
   * Both directions.
   *
   * @return two flows
   */
  public List<VerifiedFlow> flows() {
    return flows;
  }

  /**
   * The queue pair on the first side.
   *
   * @return open until this closes
   */
  public QueuePair first() {
    return first;
  }

  /**
   * The queue pair on the second side.
   *
   * @return open until this closes
   */
  public QueuePair second() {
    return second;
  }

  @Override
  public void close() {
    first.close();
    second.close();
    flows.forEach(VerifiedFlow::close);
  }
}
