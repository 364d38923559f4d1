// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.engine.Negotiator;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmTime;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.cm.RejMessage;
import io.roce4j.wire.cm.RejectReason;
import io.roce4j.wire.cm.RepMessage;
import io.roce4j.wire.cm.SidrRepMessage;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The connection of an id, of either role: tells the protocol what the application wants, moves the
 * queue pair, and raises the events. Control turns and the agent thread.
 */
final class CmSession implements CmConsumer {
  private final RdmaCmId id;
  private final CmProtocol protocol;
  private final CmCore core;
  private final CmConnection connection;

  /** Passive: what was asked for; null on the active side. */
  private final PeerRequest request;

  private ConnectionParameters wishes;

  /** First PSN the peer sends: this side's choice. */
  private int ownPsn;

  CmSession(RdmaCmId id, CmProtocol protocol, CmConnection connection, PeerRequest request) {
    this.id = id;
    this.protocol = protocol;
    this.core = protocol.core;
    this.connection = connection;
    this.request = request;
    connection.consumer = this;
  }

  PeerRequest request() {
    return request;
  }

  CmState state() {
    return connection.state;
  }

  // ---- Active ----

  void connect(ConnectionParameters parameters) {
    wishes = parameters;
    CmSettings settings = core.settings;
    int life =
        id.ackTimeoutCode() < 0
            ? settings.packetLifeCode()
            : CmTimes.packetLifeCode(id.ackTimeoutCode(), settings.packetLifeCode());
    connection.transactionId = core.transactionId(connection);
    connection.localQpn = id.queuePair().qpNum();
    connection.destination = id.destination();
    connection.ackTimeoutCode = CmTimes.ackTimeoutCode(life, settings.ackDelayCode());
    connection.retries = settings.cmRetries();
    byte[] application = parameters.privateData();
    int limit = id.portSpace().requestDataMax();
    if (id.portSpace() == PortSpace.UDP) {
      connection.intervalNs = CmTime.toLinuxNs(settings.responseTimeoutCode());
      byte[] data = PrivateData.join("connect", MadWriter.NO_DATA, application, limit);
      RequestWriter.serviceRequest(core, connection, id, data);
      toDatagramRts();
      protocol.active.resolve(connection);
    } else {
      connection.intervalNs = CmTimes.requestIntervalNs(life, settings.responseTimeoutCode());
      ownPsn = core.numbers.startingPsn();
      byte[] offered = PrivateData.offer(PrivateData.negotiator(id.queuePair()), ownPsn);
      byte[] data = PrivateData.join("connect", offered, application, limit);
      RequestWriter.request(core, connection, id, parameters, ownPsn, data);
      id.initQueuePair();
      protocol.active.connect(connection);
    }
  }

  @Override
  public boolean onReply(CmConnection answered, CmView reply) {
    try {
      QueuePairWalk.toRts(id.queuePair(), termsOf(reply), id.grantsRights());
    } catch (VerbsException e) {
      QueuePairWalk.toError(id.queuePair());
      id.raise(CmEvent.of(CmEventType.CONNECT_ERROR, id, CmEvent.INVALID));
      return false;
    }
    int message = reply.messageOffset();
    CmEvent.Parameters said =
        new CmEvent.Parameters(
            /* responderResources= */ RepMessage.INITIATOR_DEPTH.get(reply.buffer(), message),
            /* initiatorDepth= */ RepMessage.RESPONDER_RESOURCES.get(reply.buffer(), message),
            wishes.retryCount(),
            RepMessage.RNR_RETRY_COUNT.get(reply.buffer(), message),
            RepMessage.SRQ.get(reply.buffer(), message) != 0,
            RepMessage.LOCAL_QPN.get(reply.buffer(), message),
            0,
            0);
    raise(CmEventType.ESTABLISHED, 0, dataOf(reply), said, null);
    return true;
  }

