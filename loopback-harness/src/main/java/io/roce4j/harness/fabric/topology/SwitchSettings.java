// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * How a switch behaves. Immutable; {@link #defaults()} and the {@code with} methods.
 *
 * @param latencyNs from the last bit in to the queue, 0 to 10^6
 * @param queueBytes most frame bytes in one output queue, 1 or more: what does not fit is dropped
 * @param ecmp how one of several equal next hops is chosen
 * @param classes how packets are classified and served
 */
public record SwitchSettings(
    long latencyNs, long queueBytes, EcmpSettings ecmp, TrafficClasses classes) {
  private static final SwitchSettings DEFAULTS =
      new SwitchSettings(400, 1 << 20, EcmpSettings.perFlow(), TrafficClasses.roce());

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public SwitchSettings {
    Limits.check("latencyNs", latencyNs, 0, 1_000_000);
    Limits.check("queueBytes", queueBytes, 1, 1L << 40);
  }

  /**
   * 400 ns, 1 MiB a queue, ECMP by flow with a seed of each switch's own.
   *
   * @return the default settings
   */
  public static SwitchSettings defaults() {
    return DEFAULTS;
  }

  /**
   * This with another latency.
   *
   * @param ns from the last bit in to the queue
   * @return the changed copy
   */
  public SwitchSettings withLatencyNs(long ns) {
    return new SwitchSettings(ns, queueBytes, ecmp, classes);
  }

  /**
   * This with other output queues.
   *
   * @param bytes most frame bytes in one
   * @return the changed copy
   */
  public SwitchSettings withQueueBytes(long bytes) {
    return new SwitchSettings(latencyNs, bytes, ecmp, classes);
  }

  /**
   * This with another choice of next hops.
   *
   * @param value how
   * @return the changed copy
   */
  public SwitchSettings withEcmp(EcmpSettings value) {
    return new SwitchSettings(latencyNs, queueBytes, value, classes);
  }

  /**
   * This with other classes.
   *
   * @param value how packets are classified and served
   * @return the changed copy
   */
  public SwitchSettings withClasses(TrafficClasses value) {
    return new SwitchSettings(latencyNs, queueBytes, ecmp, value);
  }
}
