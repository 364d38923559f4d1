// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.RejectReason;
import io.roce4j.wire.cm.SidrRepMessage;

/**
 * The protocol of IBA chapter 12, without input or output: messages and the time go in, messages
 * come into the outbox, owners are told. Agent thread.
 */
final class CmProtocol {
  final CmCore core;
  final CmActive active;
  final CmPassive passive;
  final CmEnding ending;

  /** The application has closed the connection manager: what is left is parting. */
  boolean closed;

  CmProtocol(CmCore core) {
    this.core = core;
    this.ending = new CmEnding(core);
    this.active = new CmActive(core, ending);
    this.passive = new CmPassive(core, ending);
  }

  /** A message arrived. */
  void onMessage(CmView view, DatagramMeta meta) {
    core.counts.received(view.attributeId());
    switch (view.attributeId()) {
      case CmAttribute.REQ -> passive.onRequest(view, meta);
      case CmAttribute.MRA -> active.onMra(view);
      case CmAttribute.REJ -> ending.onReject(view);
      case CmAttribute.REP -> active.onReply(view);
      case CmAttribute.RTU -> passive.onReady(view);
      case CmAttribute.DREQ -> ending.onDreq(view, meta);
      case CmAttribute.DREP -> ending.onDrep(view);
      case CmAttribute.SIDR_REQ -> passive.onServiceRequest(view, meta);
      case CmAttribute.SIDR_REP -> active.onServiceReply(view);
      default -> core.counts.count(CounterId.CM_RX_IGNORED);
    }
  }

  /** Fires what is due. */
  void onTimer(long nowNs) {
    CmConnection connection = core.pollDue(nowNs);
    while (connection != null) {
      onDue(connection);
      connection = core.pollDue(nowNs);
    }
  }

  private void onDue(CmConnection connection) {
    if (connection.state == CmState.TIMEWAIT) {
      ending.onTimeWaitOver(connection);
    } else if (connection.state.awaitsReady() && connection.consumer.hasHeardFromPeer(connection)) {
      // The RTU is lost, and its sender need not know of the REP's repetitions any more.
      passive.establish(connection);
    } else if (core.repeatRequest(connection)) {
      return;
    } else if (connection.state == CmState.DREQ_SENT) {
      ending.onDreqUnanswered(connection);
    } else {
      active.onUnanswered(connection);
    }
  }

  /**
   * The application does not want a connection any more; an unanswered request is rejected.
   *
   * @param connection of any state
   */
  void drop(CmConnection connection) {
    connection.consumer = CmConsumer.NOBODY;
    if (connection.state == CmState.SIDR_REQ_RCVD) {
      rejectService(connection, MadWriter.NO_DATA);
    } else if (connection.state.awaitsApplication()) {
      passive.reject(connection, RejectReason.CONSUMER_REJECT, MadWriter.NO_DATA);
    } else {
      ending.drop(connection);
    }
  }

  /** Whether nothing is left that another connection manager could disturb. */
  boolean isOver() {
    return closed && core.table.size() == 0 && core.outbox.isEmpty();
  }

  /** The application rejects a request for a datagram service. */
  void rejectService(CmConnection connection, byte[] privateData) {
    MadWriter.serviceReply(
        core.scratch,
        connection.transactionId,
        connection.remoteCommId,
        connection.serviceId,
        SidrRepMessage.STATUS_REJECTED,
        privateData);
    passive.answerService(connection);
  }
}
