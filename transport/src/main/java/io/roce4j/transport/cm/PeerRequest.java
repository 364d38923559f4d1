// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.RdmaCmHeader;
import io.roce4j.wire.cm.ReqMessage;
import io.roce4j.wire.ip.Gid;
import org.agrona.DirectBuffer;

/** What a request of a peer says, kept until the application answers it. Immutable. */
final class PeerRequest {
  private static final int MTU_CODE_MAX = 5;

  final int qpn;
  final int startingPsn;
  final int responderResources;
  final int initiatorDepth;
  final int retryCount;
  final int rnrRetryCount;
  final boolean srq;

  /** 0 when the request names none that exists. */
  final int pathMtuBytes;

  /** Whether the peer's acknowledgements carry credits that mean something [rc 5-11]. */
  final boolean flowControl;

  /** Where the queue pair is to send. */
  final AddressVector address;

  /** RDMA CM port of the peer, 0 without a header. */
  final int port;

  /** The area behind the RDMA CM header. */
  final byte[] data;

  private PeerRequest(CmView view, DatagramMeta meta, PortSpace space, int peerUdpPort) {
    DirectBuffer buffer = view.buffer();
    int message = view.messageOffset();
    int hopLimit = meta.hopLimit > 0 ? meta.hopLimit : AddressVector.DEFAULT_HOP_LIMIT;
    AddressVector to;
    if (view.attributeId() == CmAttribute.REQ) {
      qpn = ReqMessage.LOCAL_QPN.get(buffer, message);
      startingPsn = ReqMessage.STARTING_PSN.get(buffer, message);
      responderResources = ReqMessage.RESPONDER_RESOURCES.get(buffer, message);
      initiatorDepth = ReqMessage.INITIATOR_DEPTH.get(buffer, message);
      retryCount = ReqMessage.RETRY_COUNT.get(buffer, message);
      rnrRetryCount = ReqMessage.RNR_RETRY_COUNT.get(buffer, message);
      srq = ReqMessage.SRQ.get(buffer, message) != 0;
      flowControl = ReqMessage.END_TO_END_FLOW_CONTROL.get(buffer, message) != 0;
      int mtuCode = ReqMessage.PATH_MTU.get(buffer, message);
      pathMtuBytes = mtuCode >= 1 && mtuCode <= MTU_CODE_MAX ? PathMtu.bytes(mtuCode) : 0;
      to =
          AddressVector.of(
                  ReqMessage.PRIMARY_LOCAL_GID_HIGH.getLong(buffer, message),
                  ReqMessage.PRIMARY_LOCAL_GID_LOW.getLong(buffer, message))
              .withFlowLabel(ReqMessage.PRIMARY_FLOW_LABEL.get(buffer, message))
              .withTrafficClass(ReqMessage.PRIMARY_TRAFFIC_CLASS.get(buffer, message));
    } else {
      qpn = 0;
      startingPsn = 0;
      responderResources = 0;
      initiatorDepth = 0;
      retryCount = 0;
      rnrRetryCount = 0;
      srq = false;
      flowControl = false;
      pathMtuBytes = 0;
      to = AddressVector.of(meta.ip.sourceHigh(), meta.ip.sourceLow());
    }
    address = to.withHopLimit(hopLimit).withUdpPort(peerUdpPort);
    int header = view.privateDataOffset();
    int skipped = space.hasHeader() ? RdmaCmHeader.LENGTH : 0;
    port = space.hasHeader() ? RdmaCmHeader.sourcePort(buffer, header) : 0;
    data = new byte[view.privateDataLength() - skipped];
    buffer.getBytes(header + skipped, data);
  }

  /**
   * Reads a request that an id of a port space got [cm 6.6] to [cm 6.8].
   *
   * @return null when it has to be refused
   */
  static PeerRequest read(
      CmView view, DatagramMeta meta, PortSpace space, Gid own, int peerUdpPort) {
    boolean reliable =
        view.attributeId() == CmAttribute.REQ
            && ReqMessage.TRANSPORT_SERVICE_TYPE.get(view.buffer(), view.messageOffset())
                == ReqMessage.TYPE_RC;
    if (reliable == (space == PortSpace.UDP)
        || (view.attributeId() == CmAttribute.SIDR_REQ) != (space == PortSpace.UDP)
        || (space.hasHeader() && !isHeaderGood(view, own))) {
      return null;
    }
    return new PeerRequest(view, meta, space, peerUdpPort);
  }

  private static boolean isHeaderGood(CmView view, Gid own) {
    DirectBuffer buffer = view.buffer();
    int header = view.privateDataOffset();
    int ipVersion = RdmaCmHeader.ipVersion(buffer, header);
    if (RdmaCmHeader.version(buffer, header) != 0
        || ipVersion != (own.isIpv4() ? 4 : 6)
        || !RdmaCmHeader.destination(buffer, header).equals(own)) {
      return false;
    }
    Gid source = RdmaCmHeader.source(buffer, header);
    return isHost(source) && (!isLoopback(source) || isLoopback(own));
  }

  private static boolean isHost(Gid address) {
    if (!address.isIpv4()) {
      return !address.equals(Gid.ZERO) && !address.isMulticast();
    }
    // Not 0.0.0.0, and neither a group nor the broadcast address.
    return address.ipv4() != 0 && (address.ipv4() >>> 28) < 0xE;
  }

  private static boolean isLoopback(Gid address) {
    return address.isIpv4()
        ? address.ipv4() >>> 24 == 127
        : address.high() == 0 && address.low() == 1;
  }
}
