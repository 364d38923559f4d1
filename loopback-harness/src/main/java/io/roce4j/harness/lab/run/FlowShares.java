// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.workload.WriteFlow;
import java.util.ArrayList;
import java.util.List;

/**
 * How flows without end share the line over time: the bytes of each are noted four times in a
 * window, and a window is fair when every flow has within a tenth of the mean.
 */
final class FlowShares {
  private static final int STEPS = 4;
  private static final double TOLERANCE = 0.1;

  private final List<WriteFlow> flows;
  private final long stepNs;
  private final long allStartedNs;
  private final List<Long> timesNs = new ArrayList<>();
  private final List<long[]> bytes = new ArrayList<>();

  /**
   * Nothing noted yet.
   *
   * @param flows that share a line, 1 or more
   * @param windowNs over which rates are compared, 1 or more
   */
  FlowShares(List<WriteFlow> flows, long windowNs) {
    this.flows = flows;
    stepNs = Math.max(1, windowNs / STEPS);
    allStartedNs = flows.stream().mapToLong(flow -> flow.plan().startNs()).max().orElse(0);
  }

  /** Notes the bytes of the flows when it is time. */
  void sample(long nowNs) {
    boolean isFirst = timesNs.isEmpty();
    if (!isFirst && nowNs - timesNs.getLast() < stepNs) {
      return;
    }
    timesNs.add(nowNs);
    bytes.add(flows.stream().mapToLong(WriteFlow::bytesVerified).toArray());
  }

  /**
   * How long the flows took to share fairly.
   *
   * @return from the start of the last flow to the end of the first window that is fair, as are the
   *     next ones until nothing of it is left in them, ns; NaN when there is none
   */
  double convergenceNs() {
    int inARow = 0;
    for (int i = firstWithAll() + STEPS; i < bytes.size(); i++) {
      inARow = isFair(i - STEPS, i) ? inARow + 1 : 0;
      if (inARow > STEPS) {
        return (double) timesNs.get(i - STEPS) - allStartedNs;
      }
    }
    return Double.NaN;
  }

  /**
   * Jain's index of the later half of the time that all flows had.
   *
   * @return the index; NaN when nothing was noted
   */
  double lateJain() {
    int last = bytes.size() - 1;
    int middle = (firstWithAll() + last) / 2;
    return middle >= last ? Double.NaN : Statistics.jain(shares(middle, last));
  }

  private int firstWithAll() {
    int first = 0;
    while (first < timesNs.size() && timesNs.get(first) < allStartedNs) {
      first++;
    }
    return first;
  }

  /**
   * The rate of a flow in the last window.
   *
   * @param flow its number
   * @return bit/s; 0 until a window is over
   */
  double bitsPerSecond(int flow) {
    int last = bytes.size() - 1;
    if (last < STEPS) {
      return 0;
    }
    long moved = bytes.get(last)[flow] - bytes.get(last - STEPS)[flow];
    return moved * 8e9 / (timesNs.get(last) - timesNs.get(last - STEPS));
  }

  private boolean isFair(int from, int to) {
    double[] shares = shares(from, to);
    double mean = Statistics.mean(shares);
    return Statistics.min(shares) >= mean * (1 - TOLERANCE)
        && Statistics.max(shares) <= mean * (1 + TOLERANCE)
        && mean > 0;
  }

  private double[] shares(int from, int to) {
    double[] shares = new double[flows.size()];
    for (int i = 0; i < shares.length; i++) {
      shares[i] = bytes.get(to)[i] - bytes.get(from)[i];
    }
    return shares;
  }
}
