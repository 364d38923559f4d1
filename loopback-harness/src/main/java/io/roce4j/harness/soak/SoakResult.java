// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.measure.Throughput;
import java.util.ArrayList;
import java.util.List;

/**
 * What one run came to.
 *
 * @param transport name of the transport
 * @param paths of each connection, 1 for rc
 * @param port name of the port as opened
 * @param portReason why that port
 * @param impairment as configured
 * @param network what the impairments did to packets over the whole run, both directions
 * @param measured what the ends saw of them, and whether that is as configured
 * @param findings what was wrong with the delivery
 * @param counters of both endpoints over the time counted
 * @param durationNs time counted
 * @param bytesDelivered message bytes of the messages completed over the time counted
 * @param bytesVerified message bytes compared and found right over the time counted
 * @param totalVerified message bytes compared over the whole run
 * @param messages work requests completed with success over the time counted
 * @param latencies from post to completion over the time counted
 * @param telemetry what MX says of its paths over the whole run, empty for rc
 * @param host drop and error counters of this host before and after the run
 * @param isInterrupted whether a user ended the run early
 * @param isExcused whether it was ended so early that its impairments need not have acted
 */
record SoakResult(
    String transport,
    int paths,
    String port,
    String portReason,
    Impairment impairment,
    ImpairmentCounts network,
    MeasuredImpairment measured,
    Findings findings,
    CounterSnapshot counters,
    long durationNs,
    long bytesDelivered,
    long bytesVerified,
    long totalVerified,
    long messages,
    LatencyRecorder latencies,
    PathTelemetry telemetry,
    HostChanges host,
    boolean isInterrupted,
    boolean isExcused) {

  /**
   * Verified payload per second.
   *
   * @return bit/s, both directions together
   */
  double goodputBitsPerSecond() {
    return Throughput.bitsPerSecond(bytesVerified, durationNs);
  }

  /**
   * Mean size of the messages.
   *
   * @return bytes, 0 when there were none
   */
  long meanMessageBytes() {
    return messages == 0 ? 0 : bytesDelivered / messages;
  }

  /**
   * Whether the impairments acted as configured.
   *
   * @return the verdict with its faults
   */
  ImpairmentVerdict verdict() {
    return measured.verdict();
  }

  /**
   * Why the run proves nothing, be it excused or not.
   *
   * @return one line each, empty for a run to be believed
   */
  List<String> faults() {
    if (messages > 0 || isInterrupted) {
      return verdict().faults();
    }
    List<String> all = new ArrayList<>(verdict().faults());
    all.addFirst(
        "no message completed in the "
            + TimeSpan.format((double) durationNs)
            + " counted: run longer (--duration), or with smaller messages (--size)");
    return all;
  }

  /**
   * Heap allocated by the endpoints' thread per packet sent or received.
   *
   * @return bytes, 0 when nothing moved
   */
  double allocatedBytesPerPacket() {
    long packets = counters.txPackets() + counters.rxPackets();
    return packets == 0 ? 0 : (double) counters.allocatedBytes() / packets;
  }
}
