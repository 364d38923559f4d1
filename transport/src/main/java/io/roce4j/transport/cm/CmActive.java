// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.MraMessage;
import io.roce4j.wire.cm.RejectReason;
import io.roce4j.wire.cm.RepMessage;
import io.roce4j.wire.cm.SidrRepMessage;

/** The side that asks for a connection, or for a datagram service. Agent thread. */
final class CmActive {
  private final CmCore core;
  private final CmEnding ending;

  CmActive(CmCore core, CmEnding ending) {
    this.core = core;
    this.ending = ending;
  }

  /** Sends the REQ that lies in the connection's request. */
  void connect(CmConnection connection) {
    connection.state = CmState.REQ_SENT;
    core.startRequest(connection, connection.intervalNs, connection.retries);
  }

  /** Sends the SIDR_REQ that lies in the connection's request. */
  void resolve(CmConnection connection) {
    connection.state = CmState.SIDR_REQ_SENT;
    core.startRequest(connection, connection.intervalNs, connection.retries);
  }

  void onReply(CmView view) {
    int message = view.messageOffset();
    CmConnection connection =
        core.table.ofLocalId(RepMessage.REMOTE_COMM_ID.get(view.buffer(), message));
    if (connection == null || !connection.active) {
      core.counts.count(CounterId.CM_RX_IGNORED);
      return;
    }
    int sender = RepMessage.LOCAL_COMM_ID.get(view.buffer(), message);
    if (connection.state.awaitsReply()) {
      establish(connection, view, sender);
    } else if (connection.state == CmState.ESTABLISHED && connection.isBetween(sender)) {
      // The RTU was lost.
      core.counts.duplicate(CmAttribute.REP);
      core.counts.retry(CmAttribute.RTU);
      sendReady(connection);
    } else if (connection.isBetween(sender)) {
      core.counts.duplicate(CmAttribute.REP);
    } else {
      core.counts.count(CounterId.CM_RX_IGNORED);
    }
  }

  private void establish(CmConnection connection, CmView view, int sender) {
    int message = view.messageOffset();
    long guid = RepMessage.LOCAL_CA_GUID.getLong(view.buffer(), message);
    int qpn = RepMessage.LOCAL_QPN.get(view.buffer(), message);
    if (core.table.ofRemoteId(guid, sender) != null) {
      core.counts.count(CounterId.CM_RX_IGNORED);
      return;
    }
    CmConnection old = core.table.ofRemoteQpn(guid, qpn);
    if (old == null) {
      core.table.learnPeer(connection, guid, sender, qpn);
    } else {
      // [FC-27] The peer has a new connection on a queue pair that was believed connected.
      connection.remoteCommId = sender;
      if (old.state == CmState.ESTABLISHED) {
        ending.disconnect(old);
      }
    }
    if (old == null && connection.consumer.onReply(connection, view)) {
      connection.state = CmState.ESTABLISHED;
      core.stopTimer(connection);
      sendReady(connection);
      return;
    }
    int reason = old == null ? RejectReason.CONSUMER_REJECT : RejectReason.STALE_CONNECTION;
    ending.sendReject(connection, sender, MadWriter.ABOUT_REP, reason);
    CmConsumer consumer = connection.consumer;
    ending.enterTimeWait(connection);
    if (old != null) {
      consumer.onStaleReply(connection);
    }
  }

  private void sendReady(CmConnection connection) {
    MadWriter.ready(core.scratch, connection);
    core.sendScratch(connection.destination);
  }

  /** The peer needs more time for the REQ, or, as active side, for the REP. */
  void onMra(CmView view) {
    int message = view.messageOffset();
    CmConnection connection =
        core.table.ofLocalId(MraMessage.REMOTE_COMM_ID.get(view.buffer(), message));
    int about = MraMessage.MESSAGE_MRAED.get(view.buffer(), message);
    int sender = MraMessage.LOCAL_COMM_ID.get(view.buffer(), message);
    if (connection == null) {
      core.counts.count(CounterId.CM_RX_IGNORED);
    } else if (connection.state == CmState.REQ_SENT && about == MadWriter.ABOUT_REQ) {
      wait(connection, CmState.MRA_REQ_RCVD, view);
    } else if (connection.state == CmState.REP_SENT
        && about == MadWriter.ABOUT_REP
        && connection.isBetween(sender)) {
      wait(connection, CmState.MRA_REP_RCVD, view);
    } else if (connection.state == CmState.MRA_REQ_RCVD
        || connection.state == CmState.MRA_REP_RCVD) {
      core.counts.duplicate(CmAttribute.MRA);
    } else {
      core.counts.count(CounterId.CM_RX_IGNORED);
    }
  }

  private void wait(CmConnection connection, CmState next, CmView mra) {
    int code = MraMessage.SERVICE_TIMEOUT.get(mra.buffer(), mra.messageOffset());
    connection.state = next;
    connection.waitNs =
        Math.min(
            core.peerTimeNs(code) + core.peerTimeNs(connection.ackTimeoutCode),
            core.settings.peerWaitMaxNs());
    core.restartTimer(connection);
  }

  void onServiceReply(CmView view) {
    int message = view.messageOffset();
    CmConnection connection =
        core.table.ofLocalId(SidrRepMessage.REQUEST_ID.get(view.buffer(), message));
    if (connection == null || connection.state != CmState.SIDR_REQ_SENT) {
      core.counts.count(CounterId.CM_RX_IGNORED);
      return;
    }
    CmConsumer consumer = connection.consumer;
    core.close(connection);
    consumer.onServiceReply(connection, view);
  }

  /** Nobody answered the REQ, REP or SIDR_REQ: the peer is told nothing. */
  void onUnanswered(CmConnection connection) {
    CmConsumer consumer = connection.consumer;
    if (connection.state.awaitsReady()) {
      ending.enterTimeWait(connection);
    } else {
      core.close(connection);
    }
    consumer.onUnreachable(connection);
  }
}
