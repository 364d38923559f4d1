// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.DrepMessage;
import io.roce4j.wire.cm.DreqMessage;
import io.roce4j.wire.cm.RejMessage;
import io.roce4j.wire.cm.RejectReason;
import java.nio.ByteOrder;

/** How connections end: DREQ and DREP, REJ of either side, TIMEWAIT. Agent thread. */
final class CmEnding {
  private final CmCore core;

  CmEnding(CmCore core) {
    this.core = core;
  }

  /** ESTABLISHED: ends the connection. */
  void disconnect(CmConnection connection) {
    connection.consumer.onEnding(connection);
    connection.state = CmState.DREQ_SENT;
    MadWriter.disconnect(connection.request, connection, core.transactionId(connection));
    core.startRequest(connection, connection.intervalNs, connection.retries);
  }

  void onDreq(CmView view, DatagramMeta meta) {
    int message = view.messageOffset();
    int sender = DreqMessage.LOCAL_COMM_ID.get(view.buffer(), message);
    int own = DreqMessage.REMOTE_COMM_ID.get(view.buffer(), message);
    CmConnection connection = core.table.ofLocalId(own);
    if (connection == null || !connection.isBetween(sender)) {
      // The peer waits for an answer although this side has forgotten the connection.
      core.counts.retry(CmAttribute.DREP);
      MadWriter.disconnected(core.scratch, view.transactionId(), own, sender);
      core.sendScratch(core.sourceOf(meta));
      return;
    }
    if (DreqMessage.REMOTE_QPN.get(view.buffer(), message) != connection.localQpn) {
      core.counts.count(CounterId.CM_RX_IGNORED);
      return;
    }
    switch (connection.state) {
      case ESTABLISHED, REP_SENT, MRA_REP_RCVD -> {
        connection.consumer.onEnding(connection);
        answer(connection, view);
        enterTimeWait(connection);
        connection.consumer.onDisconnected(connection);
      }
      case DREQ_SENT -> {
        answer(connection, view);
        enterTimeWait(connection);
        connection.consumer.onDisconnected(connection);
      }
      case TIMEWAIT -> {
        core.counts.duplicate(CmAttribute.DREQ);
        core.counts.retry(CmAttribute.DREP);
        answer(connection, view);
      }
      default -> core.counts.count(CounterId.CM_RX_IGNORED);
    }
  }

  private void answer(CmConnection connection, CmView dreq) {
    MadWriter.disconnected(
        core.scratch, dreq.transactionId(), connection.localCommId, connection.remoteCommId);
    core.sendScratch(connection.destination);
  }

  void onDrep(CmView view) {
    int message = view.messageOffset();
    CmConnection connection =
        core.table.ofLocalId(DrepMessage.REMOTE_COMM_ID.get(view.buffer(), message));
    if (connection == null
        || !connection.isBetween(DrepMessage.LOCAL_COMM_ID.get(view.buffer(), message))) {
      core.counts.count(CounterId.CM_RX_IGNORED);
    } else if (connection.state == CmState.DREQ_SENT) {
      enterTimeWait(connection);
      connection.consumer.onDisconnected(connection);
    } else if (connection.state == CmState.TIMEWAIT) {
      core.counts.duplicate(CmAttribute.DREP);
    } else {
      core.counts.count(CounterId.CM_RX_IGNORED);
    }
  }

  /** The DREQ was never answered: over all the same. */
  void onDreqUnanswered(CmConnection connection) {
    enterTimeWait(connection);
    connection.consumer.onDisconnected(connection);
  }

  void enterTimeWait(CmConnection connection) {
    core.answered(connection);
    connection.state = CmState.TIMEWAIT;
    core.setTimer(connection, core.peerTimeNs(connection.ackTimeoutCode));
  }

  void onTimeWaitOver(CmConnection connection) {
    CmConsumer consumer = connection.consumer;
    core.close(connection);
    consumer.onTimeWaitExit(connection);
  }

