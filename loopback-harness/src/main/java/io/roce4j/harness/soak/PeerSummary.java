// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.ImpairmentVerdict;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerMessage;
import java.util.List;

/**
 * What one side of a run between two processes saw; both exchange it at the end, so that both can
 * print the whole. Numbers of the peer are its word: they are added up, nothing is allocated or
 * addressed by them.
 *
 * @param counted counters over the time counted
 * @param total counters over the whole run
 * @param network what its impairments did
 * @param inside packets that its impairments still hold
 * @param bytesDelivered over the time counted
 * @param bytesVerified over the time counted
 * @param totalVerified over the whole run
 * @param messages work requests completed over the time counted
 * @param isInterrupted whether its user ended the run
 * @param errors findings in all
 * @param findings the first of them
 */
record PeerSummary(
    CounterSnapshot counted,
    CounterSnapshot total,
    ImpairmentCounts network,
    long inside,
    long bytesDelivered,
    long bytesVerified,
    long totalVerified,
    long messages,
    boolean isInterrupted,
    long errors,
    List<String> findings) {
  private static final int MOST_FINDINGS = 20;

  /** The message that carries this. */
  ObjectNode write() {
    ObjectNode message = PeerLink.message("summary");
    write(message.putObject("counted"), counted);
    write(message.putObject("total"), total);
    write(message.putObject("network"), network);
    message.put("inside", inside);
    message.put("bytesDelivered", bytesDelivered);
    message.put("bytesVerified", bytesVerified);
    message.put("totalVerified", totalVerified);
    message.put("messages", messages);
    message.put("interrupted", isInterrupted);
    message.put("errors", errors);
    ArrayNode texts = message.putArray("findings");
    for (String finding : findings) {
      texts.add(
          finding.length() <= PeerMessage.MAX_TEXT
              ? finding
              : finding.substring(0, PeerMessage.MAX_TEXT));
    }
    return message;
  }

  /**
   * Whether the peer's user ended a run early. Its word alone could excuse impairments that did not
   * act: it counts only where this side's own clock shows that time is missing.
   *
   * @param countedNs time counted, as measured here
   * @param plannedNs time agreed on
   * @return true when the peer says so and the time is short
   */
  boolean cutShort(long countedNs, long plannedNs) {
    return isInterrupted && countedNs < plannedNs;
  }

  /**
   * Whether the peer's user ended a run so early that nothing can be said of its impairments.
   *
   * @param countedNs time counted, as measured here
   * @param plannedNs time agreed on
   * @param verdict on what was counted
   * @return true when the run was cut short before there was enough traffic to tell
   */
  boolean excuses(long countedNs, long plannedNs, ImpairmentVerdict verdict) {
    return verdict.isExcusedBy(cutShort(countedNs, plannedNs));
  }

  /** Reads the peer's. */
  static PeerSummary read(PeerMessage message) {
    return new PeerSummary(
        readCounters(message.object("counted")),
        readCounters(message.object("total")),
        readNetwork(message.object("network")),
        message.count("inside"),
        message.count("bytesDelivered"),
        message.count("bytesVerified"),
        message.count("totalVerified"),
        message.count("messages"),
        message.flag("interrupted"),
        message.count("errors"),
        message.texts("findings", MOST_FINDINGS));
  }

  private static void write(ObjectNode node, CounterSnapshot counters) {
    node.put("txPackets", counters.txPackets());
    node.put("rxPackets", counters.rxPackets());
    node.put("enginePackets", counters.enginePackets());
    node.put("refused", counters.refused());
    node.put("payloadBytes", counters.payloadBytes());
    node.put("retransmissions", counters.retransmissions());
    node.put("timeouts", counters.timeouts());
    node.put("sequenceNaks", counters.sequenceNaks());
    node.put("duplicates", counters.duplicates());
    node.put("icrcErrors", counters.icrcErrors());
    node.put("rnrNaks", counters.rnrNaks());
    node.put("socketOverflow", counters.socketOverflow());
    node.put("txErrors", counters.txErrors());
    node.put("strangers", counters.strangers());
    node.put("allocatedBytes", counters.allocatedBytes());
  }

  private static CounterSnapshot readCounters(PeerMessage node) {
    return new CounterSnapshot(
        node.count("txPackets"),
        node.count("rxPackets"),
        node.count("enginePackets"),
        node.count("refused"),
        node.count("payloadBytes"),
        node.count("retransmissions"),
        node.count("timeouts"),
        node.count("sequenceNaks"),
        node.count("duplicates"),
        node.count("icrcErrors"),
        node.count("rnrNaks"),
        node.count("socketOverflow"),
        node.count("txErrors"),
        node.count("strangers"),
        node.count("allocatedBytes"));
  }

  private static void write(ObjectNode node, ImpairmentCounts counts) {
    node.put("offered", counts.offered);
    node.put("lost", counts.lost);
    node.put("duplicated", counts.duplicated);
    node.put("corrupted", counts.corrupted);
    node.put("held", counts.held);
    node.put("displaced", counts.displaced);
    node.put("delayed", counts.delayed);
    node.put("delayNsSum", counts.delayNsSum);
    node.put("lateNsSum", counts.lateNsSum);
    node.put("delivered", counts.delivered);
    node.put("discarded", counts.discarded);
  }

  private static ImpairmentCounts readNetwork(PeerMessage node) {
    ImpairmentCounts counts = new ImpairmentCounts();
    counts.offered = node.count("offered");
    counts.lost = node.count("lost");
    counts.duplicated = node.count("duplicated");
    counts.corrupted = node.count("corrupted");
    counts.held = node.count("held");
    counts.displaced = node.count("displaced");
    counts.delayed = node.count("delayed");
    counts.delayNsSum = node.count("delayNsSum");
    counts.lateNsSum = node.count("lateNsSum");
    counts.delivered = node.count("delivered");
    counts.discarded = node.count("discarded");
    return counts;
  }
}
