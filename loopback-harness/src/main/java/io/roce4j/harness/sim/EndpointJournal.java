// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.check.Journal;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EventSink;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes the packets and events of one endpoint into a journal. */
public final class EndpointJournal implements EventSink, PortTap {
  private static final CounterId[] COUNTERS = CounterId.values();

  private final Journal journal;
  private final Timeline timeline;
  private final String name;

  /**
   * Makes the writer of an endpoint.
   *
   * @param journal gets the lines
   * @param timeline tells the time
   * @param name of the endpoint
   */
  public EndpointJournal(Journal journal, Timeline timeline, String name) {
    this.journal = journal;
    this.timeline = timeline;
    this.name = name;
  }

  /**
   * Writes what links do into a journal.
   *
   * @param journal gets the lines
   * @return for the making of a simulation or a fabric
   */
  public static LinkObserver.Maker links(Journal journal) {
    return (timeline, slots) -> new LinkJournal(journal, timeline, slots);
  }

  @Override
  public void onTransmit(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    begin("tx");
    PacketLine.describe(journal, buffer, offset, length);
    journal.field("sport", meta.ip.sourcePort()).end();
  }

  @Override
  public void onReceive(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    begin("rx");
    PacketLine.describe(journal, buffer, offset, length);
    journal.end();
  }

  @Override
  public void onDrop(long nowNs, int qpn, int reason) {
    begin("refuse").field("qp", qpn).field("reason", COUNTERS[reason].label()).end();
  }

  @Override
  public void onStateChange(long nowNs, int qpn, int from, int to) {
    begin("state")
        .field("qp", qpn)
        .field("from", QueuePairState.name(from))
        .field("to", QueuePairState.name(to))
        .end();
  }

  @Override
  public void onTimer(long nowNs, int qpn, int timer) {
    begin("timer").field("qp", qpn).field("kind", timer).end();
  }

  @Override
  public void onRetransmit(long nowNs, int qpn, int cause, int psn) {
    begin("retransmit").field("qp", qpn).field("cause", cause).field("psn", psn).end();
  }

  @Override
  public void onCompletion(long nowNs, int qpn, long wrId, int status, int opcode) {
    begin("complete")
        .field("qp", qpn)
        .field("wr", wrId)
        .field("status", WorkCompletionStatus.name(status))
        .field("op", WorkCompletionOpcode.name(opcode))
        .end();
  }

  private Journal begin(String what) {
    return journal.begin(timeline.nowPs(), name, what);
  }
}
