// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Runs all schemes of a scenario on the same seeds, each run on one core. The results do not depend
 * on how many cores there are.
 */
public final class LabRunner {
  private final Scenario scenario;
  private final long firstSeed;
  private final int threads;
  private final Capture pcap;
  private final AtomicBoolean cancelled = new AtomicBoolean();

  /**
   * Prepares the runs.
   *
   * @param scenario what runs
   * @param firstSeed the seeds go on from here
   * @param threads runs at a time, 1 or more
   * @param pcap where the first run's packets are written, or null
   */
  public LabRunner(Scenario scenario, long firstSeed, int threads, Capture pcap) {
    this.scenario = scenario;
    this.firstSeed = firstSeed;
    this.threads = threads;
    this.pcap = pcap;
  }

  /** Ends all runs soon; those not begun are left out. Any thread. */
  public void cancel() {
    cancelled.set(true);
  }

  /**
   * Runs all.
   *
   * @param onResult told of each run as it ends, from the threads of the runs, one at a time
   * @return the runs, scheme by scheme, seed by seed; fewer when cancelled
   */
  public List<RunResult> run(Consumer<RunResult> onResult) {
    List<Future<RunResult>> futures = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int i = 0; i < scenario.seeds(); i++) {
        for (Scheme scheme : scenario.schemes()) {
          boolean records = i == 0;
          long seed = firstSeed + i;
          futures.add(pool.submit(() -> one(scheme, seed, records, onResult)));
        }
      }
    }
    List<RunResult> results = new ArrayList<>();
    for (Scheme scheme : scenario.schemes()) {
      futures.stream()
          .map(LabRunner::value)
          .filter(result -> result != null && result.scheme().equals(scheme))
          .forEach(results::add);
    }
    return results;
  }

  private RunResult one(Scheme scheme, long seed, boolean records, Consumer<RunResult> onResult) {
    if (cancelled.get()) {
      return null;
    }
    RunResult result =
        new LabRun(scenario, scheme, seed, records, cancelled::get, captured(scheme, records))
            .run();
    synchronized (this) {
      onResult.accept(result);
    }
    return result;
  }

  private Capture captured(Scheme scheme, boolean isFirstSeed) {
    return isFirstSeed && scheme.equals(scenario.schemes().get(0)) ? pcap : null;
  }

  private static RunResult value(Future<RunResult> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while runs went on", e);
    }
  }
}
