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
    ReqMessage.localCommId(to, MESSAGE, connection.localCommId);
    ReqMessage.serviceId(to, MESSAGE, id.portSpace().serviceId(id.remotePort()));
    ReqMessage.localCaGuid(to, MESSAGE, core.guid);
    ReqMessage.localQpn(to, MESSAGE, queuePair.qpNum());
    ReqMessage.responderResources(
        to, MESSAGE, ConnectionParameters.depth(wishes.responderResources(), maxDepth(queuePair)));
    ReqMessage.initiatorDepth(
        to, MESSAGE, ConnectionParameters.depth(wishes.initiatorDepth(), maxDepth(queuePair)));
    ReqMessage.remoteCmResponseTimeout(to, MESSAGE, settings.responseTimeoutCode());
    ReqMessage.localCmResponseTimeout(to, MESSAGE, settings.responseTimeoutCode());
    ReqMessage.startingPsn(to, MESSAGE, startingPsn);
    ReqMessage.retryCount(to, MESSAGE, wishes.retryCount());
    ReqMessage.rnrRetryCount(to, MESSAGE, wishes.rnrRetryCount());
    ReqMessage.partitionKey(to, MESSAGE, PKEY);
    ReqMessage.pathMtu(to, MESSAGE, PathMtu.code(queuePair.context().queryPort().activeMtuBytes()));
    ReqMessage.maxCmRetries(to, MESSAGE, settings.cmRetries());
    ReqMessage.srq(to, MESSAGE, queuePair.sharedReceiveQueue() == null ? 0 : 1);
    path(core, connection, id, to);
    header(core, id, to, MESSAGE + ReqMessage.PRIVATE_DATA_OFFSET, data);
  }

  private static void path(CmCore core, CmConnection connection, RdmaCmId id, UnsafeBuffer to) {
    AddressVector peer = id.peer();
    ReqMessage.primaryLocalLid(to, MESSAGE, PERMISSIVE_LID);
    ReqMessage.primaryRemoteLid(to, MESSAGE, PERMISSIVE_LID);
    ReqMessage.primaryLocalGidHigh(to, MESSAGE, core.localGidHi());
    ReqMessage.primaryLocalGidLow(to, MESSAGE, core.localGidLo());
    ReqMessage.primaryRemoteGidHigh(to, MESSAGE, peer.gidHi());
    ReqMessage.primaryRemoteGidLow(to, MESSAGE, peer.gidLo());
    ReqMessage.primaryFlowLabel(to, MESSAGE, peer.flowLabel());
    ReqMessage.primaryTrafficClass(to, MESSAGE, peer.trafficClass());
    ReqMessage.primaryHopLimit(to, MESSAGE, peer.hopLimit());
    ReqMessage.primaryLocalAckTimeout(to, MESSAGE, connection.ackTimeoutCode);
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
    RepMessage.localCommId(to, MESSAGE, connection.localCommId);
    RepMessage.remoteCommId(to, MESSAGE, connection.remoteCommId);
    RepMessage.localQpn(to, MESSAGE, queuePair.qpNum());
    RepMessage.startingPsn(to, MESSAGE, terms.rqPsn());
    RepMessage.responderResources(to, MESSAGE, terms.maxDestRdAtomic());
    RepMessage.initiatorDepth(to, MESSAGE, terms.maxRdAtomic());
    RepMessage.targetAckDelay(to, MESSAGE, core.settings.ackDelayCode());
    RepMessage.rnrRetryCount(to, MESSAGE, rnrRetryCount);
    RepMessage.srq(to, MESSAGE, queuePair.sharedReceiveQueue() == null ? 0 : 1);
    RepMessage.localCaGuid(to, MESSAGE, core.guid);
    to.putBytes(MESSAGE + RepMessage.PRIVATE_DATA_OFFSET, data);
  }

  /** The SIDR_REQ of an id into the connection's request. */
  static void serviceRequest(CmCore core, CmConnection connection, RdmaCmId id, byte[] data) {
    UnsafeBuffer to = connection.request;
    Mad.begin(to, 0, CmAttribute.SIDR_REQ, connection.transactionId);
    SidrReqMessage.requestId(to, MESSAGE, connection.localCommId);
    SidrReqMessage.partitionKey(to, MESSAGE, PKEY);
    SidrReqMessage.serviceId(to, MESSAGE, id.portSpace().serviceId(id.remotePort()));
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
    SidrRepMessage.qpn(to, MESSAGE, qpn);
    SidrRepMessage.qkey(to, MESSAGE, qkey);
  }

  /** READs and atomics the device does at a time, as far as messages can say it. */
  static int maxDepth(QueuePair queuePair) {
    return queuePair.context().deviceAttributes().maxQpRdAtom();
  }
}
