// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;

/** What is measured of a run and can be claimed. The names are those of scenario files. */
public enum Metric {
  /** Payload over the host's line rate, mean over flows. */
  GOODPUT_MEAN("goodputMean"),
  /** Payload over the host's line rate, slowest flow. */
  GOODPUT_MIN("goodputMin"),
  /** Jain's index of the flows' rates. */
  JAIN("jain"),
  /**
   * Time from the start of the last flow until all flows without end have within a tenth of their
   * mean in a window, and for a window more, ns; none when that never came.
   */
  CONVERGENCE_NS("convergenceNs"),
  /** Jain's index in the later half of the time that all flows without end had. */
  LATE_JAIN("lateJain"),
  /** Flow completion time, mean, ns. */
  FCT_MEAN_NS("fctMeanNs"),
  /** Flow completion time, 99th percentile, ns. */
  FCT_P99_NS("fctP99Ns"),
  /** Flow completion time, slowest flow, ns. */
  FCT_MAX_NS("fctMaxNs"),
  /** Flow completion time over the payload's own time on the host's line, median. */
  SLOWDOWN_P50("slowdownP50"),
  /** Flow completion time over the payload's own time on the host's line, 99th percentile. */
  SLOWDOWN_P99("slowdownP99"),
  /** Flows that completed all their messages over all flows. */
  COMPLETED("completed"),
  /** Flows that ended in an error completion. */
  FAILED("failed"),
  /** Longest output queue of a switch, bytes. */
  QUEUE_MAX_BYTES("queueMaxBytes"),
  /** Mean over time of the fullest output queue of a switch, bytes. */
  QUEUE_MEAN_BYTES("queueMeanBytes"),
  /** 99th percentile over time of the longest output queue of a switch, bytes. */
  QUEUE_P99_BYTES("queueP99Bytes"),
  /** Packets dropped in the fabric, for whatever reason. */
  DROPS("drops"),
  /** Packets dropped because a buffer was full. */
  BUFFER_DROPS("bufferDrops"),
  /** Packets marked with congestion experienced. */
  ECN_MARKS("ecnMarks"),
  /** Marked packets over ECN-capable packets that switches took in a class that marks. */
  MARK_FRACTION("markFraction"),
  /** Pause frames sent. */
  PAUSES("pauses"),
  /** Time that ports were paused, summed over ports, ns. */
  PAUSED_NS("pausedNs"),
  /** Packets sent again. */
  RETRANSMISSIONS("retransmissions"),
  /** Packets sent again over packets sent. */
  RETRANSMITTED_FRACTION("retransmittedFraction"),
  /** ACK timers that fired. */
  TIMEOUTS("timeouts");

  private final String label;

  Metric(String label) {
    this.label = label;
  }

  /**
   * The name in scenario files and reports.
   *
   * @return such as {@code goodputMean}
   */
  public String label() {
    return label;
  }

  /**
   * All names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(Metric::label).toList();
  }

  /**
   * The metric of a name.
   *
   * @param label one of {@link #labels}
   * @return the metric
   * @throws IllegalArgumentException when there is none
   */
  public static Metric of(String label) {
    for (Metric metric : values()) {
      if (metric.label.equals(label)) {
        return metric;
      }
    }
    throw new IllegalArgumentException(
        "'" + label + "' is no metric: allowed are " + String.join(", ", labels()));
  }

  /**
   * A number for people.
   *
   * @param value any
   * @return four significant digits, no exponent
   */
  public static String number(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return "-";
    }
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(4));
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}
