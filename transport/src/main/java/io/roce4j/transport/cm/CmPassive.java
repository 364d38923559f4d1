// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.RejectReason;
import io.roce4j.wire.cm.ReqMessage;
import io.roce4j.wire.cm.RtuMessage;
import io.roce4j.wire.cm.SidrRepMessage;
import io.roce4j.wire.cm.SidrReqMessage;

/** The side that is asked for a connection, or for a datagram service. Agent thread. */
final class CmPassive {
  private final CmCore core;
  private final CmEnding ending;

  CmPassive(CmCore core, CmEnding ending) {
    this.core = core;
    this.ending = ending;
  }

  void onRequest(CmView view, DatagramMeta meta) {
    int message = view.messageOffset();
    long guid = ReqMessage.LOCAL_CA_GUID.getLong(view.buffer(), message);
    int commId = ReqMessage.LOCAL_COMM_ID.get(view.buffer(), message);
    CmConnection known = core.table.ofRemoteId(guid, commId);
    if (known != null) { // [cm 6.2]
      onDuplicate(known, view, meta);
      return;
    }
    CmConnection old =
        core.table.ofRemoteQpn(guid, ReqMessage.LOCAL_QPN.get(view.buffer(), message));
    if (old != null) {
      // [cm 6.3] [FC-27] Packets do not name their sender's queue pair: the old connection has to
      // go first.
      refuse(view, meta, RejectReason.STALE_CONNECTION);
      if (old.state == CmState.ESTABLISHED) {
        ending.disconnect(old);
      }
      return;
    }
    CmListener listener =
        core.table.listener(ReqMessage.SERVICE_ID.getLong(view.buffer(), message));
    if (listener == null) {
      refuse(view, meta, RejectReason.INVALID_SERVICE_ID); // [cm 6.4]
    } else if (ReqMessage.PRIMARY_REMOTE_GID_HIGH.getLong(view.buffer(), message)
            != core.localGidHi()
        || ReqMessage.PRIMARY_REMOTE_GID_LOW.getLong(view.buffer(), message) != core.localGidLo()) {
      refuse(view, meta, RejectReason.INVALID_GID); // [cm 6.5]
    } else {
      admit(listener, view, meta);
    }
  }

  private void onDuplicate(CmConnection known, CmView view, DatagramMeta meta) {
    core.counts.duplicate(CmAttribute.REQ);
    if (known.state == CmState.MRA_REQ_SENT) {
      core.counts.retry(CmAttribute.MRA);
      MadWriter.needsTime(core.scratch, known);
      core.sendScratch(known.destination);
    } else if (known.state == CmState.TIMEWAIT) {
      refuse(view, meta, RejectReason.STALE_CONNECTION);
    }
    // Else in silence: a REP that is under way is repeated by its own timer.
  }

  private void admit(CmListener listener, CmView view, DatagramMeta meta) {
    int message = view.messageOffset();
    CmConnection connection = listener.hasRoom() ? core.table.add(false) : null;
    if (connection == null) {
      core.counts.count(CounterId.CM_REFUSED_NO_ROOM);
      refuse(view, meta, RejectReason.NO_RESOURCES);
      return;
    }
    // Whatever the source was: REP and all that follows goes to the address the REQ names.
    connection.destination =
        core.reachable(
            ReqMessage.PRIMARY_LOCAL_GID_HIGH.getLong(view.buffer(), message),
            ReqMessage.PRIMARY_LOCAL_GID_LOW.getLong(view.buffer(), message));
    connection.transactionId = view.transactionId();
    connection.intervalNs =
        core.peerTimeNs(ReqMessage.LOCAL_CM_RESPONSE_TIMEOUT.get(view.buffer(), message));
    connection.retries = ReqMessage.MAX_CM_RETRIES.get(view.buffer(), message);
    connection.ackTimeoutCode =
        core.peerAckTimeoutCode(ReqMessage.PRIMARY_LOCAL_ACK_TIMEOUT.get(view.buffer(), message));
    connection.state = CmState.REQ_RCVD;
    core.table.learnPeer(
        connection,
        ReqMessage.LOCAL_CA_GUID.getLong(view.buffer(), message),
        ReqMessage.LOCAL_COMM_ID.get(view.buffer(), message),
        ReqMessage.LOCAL_QPN.get(view.buffer(), message));
    if (connection.destination == null || !listener.onRequest(connection, view, meta)) {
      core.close(connection);
      refuse(view, meta, RejectReason.CONSUMER_REJECT);
    }
  }

