// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.cm.RdmaCmHeader;
import io.roce4j.wire.cm.RepMessage;
import io.roce4j.wire.cm.ReqMessage;
import io.roce4j.wire.cm.SidrRepMessage;
import io.roce4j.wire.cm.SidrReqMessage;
import io.roce4j.wire.ip.Gid;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes the messages that describe a side: REQ, REP, SIDR_REQ and SIDR_REP. */
final class RequestWriter {
  private static final int PKEY = 0xFFFF;

  /** A LID that says "routed". */
  private static final int PERMISSIVE_LID = 0xFFFF;

  private static final int MESSAGE = Mad.HEADER_LENGTH;

  private RequestWriter() {}

  /** The REQ of an id into the connection's request. */
  static void request(
      CmCore core,
      CmConnection connection,
      RdmaCmId id,
      ConnectionParameters wishes,
      int startingPsn,
      byte[] data) {
    UnsafeBuffer to = connection.request;
    QueuePair queuePair = id.queuePair();
    CmSettings settings = core.settings;
    Mad.begin(to, 0, CmAttribute.REQ, connection.transactionId);
    ReqMessage.LOCAL_COMM_ID.put(to, MESSAGE, connection.localCommId);
    ReqMessage.SERVICE_ID.putLong(to, MESSAGE, id.portSpace().serviceId(id.remotePort()));
    ReqMessage.LOCAL_CA_GUID.putLong(to, MESSAGE, core.guid);
    ReqMessage.LOCAL_QPN.put(to, MESSAGE, queuePair.qpNum());
    ReqMessage.RESPONDER_RESOURCES.put(
        to, MESSAGE, ConnectionParameters.depth(wishes.responderResources(), maxDepth(queuePair)));
    ReqMessage.INITIATOR_DEPTH.put(
        to, MESSAGE, ConnectionParameters.depth(wishes.initiatorDepth(), maxDepth(queuePair)));
    ReqMessage.REMOTE_CM_RESPONSE_TIMEOUT.put(to, MESSAGE, settings.responseTimeoutCode());
    ReqMessage.LOCAL_CM_RESPONSE_TIMEOUT.put(to, MESSAGE, settings.responseTimeoutCode());
    ReqMessage.END_TO_END_FLOW_CONTROL.put(to, MESSAGE, flowControl(core, queuePair));
    ReqMessage.STARTING_PSN.put(to, MESSAGE, startingPsn);
    ReqMessage.RETRY_COUNT.put(to, MESSAGE, wishes.retryCount());
    ReqMessage.RNR_RETRY_COUNT.put(to, MESSAGE, wishes.rnrRetryCount());
    ReqMessage.PARTITION_KEY.put(to, MESSAGE, PKEY);
    ReqMessage.PATH_MTU.put(
        to, MESSAGE, PathMtu.code(queuePair.context().queryPort().activeMtuBytes()));
    ReqMessage.MAX_CM_RETRIES.put(to, MESSAGE, settings.cmRetries());
    ReqMessage.SRQ.put(to, MESSAGE, queuePair.sharedReceiveQueue() == null ? 0 : 1);
    path(core, connection, id, to);
    header(core, id, to, MESSAGE + ReqMessage.PRIVATE_DATA_OFFSET, data);
  }

  private static void path(CmCore core, CmConnection connection, RdmaCmId id, UnsafeBuffer to) {
    AddressVector peer = id.peer();
    ReqMessage.PRIMARY_LOCAL_LID.put(to, MESSAGE, PERMISSIVE_LID);
    ReqMessage.PRIMARY_REMOTE_LID.put(to, MESSAGE, PERMISSIVE_LID);
    ReqMessage.PRIMARY_LOCAL_GID_HIGH.putLong(to, MESSAGE, core.localGidHi());
    ReqMessage.PRIMARY_LOCAL_GID_LOW.putLong(to, MESSAGE, core.localGidLo());
    ReqMessage.PRIMARY_REMOTE_GID_HIGH.putLong(to, MESSAGE, peer.gidHi());
    ReqMessage.PRIMARY_REMOTE_GID_LOW.putLong(to, MESSAGE, peer.gidLo());
    ReqMessage.PRIMARY_FLOW_LABEL.put(to, MESSAGE, peer.flowLabel());
    ReqMessage.PRIMARY_TRAFFIC_CLASS.put(to, MESSAGE, peer.trafficClass());
    ReqMessage.PRIMARY_HOP_LIMIT.put(to, MESSAGE, peer.hopLimit());
    ReqMessage.PRIMARY_LOCAL_ACK_TIMEOUT.put(to, MESSAGE, connection.ackTimeoutCode);
  }