  void onReject(CmView view) {
    CmConnection connection = rejected(view);
    if (connection == null) {
      core.counts.count(CounterId.CM_RX_IGNORED);
      return;
    }
    int about = RejMessage.MESSAGE_REJECTED.get(view.buffer(), view.messageOffset());
    switch (connection.state) {
      case REQ_SENT, MRA_REQ_RCVD, REQ_RCVD, MRA_REQ_SENT, REP_SENT, MRA_REP_RCVD ->
          endRejected(connection, view);
      case ESTABLISHED -> {
        // Only a passive side that got no RTU goes back on its REP: nobody is there any more.
        if (connection.active && about == MadWriter.ABOUT_NONE) {
          connection.consumer.onEnding(connection);
          enterTimeWait(connection);
          connection.consumer.onDisconnected(connection);
        } else {
          core.counts.count(CounterId.CM_RX_IGNORED);
        }
      }
      default -> core.counts.count(CounterId.CM_RX_IGNORED);
    }
  }

  private void endRejected(CmConnection connection, CmView view) {
    int reason = RejMessage.REASON.get(view.buffer(), view.messageOffset());
    CmConsumer consumer = connection.consumer;
    boolean usedQueuePair = connection.state.awaitsReady();
    if (reason == RejectReason.STALE_CONNECTION || usedQueuePair) {
      enterTimeWait(connection);
    } else {
      core.close(connection);
    }
    consumer.onRejected(connection, view);
  }

  /** The connection a REJ is about, or null. */
  private CmConnection rejected(CmView view) {
    int message = view.messageOffset();
    int sender = RejMessage.LOCAL_COMM_ID.get(view.buffer(), message);
    int about = RejMessage.MESSAGE_REJECTED.get(view.buffer(), message);
    if (RejMessage.REASON.get(view.buffer(), message) == RejectReason.TIMEOUT
        && RejMessage.REJECTED_INFO_LENGTH.get(view.buffer(), message) >= Long.BYTES) {
      // The sender never learned this side's id: its own, with its node, has to do.
      int info = message + RejMessage.ADDITIONAL_INFO_OFFSET;
      long guid = view.buffer().getLong(info, ByteOrder.BIG_ENDIAN);
      CmConnection passive = core.table.ofRemoteId(guid, sender);
      return passive == null || passive.active ? null : passive;
    }
    CmConnection connection =
        core.table.ofLocalId(RejMessage.REMOTE_COMM_ID.get(view.buffer(), message));
    if (connection == null) {
      return null;
    }
    boolean fits =
        connection.state.awaitsReply()
            ? about != MadWriter.ABOUT_REP
            : about != MadWriter.ABOUT_REQ && connection.isBetween(sender);
    return fits ? connection : null;
  }

  /** The application does not want the connection any more, whatever its state is. */
  void drop(CmConnection connection) {
    connection.consumer = CmConsumer.NOBODY;
    switch (connection.state) {
      case REQ_SENT, MRA_REQ_RCVD -> {
        sendReject(connection, 0, MadWriter.ABOUT_NONE, RejectReason.TIMEOUT);
        core.close(connection);
      }
      case REQ_RCVD, MRA_REQ_SENT, SIDR_REQ_RCVD ->
          throw new IllegalStateException("the passive side answers");
      case REP_SENT, MRA_REP_RCVD -> {
        sendReject(
            connection,
            connection.remoteCommId,
            MadWriter.ABOUT_NONE,
            RejectReason.CONSUMER_REJECT);
        enterTimeWait(connection);
      }
      case ESTABLISHED -> disconnect(connection);
      case DREQ_SENT, TIMEWAIT, CLOSED -> {
        // Goes its way without an owner.
      }
      case IDLE, SIDR_REQ_SENT -> core.close(connection);
    }
  }

  /** Sends a REJ that names this side's id; one for a timeout says whose it is. */
  void sendReject(CmConnection connection, int remoteCommId, int about, int reason) {
    MadWriter.reject(
        core.scratch,
        connection.transactionId,
        connection.localCommId,
        remoteCommId,
        about,
        reason,
        MadWriter.NO_DATA);
    if (reason == RejectReason.TIMEOUT) {
      MadWriter.rejectInfo(core.scratch, core.guid, 0, Long.BYTES);
    }
    core.sendScratch(connection.destination);
  }
}
