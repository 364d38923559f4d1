// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.RdmaCmHeader;
import io.roce4j.wire.ip.Gid;
import org.agrona.concurrent.UnsafeBuffer;

/** A peer played by hand at 192.0.2.9: well-formed messages, of which a test changes a field. */
final class HandPeer {
  static final Gid ADDRESS = Gid.parse("192.0.2.9");
  static final long GUID = 0x0200_00FF_FE00_0009L;
  static final int PORT = 7_174;
  static final int QPN = 0x100;
  static final int COMM_ID = 0x11;
  static final long TID = 0x1_0000_0011L;

  private HandPeer() {}

  /** A REQ for the TCP port 7174 of an endpoint. */
  static CmRecord req(Gid to) {
    return req(ADDRESS, COMM_ID, to);
  }

  /** The same of a peer of another address; its queue pair is another too. */
  static CmRecord req(Gid from, int commId, Gid to) {
    return CmRecord.of(CmAttribute.REQ, TID)
        .with("localCommId", commId)
        .with("serviceId", 0x0106_0000L | PORT)
        .with("localCaGuid", GUID)
        .with("localQpn", QPN + commId - COMM_ID)
        .with("responderResources", 1)
        .with("initiatorDepth", 1)
        .with("remoteCmResponseTimeout", 20)
        .with("localCmResponseTimeout", 16)
        .with("startingPsn", 0xABCDEF)
        .with("retryCount", 7)
        .with("rnrRetryCount", 7)
        .with("partitionKey", 0xFFFF)
        .with("pathMtu", 3)
        .with("maxCmRetries", 15)
        .with("primaryLocalLid", 0xFFFF)
        .with("primaryRemoteLid", 0xFFFF)
        .with("primaryLocalGidHigh", from.high())
        .with("primaryLocalGidLow", from.low())
        .with("primaryRemoteGidHigh", to.high())
        .with("primaryRemoteGidLow", to.low())
        .with("primaryHopLimit", 64)
        .with("primaryLocalAckTimeout", 17)
        .withPrivateData(header(from, to));
  }

  static CmRecord sidrReq(Gid to) {
    return CmRecord.of(CmAttribute.SIDR_REQ, TID)
        .with("requestId", COMM_ID)
        .with("partitionKey", 0xFFFF)
        .with("serviceId", 0x0111_0000L | PORT)
        .withPrivateData(header(ADDRESS, to));
  }

  static byte[] header(Gid from, Gid to) {
    UnsafeBuffer header = new UnsafeBuffer(new byte[RdmaCmHeader.LENGTH]);
    RdmaCmHeader.write(header, 0, 40_000, from, to);
    return header.byteArray();
  }

  static CmRecord rep(CmRecord req) {
    return CmRecord.of(CmAttribute.REP, req.transactionId())
        .with("localCommId", COMM_ID)
        .with("remoteCommId", req.get("localCommId"))
        .with("localQpn", QPN)
        .with("startingPsn", 0x123456)
        .with("responderResources", 1)
        .with("initiatorDepth", 1)
        .with("targetAckDelay", 15)
        .with("rnrRetryCount", 7)
        .with("localCaGuid", GUID);
  }

  /** A message between this peer and the sender of another, from {@code localCommId} on. */
  static CmRecord answer(int attributeId, CmRecord to) {
    return CmRecord.of(attributeId, to.transactionId())
        .with("localCommId", COMM_ID)
        .with("remoteCommId", to.get("localCommId"));
  }

  static CmRecord dreq(CmRecord to, int qpn) {
    return answer(CmAttribute.DREQ, to).with("remoteQpn", qpn);
  }

  /** The endpoint's id for the REQ of this peer, accepted; its REP is the oldest sent message. */
  static RdmaCmId accepted(CmNet net, CmNet.Side side) {
    side.inject(ADDRESS, req(side.address));
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    id.queuePair(side.queuePair(QueuePairType.RC));
    id.accept(new ConnectionParameters());
    net.settle();
    return id;
  }

  /** As {@link #accepted}, and the RTU has come. Returns the REP. */
  static CmRecord established(CmNet net, CmNet.Side side) {
    accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    side.inject(ADDRESS, answer(CmAttribute.RTU, rep));
    side.expect(CmEventType.ESTABLISHED);
    return rep;
  }
}