  /** The private data of a request: the addresses, then what is said. */
  private static void header(CmCore core, RdmaCmId id, UnsafeBuffer to, int at, byte[] data) {
    int skipped = 0;
    if (id.portSpace().hasHeader()) {
      Gid own = new Gid(core.localGidHi(), core.localGidLo());
      RdmaCmHeader.write(to, at, id.localPort(), own, id.remoteAddress());
      skipped = RdmaCmHeader.LENGTH;
    }
    to.putBytes(at + skipped, data);
  }

  /** The REP to a REQ into the connection's request. */
  static void reply(
      CmCore core,
      CmConnection connection,
      QueuePair queuePair,
      QueuePairWalk.Terms terms,
      int rnrRetryCount,
      byte[] data) {
    UnsafeBuffer to = connection.request;
    Mad.begin(to, 0, CmAttribute.REP, connection.transactionId);
    RepMessage.LOCAL_COMM_ID.put(to, MESSAGE, connection.localCommId);
    RepMessage.REMOTE_COMM_ID.put(to, MESSAGE, connection.remoteCommId);
    RepMessage.LOCAL_QPN.put(to, MESSAGE, queuePair.qpNum());
    RepMessage.STARTING_PSN.put(to, MESSAGE, terms.rqPsn());
    RepMessage.RESPONDER_RESOURCES.put(to, MESSAGE, terms.maxDestRdAtomic());
    RepMessage.INITIATOR_DEPTH.put(to, MESSAGE, terms.maxRdAtomic());
    RepMessage.TARGET_ACK_DELAY.put(to, MESSAGE, core.settings.ackDelayCode());
    RepMessage.END_TO_END_FLOW_CONTROL.put(to, MESSAGE, flowControl(core, queuePair));
    RepMessage.RNR_RETRY_COUNT.put(to, MESSAGE, rnrRetryCount);
    RepMessage.SRQ.put(to, MESSAGE, queuePair.sharedReceiveQueue() == null ? 0 : 1);
    RepMessage.LOCAL_CA_GUID.putLong(to, MESSAGE, core.guid);
    to.putBytes(MESSAGE + RepMessage.PRIVATE_DATA_OFFSET, data);
  }

  /** The SIDR_REQ of an id into the connection's request. */
  static void serviceRequest(CmCore core, CmConnection connection, RdmaCmId id, byte[] data) {
    UnsafeBuffer to = connection.request;
    Mad.begin(to, 0, CmAttribute.SIDR_REQ, connection.transactionId);
    SidrReqMessage.REQUEST_ID.put(to, MESSAGE, connection.localCommId);
    SidrReqMessage.PARTITION_KEY.put(to, MESSAGE, PKEY);
    SidrReqMessage.SERVICE_ID.putLong(to, MESSAGE, id.portSpace().serviceId(id.remotePort()));
    header(core, id, to, MESSAGE + SidrReqMessage.PRIVATE_DATA_OFFSET, data);
  }

  /** The SIDR_REP that names a queue pair. */
  static void serviceReply(
      UnsafeBuffer to, CmConnection connection, int qpn, int qkey, byte[] data) {
    MadWriter.serviceReply(
        to,
        connection.transactionId,
        connection.remoteCommId,
        connection.serviceId,
        SidrRepMessage.STATUS_SUCCESS,
        data);
    SidrRepMessage.QPN.put(to, MESSAGE, qpn);
    SidrRepMessage.QKEY.put(to, MESSAGE, qkey);
  }

  /** Whether acknowledgements of this queue pair carry credits that mean something [rc 5-11]. */
  private static int flowControl(CmCore core, QueuePair queuePair) {
    return core.hasCredits() && queuePair.sharedReceiveQueue() == null ? 1 : 0;
  }

  /** READs and atomics the device does at a time, as far as messages can say it. */
  static int maxDepth(QueuePair queuePair) {
    return queuePair.context().deviceAttributes().maxQpRdAtom();
  }
}