  /** [cm 7] What the active side takes from its REQ and the REP. */
  private QueuePairWalk.Terms termsOf(CmView reply) {
    UnsafeBuffer data = new UnsafeBuffer(dataOf(reply));
    Negotiator negotiator = PrivateData.negotiator(id.queuePair());
    Object agreed =
        negotiator == null ? null : negotiator.agree(data, 0, data.capacity(), ownPsn, true);
    int message = reply.messageOffset();
    int device = RequestWriter.maxDepth(id.queuePair());
    int ackDelay = RepMessage.TARGET_ACK_DELAY.get(reply.buffer(), message);
    int timeout = CmTimes.ackTimeoutCode(Math.max(connection.ackTimeoutCode - 1, 0), ackDelay);
    return new QueuePairWalk.Terms(
        id.peer(),
        RepMessage.LOCAL_QPN.get(reply.buffer(), message),
        ownPsn,
        RepMessage.STARTING_PSN.get(reply.buffer(), message),
        activeMtuBytes(),
        ConnectionParameters.depth(
            wishes.responderResources(),
            device,
            RepMessage.INITIATOR_DEPTH.get(reply.buffer(), message)),
        ConnectionParameters.depth(
            wishes.initiatorDepth(),
            device,
            RepMessage.RESPONDER_RESOURCES.get(reply.buffer(), message)),
        id.ackTimeoutCode() < 0 ? core.peerAckTimeoutCode(timeout) : id.ackTimeoutCode(),
        wishes.retryCount(),
        RepMessage.RNR_RETRY_COUNT.get(reply.buffer(), message),
        core.settings.minRnrTimer(),
        RepMessage.END_TO_END_FLOW_CONTROL.get(reply.buffer(), message) != 0,
        agreed);
  }

  @Override
  public void onStaleReply(CmConnection ended) {
    QueuePairWalk.toError(id.queuePair());
    id.raise(CmEvent.of(CmEventType.CONNECT_ERROR, id, CmEvent.STALE));
  }

  @Override
  public void onServiceReply(CmConnection ended, CmView reply) {
    int message = reply.messageOffset();
    int status = SidrRepMessage.STATUS.get(reply.buffer(), message);
    if (status != SidrRepMessage.STATUS_SUCCESS) {
      raise(CmEventType.UNREACHABLE, status, dataOf(reply), CmEvent.Parameters.NONE, null);
      return;
    }
    CmEvent.Parameters said =
        new CmEvent.Parameters(
            0,
            0,
            0,
            0,
            false,
            SidrRepMessage.QPN.get(reply.buffer(), message),
            SidrRepMessage.QKEY.get(reply.buffer(), message),
            0);
    raise(CmEventType.ESTABLISHED, 0, dataOf(reply), said, id.peer());
  }

  // ---- Passive ----

  /** Asks the application. */
  void announce(RdmaCmId listenId) {
    CmEvent.Parameters said =
        new CmEvent.Parameters(
            /* responderResources= */ request.initiatorDepth,
            /* initiatorDepth= */ request.responderResources,
            request.retryCount,
            request.rnrRetryCount,
            request.srq,
            request.qpn,
            0,
            request.pathMtuBytes);
    id.raise(
        new CmEvent(
            CmEventType.CONNECT_REQUEST,
            id,
            listenId,
            0,
            request.data,
            id.offerLength(request.data),
            said,
            null));
  }

  void accept(ConnectionParameters parameters) {
    wishes = parameters;
    QueuePair queuePair = id.queuePair();
    byte[] application = parameters.privateData();
    if (connection.state == CmState.SIDR_REQ_RCVD) {
      byte[] data =
          PrivateData.join(
              "accept", MadWriter.NO_DATA, application, SidrRepMessage.PRIVATE_DATA_LENGTH);
      toDatagramRts();
      RequestWriter.serviceReply(
          core.scratch, connection, queuePair.qpNum(), Mad.RDMA_CM_UD_QKEY, data);
      protocol.passive.answerService(connection);
      return;
    }
    ownPsn = core.numbers.startingPsn();
    Negotiator negotiator = PrivateData.negotiator(queuePair);
    Object agreed = null;
    byte[] offered = MadWriter.NO_DATA;
    if (negotiator != null) {
      UnsafeBuffer data = new UnsafeBuffer(request.data);
      agreed = negotiator.agree(data, 0, data.capacity(), ownPsn, false);
      offered = agreed == null ? offered : PrivateData.offer(negotiator, ownPsn);
    }
    byte[] data = PrivateData.join("accept", offered, application, RepMessage.PRIVATE_DATA_LENGTH);
    QueuePairWalk.Terms terms = termsOfRequest(agreed);
    id.initQueuePair();
    // [rc 1-10] The peer may send as soon as it has the reply.
    QueuePairWalk.toRts(queuePair, terms, id.grantsRights());
    connection.localQpn = queuePair.qpNum();
    RequestWriter.reply(core, connection, queuePair, terms, parameters.rnrRetryCount(), data);
    protocol.passive.accept(connection);
  }

