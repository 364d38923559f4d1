// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * How a port serves the packets of one class. Immutable.
 *
 * @param name for tables, such as {@code data}
 * @param weight share of the line among the classes that wait, 1 to 100 (deficit round robin, a
 *     quantum of 4,400 bytes times the weight); 0 for strict priority: before all weighted classes,
 *     the higher class number first
 * @param maxBytesPerSecond most wire bytes per second, or 0 for no shaper
 * @param lossless true for a class that PFC protects: switches pause its senders instead of
 *     dropping, NICs obey
 * @param ecn when its packets are marked
 */
public record TrafficClass(
    String name, int weight, long maxBytesPerSecond, boolean lossless, EcnSettings ecn) {
  private static final long MAX_RATE = 1_250_000_000_000L;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public TrafficClass {
    Limits.check("weight of class " + name, weight, 0, 100);
    Limits.check("maxBytesPerSecond of class " + name, maxBytesPerSecond, 0, MAX_RATE);
  }

  /**
   * A lossy class that goes before all weighted ones, without marks.
   *
   * @param name for tables
   * @return the class
   */
  public static TrafficClass strict(String name) {
    return new TrafficClass(name, 0, 0, false, EcnSettings.OFF);
  }

  /**
   * A lossy class that shares the line, without marks.
   *
   * @param name for tables
   * @param weight 1 to 100
   * @return the class
   */
  public static TrafficClass weighted(String name, int weight) {
    Limits.check("weight of class " + name, weight, 1, 100);
    return new TrafficClass(name, weight, 0, false, EcnSettings.OFF);
  }

  /**
   * This with a shaper.
   *
   * @param bytesPerSecond most wire bytes per second, 0 for none
   * @return the changed copy
   */
  public TrafficClass shapedTo(long bytesPerSecond) {
    return new TrafficClass(name, weight, bytesPerSecond, lossless, ecn);
  }

  /**
   * This under PFC, or not.
   *
   * @param value true for lossless
   * @return the changed copy
   */
  public TrafficClass lossless(boolean value) {
    return new TrafficClass(name, weight, maxBytesPerSecond, value, ecn);
  }

  /**
   * This with marks.
   *
   * @param value when packets are marked
   * @return the changed copy
   */
  public TrafficClass marking(EcnSettings value) {
    return new TrafficClass(name, weight, maxBytesPerSecond, lossless, value);
  }

  /**
   * Whether the class has strict priority.
   *
   * @return true when its weight is 0
   */
  public boolean isStrict() {
    return weight == 0;
  }
}
