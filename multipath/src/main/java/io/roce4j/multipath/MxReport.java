// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.verbs.QueuePair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How an MX connection stands and what happened on it since it was made: a copy, made on the
 * control path while the agent's thread does not touch the connection, or by that thread.
 */
public final class MxReport {
  /** Takes the counters of a connection, one after the other. */
  @FunctionalInterface
  public interface CounterTaker {
    /**
     * One counter.
     *
     * @param name as in the list of counters in the manual
     * @param value since the connection was made
     */
    void take(String name, long value);
  }

  private final List<PathReport> paths;
  private final int planes;
  private final List<String> counterNames = new ArrayList<>();
  private final long[] counterValues;

  private MxReport(MxConnection connection) {
    List<PathReport> all = new ArrayList<>();
    addPaths(all, connection.requestSend(), false);
    addPaths(all, connection.responseSend(), true);
    this.paths = List.copyOf(all);
    this.planes = connection.parameters.planes();
    long[] values = new long[128];
    connection.counters.copyTo(
        (name, value) -> {
          values[counterNames.size()] = value;
          counterNames.add(name);
        });
    this.counterValues = values;
  }

  private static void addPaths(List<PathReport> all, SendHalf half, boolean responseHalf) {
    if (half == null) {
      return;
    }
    long bytes = 0;
    for (int i = 0; i < half.paths.count(); i++) {
      bytes += half.paths.get(i).sentBytes;
    }
    for (int i = 0; i < half.paths.count(); i++) {
      all.add(PathReport.of(half.paths.get(i), responseHalf, bytes));
    }
  }

  /**
   * The report of the connection behind a queue pair.
   *
   * @param queuePair any queue pair
   * @return empty when it has no MX connection: another profile, before RTR, or fallen back to RC
   */
  public static Optional<MxReport> of(QueuePair queuePair) {
    return queuePair.engine() instanceof MxEngine mx && mx.connection() != null
        ? Optional.of(new MxReport(mx.connection()))
        : Optional.empty();
  }

  /**
   * Whether a queue pair of profile {@code mx} runs plain RC because its peer sent no negotiation
   * block.
   *
   * @param queuePair any queue pair
   * @return false also before RTR and for other profiles
   */
  public static boolean isFallback(QueuePair queuePair) {
    return queuePair.engine() instanceof MxEngine mx && mx.isFallback();
  }

  /**
   * The paths this side sends on, those of the request half first.
   *
   * @return one report a path and half
   */
  public List<PathReport> paths() {
    return paths;
  }

  /**
   * Planes agreed on.
   *
   * @return 1..255
   */
  public int planes() {
    return planes;
  }

  /**
   * The value of a counter.
   *
   * @param name one of those {@link #counters} gives
   * @return its value
   * @throws IllegalArgumentException when there is none of that name
   */
  public long counter(String name) {
    int index = counterNames.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "MX counter '" + name + "': there are " + String.join(", ", counterNames));
    }
    return counterValues[index];
  }

  /**
   * Gives every counter.
   *
   * @param taker gets them one after the other
   */
  public void counters(CounterTaker taker) {
    for (int i = 0; i < counterNames.size(); i++) {
      taker.take(counterNames.get(i), counterValues[i]);
    }
  }
}
