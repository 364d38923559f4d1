// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.workload.Flow;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * The application of a run: turns the flows through warm-up, counted time, drain and settling. The
 * calling thread is the application; the endpoints run on another.
 */
final class SoakMeasurement {
  private static final long DRAIN_LIMIT_NS = 15_000_000_000L;
  private static final long DRAIN_DELAYS = 400;
  private static final long FAILED_DRAIN_NS = 1_000_000_000L;
  private static final long SNAPSHOT_LIMIT_NS = 5_000_000_000L;
  private static final long MAX_PARK_NS = 50_000;
  private static final int CLOCK_PERIOD_TURNS = 64;

  private final EndpointsAgent endpoints;
  private final List<? extends Flow> flows;
  private final Findings findings;
  private final SoakProgress progress;
  private final NanoClock clock;
  private final BooleanSupplier isToEnd;
  private final IdleStrategy idle = idleStrategy();
  private volatile Throwable agentFailure;

  /**
   * What was counted.
   *
   * @param counters of the endpoints of this process
   * @param durationNs time counted
   * @param bytesDelivered message bytes of the messages completed
   * @param bytesVerified message bytes compared and found right
   * @param messages work requests completed
   * @param latencies from post to completion
   */
  record Counted(
      CounterSnapshot counters,
      long durationNs,
      long bytesDelivered,
      long bytesVerified,
      long messages,
      LatencyRecorder latencies) {}

  /**
   * Makes the application of a run.
   *
   * @param endpoints run by another thread
   * @param flows to be turned
   * @param findings a finding ends the run
   * @param progress the live line
   * @param clock of the run
   * @param isToEnd asked every few turns: whether the run is to end early
   */
  SoakMeasurement(
      EndpointsAgent endpoints,
      List<? extends Flow> flows,
      Findings findings,
      SoakProgress progress,
      NanoClock clock,
      BooleanSupplier isToEnd) {
    this.endpoints = endpoints;
    this.flows = flows;
    this.findings = findings;
    this.progress = progress;
    this.clock = clock;
    this.isToEnd = isToEnd;
  }

  static IdleStrategy idleStrategy() {
    return new BackoffIdleStrategy(100, 10, 1_000, MAX_PARK_NS);
  }

  /** The endpoints' thread has failed; called on that thread. */
  void onAgentFailure(Throwable failure) {
    agentFailure = failure;
  }

  /** Warms up, then counts for a time, or until the run is to end. */
  Counted count(String title, long warmUpNs, long durationNs) {
    long startNs = clock.nanoTime();
    progress.begin(title, startNs);
    turnUntil(startNs + warmUpNs);
    CounterSnapshot before = snapshot();
    long verifiedBefore = bytesVerified();
    long deliveredBefore = bytesDelivered();
    long completedBefore = completed();
    flows.forEach(flow -> flow.latencies().reset());
    long countedFromNs = clock.nanoTime();
    turnUntil(countedFromNs + durationNs);
    CounterSnapshot counted = snapshot().since(before);
    long countedNs = clock.nanoTime() - countedFromNs;
    LatencyRecorder latencies = new LatencyRecorder();
    flows.forEach(flow -> latencies.add(flow.latencies()));
    return new Counted(
        counted,
        countedNs,
        bytesDelivered() - deliveredBefore,
        bytesVerified() - verifiedBefore,
        completed() - completedBefore,
        latencies);
  }

  private void turnUntil(long endNs) {
    int turns = 0;
    while (true) {
      idle.idle(turnOnce());
      if (++turns % CLOCK_PERIOD_TURNS != 0) {
        continue;
      }
      long nowNs = clock.nanoTime();
      if (nowNs - endNs >= 0 || isOver()) {
        return;
      }
      if (progress.isDue(nowNs)) {
        CounterSnapshot now = snapshot();
        progress.show(
            nowNs, bytesVerified(), now.retransmissions(), now.timeouts(), findings.count());
      }
    }
  }

  private boolean isOver() {
    return isToEnd.getAsBoolean() || agentFailure != null || findings.count() > 0;
  }

  private int turnOnce() {
    int work = 0;
    for (Flow flow : flows) {
      work += flow.turn();
    }
    return work;
  }

  /** The flows go on meanwhile: a pause would be seen in their latencies. */
  CounterSnapshot snapshot() {
    endpoints.requestSnapshot();
    long sinceNs = clock.nanoTime();
    CounterSnapshot taken = endpoints.takeSnapshot();
    while (taken == null) {
      idle.idle(turnOnce());
      if (agentFailure instanceof OutOfMemoryError e) {
        throw e; // No fault of the protocol: the process says what it lacks.
      }
      if (agentFailure != null || clock.nanoTime() - sinceNs > SNAPSHOT_LIMIT_NS) {
        throw new IllegalStateException("the endpoints' thread does not answer", agentFailure);
      }
      taken = endpoints.takeSnapshot();
    }
    return taken;
  }

  /**
   * Posts nothing more and waits for what is in flight: every work request must complete. What is
   * still missing after that is for {@link #finish} to name.
   *
   * @param delayNs of every packet on purpose
   */
  void drain(long delayNs) {
    flows.forEach(Flow::stop);
    // After a finding what else is missing proves nothing more.
    long limitNs = findings.count() > 0 ? FAILED_DRAIN_NS : drainLimitNs(delayNs);
    turnWhile(() -> !flows.stream().allMatch(Flow::isDone), limitNs);
  }

  /** How long what is in flight may take: a window a round trip, and losses cost more of them. */
  static long drainLimitNs(long delayNs) {
    return DRAIN_LIMIT_NS + DRAIN_DELAYS * delayNs;
  }

  /** Turns the flows while something is the case, at most for a time. */
  void turnWhile(BooleanSupplier condition, long limitNs) {
    long sinceNs = clock.nanoTime();
    while (condition.getAsBoolean()) {
      if (turnOnce() == 0) {
        LockSupport.parkNanos(MAX_PARK_NS);
      }
      if (clock.nanoTime() - sinceNs > limitNs || agentFailure != null) {
        return;
      }
    }
  }

  /** Reports what never came. */
  void finish() {
    flows.forEach(Flow::finish);
  }

  /** Late copies and delayed packets still count as received. */
  void settle(long settleNs) {
    long sinceNs = clock.nanoTime();
    while (clock.nanoTime() - sinceNs < settleNs) {
      idle.idle(turnOnce());
    }
    progress.end();
  }

  long bytesDelivered() {
    return flows.stream().mapToLong(Flow::bytesDelivered).sum();
  }

  long bytesVerified() {
    return flows.stream().mapToLong(Flow::bytesVerified).sum();
  }

  private long completed() {
    return flows.stream().mapToLong(Flow::completed).sum();
  }
}