  /** Rejects a REQ without keeping anything of it. */
  private void refuse(CmView view, DatagramMeta meta, int reason) {
    int commId = ReqMessage.LOCAL_COMM_ID.get(view.buffer(), view.messageOffset());
    MadWriter.reject(
        core.scratch,
        view.transactionId(),
        0,
        commId,
        MadWriter.ABOUT_REQ,
        reason,
        MadWriter.NO_DATA);
    if (reason == RejectReason.INVALID_GID) {
      MadWriter.rejectInfo(core.scratch, core.localGidHi(), core.localGidLo(), 2 * Long.BYTES);
    }
    core.sendScratch(core.sourceOf(meta));
  }

  /** Asks the peer of an unanswered REQ for more time. */
  void needTime(CmConnection connection, int serviceTimeoutCode) {
    connection.mraCode = serviceTimeoutCode;
    connection.state = CmState.MRA_REQ_SENT;
    MadWriter.needsTime(core.scratch, connection);
    core.sendScratch(connection.destination);
  }

  /** Sends the REP that lies in the connection's request. */
  void accept(CmConnection connection) {
    core.answered(connection);
    connection.state = CmState.REP_SENT;
    core.startRequest(connection, connection.intervalNs, connection.retries);
  }

  /** The application rejects a request for a connection. */
  void reject(CmConnection connection, int reason, byte[] privateData) {
    // An id that no message of this side has named yet stays unnamed.
    int own = connection.state == CmState.MRA_REQ_SENT ? connection.localCommId : 0;
    MadWriter.reject(
        core.scratch,
        connection.transactionId,
        own,
        connection.remoteCommId,
        MadWriter.ABOUT_REQ,
        reason,
        privateData);
    core.sendScratch(connection.destination);
    core.close(connection);
  }

  void onReady(CmView view) {
    int message = view.messageOffset();
    CmConnection connection =
        core.table.ofLocalId(RtuMessage.REMOTE_COMM_ID.get(view.buffer(), message));
    if (connection == null
        || connection.active
        || !connection.isBetween(RtuMessage.LOCAL_COMM_ID.get(view.buffer(), message))) {
      core.counts.count(CounterId.CM_RX_IGNORED);
    } else if (connection.state.awaitsReady()) {
      establish(connection);
    } else {
      core.counts.duplicate(CmAttribute.RTU);
    }
  }

  /** REP_SENT: the peer is known to be ready, by its RTU or because it sends. */
  void establish(CmConnection connection) {
    connection.state = CmState.ESTABLISHED;
    core.stopTimer(connection);
    connection.consumer.onReady(connection);
  }

  void onServiceRequest(CmView view, DatagramMeta meta) {
    int message = view.messageOffset();
    PeerKey requester =
        new PeerKey(
            meta.ip.sourceLow() ^ Long.rotateLeft(meta.ip.sourceHigh(), 23),
            SidrReqMessage.REQUEST_ID.get(view.buffer(), message));
    if (core.table.ofServiceRequest(requester) != null) {
      core.counts.duplicate(CmAttribute.SIDR_REQ);
      return;
    }
    CmListener listener =
        core.table.listener(SidrReqMessage.SERVICE_ID.getLong(view.buffer(), message));
    if (listener == null) {
      refuseService(view, core.sourceOf(meta), SidrRepMessage.STATUS_UNSUPPORTED_SERVICE);
      return;
    }
    Destination source = core.sourceOf(meta);
    CmConnection connection = source != null && listener.hasRoom() ? core.table.add(false) : null;
    if (connection == null) {
      core.counts.count(CounterId.CM_REFUSED_NO_ROOM);
      refuseService(view, source, SidrRepMessage.STATUS_NO_QP);
      return;
    }
    connection.destination = source;
    connection.transactionId = view.transactionId();
    connection.serviceId = SidrReqMessage.SERVICE_ID.getLong(view.buffer(), message);
    connection.state = CmState.SIDR_REQ_RCVD;
    core.table.learnRequester(connection, requester);
    if (!listener.onRequest(connection, view, meta)) {
      core.close(connection);
      refuseService(view, source, SidrRepMessage.STATUS_REJECTED);
    }
  }

  private void refuseService(CmView view, Destination to, int status) {
    int message = view.messageOffset();
    MadWriter.serviceReply(
        core.scratch,
        view.transactionId(),
        SidrReqMessage.REQUEST_ID.get(view.buffer(), message),
        SidrReqMessage.SERVICE_ID.getLong(view.buffer(), message),
        status,
        MadWriter.NO_DATA);
    core.sendScratch(to);
  }

  /** Sends the SIDR_REP in the scratch buffer and forgets the request. */
  void answerService(CmConnection connection) {
    core.sendScratch(connection.destination);
    core.close(connection);
  }
}
