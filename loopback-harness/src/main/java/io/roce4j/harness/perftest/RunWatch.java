// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.Patience;
import java.util.function.Supplier;
import org.agrona.concurrent.NanoClock;

/** Drives the endpoint in a run, tells its time, and ends it when the peer is gone. */
final class RunWatch {
  private static final int PERIOD_TURNS = 512;

  /** A peer that has closed its connection may have packets under way still. */
  private static final long GONE_NS = 1_000_000_000;

  private final PerftestSession session;
  private final Patience patience;
  private final NanoClock clock;
  private final Supplier<String> progress;
  private long startNs;
  private int turns;

  RunWatch(PerftestSession session, Supplier<String> progress) {
    this.session = session;
    this.patience = session.endpoint().patience();
    this.clock = session.endpoint().clock();
    this.progress = progress;
    this.startNs = clock.nanoTime();
  }

  /** The run starts now. */
  void start() {
    startNs = clock.nanoTime();
    patience.refresh();
  }

  /** Time since the start. */
  long elapsedNs() {
    return clock.nanoTime() - startNs;
  }

  /** Whether the time of a timed run is over. */
  boolean isTimeOver() {
    return session.plan().isTimed() && elapsedNs() >= session.plan().durationNs();
  }

  /** Whether what completes now is measured. */
  boolean isMeasured() {
    if (!session.plan().isTimed()) {
      return true;
    }
    long elapsedNs = elapsedNs();
    return elapsedNs >= session.plan().marginNs()
        && elapsedNs < session.plan().durationNs() - session.plan().marginNs();
  }

  /**
   * One turn of the endpoint, and rest when there was nothing to do.
   *
   * @param work that the caller has done
   * @throws ToolException when the peer is gone
   */
  void turn(int work) {
    patience.turn(work);
    if (++turns % PERIOD_TURNS != 0) {
      return;
    }
    if (patience.isSilentTooLong()) {
      throw session.silence(patience.limit(), progress.get());
    }
    if (session.handshake().isClosedByPeer() && patience.silentForNs() > GONE_NS) {
      throw ToolException.check(
          "the peer closed its connection in the middle of the run, after " + progress.get());
    }
  }
}