  /** [cm 7] What the passive side takes from the REQ and its REP. */
  private QueuePairWalk.Terms termsOfRequest(Object agreed) {
    int device = RequestWriter.maxDepth(id.queuePair());
    int mtu = request.pathMtuBytes == 0 ? activeMtuBytes() : request.pathMtuBytes;
    int asked = connection.ackTimeoutCode;
    if (asked == 0) {
      // "No timer" is for a side to choose for itself: a lost packet would wait for ever.
      asked = CmTimes.ackTimeoutCode(core.settings.packetLifeCode(), core.settings.ackDelayCode());
    }
    return new QueuePairWalk.Terms(
        request.address,
        request.qpn,
        ownPsn,
        request.startingPsn,
        Math.min(mtu, activeMtuBytes()),
        ConnectionParameters.depth(wishes.responderResources(), device, request.initiatorDepth),
        ConnectionParameters.depth(wishes.initiatorDepth(), device, request.responderResources),
        id.ackTimeoutCode() < 0 ? asked : id.ackTimeoutCode(),
        request.retryCount,
        request.rnrRetryCount,
        core.settings.minRnrTimer(),
        request.flowControl,
        agreed);
  }

  void reject(byte[] data) {
    if (connection.state == CmState.SIDR_REQ_RCVD) {
      PrivateData.join("reject", MadWriter.NO_DATA, data, SidrRepMessage.PRIVATE_DATA_LENGTH);
      protocol.rejectService(connection, data);
    } else {
      PrivateData.join("reject", MadWriter.NO_DATA, data, RejMessage.PRIVATE_DATA_LENGTH);
      protocol.passive.reject(connection, RejectReason.CONSUMER_REJECT, data);
    }
  }

  void needTime(int serviceTimeoutCode) {
    protocol.passive.needTime(connection, serviceTimeoutCode);
  }

  void establish() {
    protocol.passive.establish(connection);
  }

  @Override
  public boolean hasHeardFromPeer(CmConnection waiting) {
    QueuePair queuePair = id.queuePair();
    return PrivateData.negotiator(queuePair) == null
        && queuePair.state() == QueuePairState.RTS
        && queuePair.query().rqPsn() != ownPsn;
  }

  @Override
  public void onReady(CmConnection ready) {
    id.raise(CmEvent.of(CmEventType.ESTABLISHED, id, 0));
  }

  // ---- The end ----

  void disconnect() {
    protocol.ending.disconnect(connection);
  }

  void drop() {
    QueuePair queuePair = id.queuePair();
    boolean wasReady = connection.state == CmState.ESTABLISHED || connection.state.awaitsReady();
    protocol.drop(connection);
    if (wasReady) {
      QueuePairWalk.toError(queuePair);
    }
  }

  /** The connection manager closes: the id with it. */
  void close() {
    id.markClosed();
    drop();
  }

  /** The listening id is gone: a request nobody has seen is refused. */
  void abandon() {
    if (!id.isRequestDelivered()) {
      id.markClosed();
      protocol.drop(connection);
    }
  }

  @Override
  public void onRejected(CmConnection ended, CmView reject) {
    flushQueuePair();
    int reason = RejMessage.REASON.get(reject.buffer(), reject.messageOffset());
    raise(CmEventType.REJECTED, reason, dataOf(reject), CmEvent.Parameters.NONE, null);
  }

  @Override
  public void onUnreachable(CmConnection ended) {
    flushQueuePair();
    id.raise(CmEvent.of(CmEventType.UNREACHABLE, id, CmEvent.TIMED_OUT));
  }

  @Override
  public void onEnding(CmConnection ending) {
    flushQueuePair();
  }

  @Override
  public void onDisconnected(CmConnection ended) {
    id.raise(CmEvent.of(CmEventType.DISCONNECTED, id, 0));
  }

  @Override
  public void onTimeWaitExit(CmConnection ended) {
    id.raise(CmEvent.of(CmEventType.TIMEWAIT_EXIT, id, 0));
  }

  /** A datagram queue pair serves others too and stays as it is. */
  private void flushQueuePair() {
    if (id.queuePair() != null && id.portSpace() != PortSpace.UDP) {
      QueuePairWalk.toError(id.queuePair());
    }
  }

  private void toDatagramRts() {
    QueuePairWalk.datagramToRts(id.queuePair(), Mad.RDMA_CM_UD_QKEY, core.numbers.startingPsn());
  }

  private int activeMtuBytes() {
    return id.queuePair().context().queryPort().activeMtuBytes();
  }

  private void raise(
      CmEventType type, int status, byte[] data, CmEvent.Parameters said, AddressVector peer) {
    id.raise(new CmEvent(type, id, null, status, data, id.offerLength(data), said, peer));
  }

  private static byte[] dataOf(CmView view) {
    byte[] data = new byte[view.privateDataLength()];
    view.buffer().getBytes(view.privateDataOffset(), data);
    return data;
  }
}
