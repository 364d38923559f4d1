// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values over virtual time: some named lines on one axis. Written by the run that records it. */
public final class TimeSeries {
  private final List<Double> timesNs = new ArrayList<>();
  private final Map<String, List<Double>> lines = new LinkedHashMap<>();
  private final Map<String, Double> pathUse = new LinkedHashMap<>();

  /** Nothing recorded yet. */
  public TimeSeries() {}

  /** Begins the samples of an instant. */
  void at(long nowNs) {
    timesNs.add((double) nowNs);
  }

  /** A sample of a line at the instant begun last. */
  void add(String line, double value) {
    lines.computeIfAbsent(line, name -> new ArrayList<>()).add(value);
  }

  /** A sample that is a count. */
  void add(String line, long value) {
    add(line, (double) value);
  }

  /** The bytes that a cable between switches carried. */
  void pathUse(String port, long bytes) {
    pathUse.put(port, (double) bytes);
  }

  /**
   * The instants.
   *
   * @return virtual time, ns
   */
  public double[] timesNs() {
    return array(timesNs);
  }

  /**
   * The names of the lines.
   *
   * @return in the order of their first sample
   */
  public List<String> names() {
    return new ArrayList<>(lines.keySet());
  }

  /**
   * A line.
   *
   * @param name one of {@link #names}
   * @return one value for each instant
   */
  public double[] line(String name) {
    return array(lines.getOrDefault(name, List.of()));
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /**
   * How much each port of a switch towards another switch carried.
   *
   * @return bytes by port name
   */
  public Map<String, Double> pathUse() {
    return Map.copyOf(pathUse);
  }
}
