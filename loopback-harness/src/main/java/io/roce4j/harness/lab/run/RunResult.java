// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import io.roce4j.harness.lab.scenario.Metric;
import io.roce4j.harness.lab.scenario.Scheme;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one run showed: a scheme on a seed.
 *
 * @param scheme that ran
 * @param seed of its dice
 * @param flows what became of each
 * @param books of the fabric's packets
 * @param fabric figures of the switches
 * @param effort of the transport and of the emulator
 * @param findings bytes that differ, requests refused; must be none
 * @param invalid impairments that did nothing, or were off beyond chance; must be none
 * @param diagnosis why the run did not end, empty when it ended as it should
 * @param overTime figures of how the run went
 * @param series what was recorded over time, or null when this run recorded nothing
 */
public record RunResult(
    Scheme scheme,
    long seed,
    List<FlowResult> flows,
    Books books,
    FabricFigures fabric,
    Effort effort,
    List<String> findings,
    List<String> invalid,
    List<String> diagnosis,
    OverTime overTime,
    TimeSeries series) {
  /** Copies the lists. */
  public RunResult {
    flows = List.copyOf(flows);
    findings = List.copyOf(findings);
    invalid = List.copyOf(invalid);
    diagnosis = List.copyOf(diagnosis);
  }

  /**
   * Figures of the switches.
   *
   * @param maxQueueBytes longest output queue of a switch
   * @param fullestPort the port it was at
   * @param meanQueueBytes mean over time of that port's queue
   * @param ecnMarks packets marked
   * @param pauses pause frames sent
   * @param pausedNs time that ports were paused, summed over ports
   * @param markablePackets ECN-capable packets that switches took in a class that marks
   */
  public record FabricFigures(
      long maxQueueBytes,
      String fullestPort,
      double meanQueueBytes,
      long ecnMarks,
      long pauses,
      long pausedNs,
      long markablePackets) {}

  /**
   * What it took.
   *
   * @param packetsSent by the transport
   * @param retransmissions of them
   * @param timeouts ACK timers that fired
   * @param virtualNs length of the run
   * @param events of the emulator
   * @param hops packets put on cables
   * @param setUpNs real time until the first packet: memory, endpoints, connections
   * @param wallNs real time from there to the end
   * @param cpuNs of it that the run had a core
   */
  public record Effort(
      long packetsSent,
      long retransmissions,
      long timeouts,
      long virtualNs,
      long events,
      long hops,
      long setUpNs,
      long wallNs,
      long cpuNs) {
    /**
     * The emulator's speed by the clock, set-up left out.
     *
     * @return packets put on cables per second of real time
     */
    public double hopsPerSecond() {
      return hops * 1e9 / wallNs;
    }

    /**
     * The emulator's speed on a core it has to itself, set-up left out.
     *
     * @return packets put on cables per second of a core
     */
    public double hopsPerCoreSecond() {
      return hops * 1e9 / cpuNs;
    }

    /**
     * The emulator's events on this core.
     *
     * @return events per second of real time
     */
    public double eventsPerSecond() {
      return events * 1e9 / wallNs;
    }
  }

  /**
   * Figures of how the run went.
   *
   * @param isEndless true when flows have no end, and so no completion time
   * @param convergenceNs time from the start of the last flow until all flows without end share
   *     fairly; NaN when they never did, or end
   * @param lateJain Jain's index of their shares in the later half of that time; NaN when they end
   * @param queueP99Bytes 99th percentile over time of the longest output queue of a switch
   */
  public record OverTime(
      boolean isEndless, double convergenceNs, double lateJain, double queueP99Bytes) {}

  /**
   * Whether the run is sound: no wrong byte, no lost packet, no standstill but a wanted one.
   *
   * @return false when something must be told
   */
  public boolean isSound() {
    return findings.isEmpty() && books.isBalanced() && (diagnosis.isEmpty() || scheme.mayStall());
  }

  /**
   * Values of the flows.
   *
   * @param value of one flow
   * @return in the order of the flows
   */
  public double[] ofFlows(ToDoubleFunction<FlowResult> value) {
    return flows.stream().mapToDouble(value).toArray();
  }

  /** Values of the flows that came to their end. */
  private double[] ofEnded(ToDoubleFunction<FlowResult> value) {
    return flows.stream()
        .filter(flow -> flow.isDone() && !overTime.isEndless())
        .mapToDouble(value)
        .toArray();
  }

  /**
   * The completion times.
   *
   * @return of the flows that came to their end, ns
   */
  public double[] completionTimes() {
    return ofEnded(FlowResult::completionNs);
  }

  private double[] slowdowns() {
    return ofEnded(flow -> 1 / flow.goodputFraction());
  }

  /**
   * A metric of this run.
   *
   * @param metric which
   * @return its value; NaN when there is none, such as a completion time when no flow completed
   */
  public double value(Metric metric) {
    return switch (metric) {
      case GOODPUT_MEAN -> Statistics.mean(ofFlows(FlowResult::goodputFraction));
      case GOODPUT_MIN -> Statistics.min(ofFlows(FlowResult::goodputFraction));
      case JAIN -> Statistics.jain(ofFlows(FlowResult::goodputFraction));
      case CONVERGENCE_NS -> overTime.convergenceNs();
      case LATE_JAIN -> overTime.lateJain();
      case FCT_MEAN_NS -> Statistics.mean(completionTimes());
      case FCT_P99_NS -> Statistics.percentile(completionTimes(), 99);
      case FCT_MAX_NS -> Statistics.max(completionTimes());
      case SLOWDOWN_P50 -> Statistics.percentile(slowdowns(), 50);
      case SLOWDOWN_P99 -> Statistics.percentile(slowdowns(), 99);
      case COMPLETED -> flows.stream().filter(FlowResult::isDone).count() / (double) flows.size();
      case FAILED -> flows.stream().filter(flow -> flow.failure() != 0).count();
      case QUEUE_MAX_BYTES -> fabric.maxQueueBytes();
      case QUEUE_MEAN_BYTES -> fabric.meanQueueBytes();
      case QUEUE_P99_BYTES -> overTime.queueP99Bytes();
      case DROPS -> books.dropped();
      case BUFFER_DROPS -> books.dropsByReason().getOrDefault("queueFull", 0L);
      case ECN_MARKS -> fabric.ecnMarks();
      case MARK_FRACTION -> fabric.ecnMarks() / (double) fabric.markablePackets();
      case PAUSES -> fabric.pauses();
      case PAUSED_NS -> fabric.pausedNs();
      case RETRANSMISSIONS -> effort.retransmissions();
      case RETRANSMITTED_FRACTION -> effort.retransmissions() / (double) effort.packetsSent();
      case TIMEOUTS -> effort.timeouts();
    };
  }
}
