// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.counters;

/**
 * Values of all {@link CounterId}s: a plain array that one thread, the agent's, writes. A queue
 * pair's own counters have the endpoint's as parent and count in both.
 *
 * <p>Other threads read the published copy of the agent, not this.
 */
public final class Counters {

  private final long[] values = new long[CounterId.COUNT];
  private final Counters parent;

  /** Makes the counters of an endpoint, all zero. */
  public Counters() {
    this(null);
  }

  /**
   * Makes counters, all zero, that count in another set too.
   *
   * @param parent counted along, or null.
   */
  public Counters(Counters parent) {
    this.parent = parent;
  }

  /**
   * Adds one.
   *
   * @param id which counter.
   */
  public void increment(CounterId id) {
    add(id, 1);
  }

  /**
   * Adds an amount.
   *
   * @param id which counter.
   * @param amount 0 or more.
   */
  public void add(CounterId id, long amount) {
    final int index = id.index();
    values[index] += amount;
    if (parent != null) {
      parent.values[index] += amount;
    }
  }

  /**
   * The value of a counter.
   *
   * @param id which counter.
   * @return the count since the endpoint or queue pair was made.
   */
  public long get(CounterId id) {
    return values[id.index()];
  }

  /**
   * The value of a counter by the name users know.
   *
   * @param label as {@link CounterId#label} gives it.
   * @return the count.
   * @throws IllegalArgumentException when no counter has that name.
   */
  public long get(String label) {
    final CounterId id = CounterId.byLabel(label);
    if (id == null) {
      throw new IllegalArgumentException("no counter is called " + label);
    }
    return get(id);
  }

  /**
   * The values as they are now.
   *
   * @return counters of their own, which count in no other set.
   */
  public Counters snapshot() {
    final Counters copy = new Counters();
    copyTo(copy.values);
    return copy;
  }

  /**
   * Copies all values, in the order of {@link CounterId}.
   *
   * @param target receives {@link CounterId#COUNT} values.
   */
  public void copyTo(long[] target) {
    System.arraycopy(values, 0, target, 0, values.length);
  }
}
