// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.sun.management.ThreadMXBean;
import io.roce4j.transport.agent.EndpointAgent;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.agrona.concurrent.Agent;

/**
 * Runs the endpoints of this process on one thread: with two cores, one is left for the
 * application. Snapshots of the counters are taken by this thread between two cycles, so that they
 * are of one moment.
 */
final class EndpointsAgent implements Agent {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final SoakEndpoint[] endpoints;
  private final EndpointAgent[] agents;
  private volatile boolean isSnapshotWanted;
  private volatile CounterSnapshot snapshot;

  EndpointsAgent(SoakEndpoint... endpoints) {
    this.endpoints = endpoints.clone();
    this.agents = Arrays.stream(endpoints).map(SoakEndpoint::agent).toArray(EndpointAgent[]::new);
  }

  @Override
  public int doWork() {
    if (isSnapshotWanted) {
      snapshot = CounterSnapshot.of(allocatedBytes(), endpoints);
      isSnapshotWanted = false;
    }
    int work = 0;
    for (EndpointAgent agent : agents) {
      work += agent.doWork();
    }
    return work;
  }

  /** A port may belong to the thread that drove it: the endpoints close on this one. */
  @Override
  public void onClose() {
    for (EndpointAgent agent : agents) {
      agent.close();
    }
  }

  private static long allocatedBytes() {
    return THREADS.getThreadAllocatedBytes(Thread.currentThread().threadId());
  }

  /** Asks for a snapshot; {@link #takeSnapshot} has it once a cycle has passed. */
  void requestSnapshot() {
    snapshot = null;
    isSnapshotWanted = true;
  }

  /**
   * The snapshot asked for.
   *
   * @return null until it is there
   */
  CounterSnapshot takeSnapshot() {
    return snapshot;
  }

  @Override
  public String roleName() {
    return "roce4j-soak-endpoints";
  }
}
