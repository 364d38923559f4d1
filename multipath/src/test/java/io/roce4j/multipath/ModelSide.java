// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.ArrayList;
import java.util.List;

/** One side of a connection in a {@link ModelNet}: a queue pair, memory and what completed. */
final class ModelSide {
  private static final int ALL_RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  final QueuePair queuePair;
  final NativeRegion memory;
  final MemoryRegion region;
  final CompletionQueue sendQueue;
  final CompletionQueue receiveQueue;
  final ProtectionDomain domain;
  final List<Done> sent = new ArrayList<>();
  final List<Done> received = new ArrayList<>();
  private final ModelNet net;
  private final int index;
  private final MxSettings settings;
  private final int isn;
  private final WorkCompletion completion = new WorkCompletion();
  private final SendRequest request = new SendRequest();
  private final ReceiveRequest receive = new ReceiveRequest();

  /** A completion that was polled. */
  record Done(long wrId, int status, int opcode, long bytes, int immediate) {}

  /** Makes the queue pair, in INIT. */
  ModelSide(ModelNet net, int index, MxSettings settings, String congestion, long bytes, int isn) {
    this(net, index, settings, congestion, bytes, isn, 4096, 1024);
  }

  /** Makes the queue pair, in INIT. */
  ModelSide(
      ModelNet net,
      int index,
      MxSettings settings,
      String congestion,
      long bytes,
      int isn,
      int sends,
      int receives) {
    this.net = net;
    this.index = index;
    this.settings = settings;
    this.isn = isn;
    RdmaContext context = net.agent(index).context();
    this.domain = context.allocateProtectionDomain();
    this.memory = NativeRegion.allocate("model", bytes);
    this.region = domain.register(memory, ALL_RIGHTS);
    this.sendQueue = context.createCompletionQueue(sends + 16);
    this.receiveQueue = context.createCompletionQueue(receives + 16);
    this.queuePair =
        domain.createQueuePair(
            new QueuePairSettings()
                .type(QueuePairType.RC)
                .profile("mx")
                .congestion(congestion)
                .sendCq(sendQueue)
                .recvCq(receiveQueue)
                .maxSendWr(sends)
                .maxRecvWr(receives)
                .maxSendSge(2)
                .maxRecvSge(2)
                .maxInlineData(64));
    queuePair.toInit(ALL_RIGHTS);
  }

  /** Connects two sides and brings both to RTS. */
  static void connect(ModelSide a, ModelSide b, int mtu, int timeout, int rnrRetry) {
    a.toRts(b, mtu, timeout, rnrRetry, null, 0);
    b.toRts(a, mtu, timeout, rnrRetry, null, 0);
  }

  /** Makes two sides a stream of the connection two others have. */
  static void join(ModelSide a, ModelSide b, ModelSide ownerA, ModelSide ownerB, int stream) {
    a.toRts(b, 1024, 14, 7, ownerA.queuePair, stream);
    b.toRts(a, 1024, 14, 7, ownerB.queuePair, stream);
  }

  /** Connects two sides; where a side is deaf, the other's block does not reach it. */
  static void connectDeaf(ModelSide a, ModelSide b, boolean deafA, boolean deafB) {
    a.toRts(b, 1024, deafA);
    b.toRts(a, 1024, deafB);
  }

  private void toRts(ModelSide peer, int mtu, boolean deaf) {
    queuePair.modify(toRtr(peer, mtu, deaf ? null : blockOf(peer, 0)));
    queuePair.modify(rts(14, 7));
  }

  private NegotiationBlock blockOf(ModelSide peer, int stream) {
    return peer.settings.block(peer.queuePair.qpNum(), peer.isn, 0, stream);
  }

  private QueuePairAttributes toRtr(ModelSide peer, int mtu, Object parameters) {
    return new QueuePairAttributes()
        .state(QueuePairState.RTR)
        .addressVector(AddressVector.of(0, net.gidLo(peer.index)))
        .pathMtuBytes(mtu)
        .destQpNum(peer.queuePair.qpNum())
        .rqPsn(peer.isn)
        .maxDestRdAtomic(16)
        .minRnrTimer(8)
        .profileParameters(parameters);
  }

  private QueuePairAttributes rts(int timeout, int rnrRetry) {
    return new QueuePairAttributes()
        .state(QueuePairState.RTS)
        .timeout(timeout)
        .retryCnt(7)
        .rnrRetry(rnrRetry)
        .sqPsn(isn)
        .maxRdAtomic(16);
  }

  private void toRts(
      ModelSide peer, int mtu, int timeout, int rnrRetry, QueuePair owner, int stream) {
    var block = blockOf(peer, stream);
    MxAttributes mx =
        owner == null
            ? MxAttributes.connection(settings, block, isn)
            : MxAttributes.stream(owner, block, stream);
    queuePair.modify(toRtr(peer, mtu, mx));
    queuePair.modify(rts(timeout, rnrRetry));
  }

  int write(long wrId, long from, ModelSide peer, long to, long bytes) {
    return post(WorkRequestOpcode.RDMA_WRITE, wrId, from, peer, to, bytes);
  }

  int post(int opcode, long wrId, long from, ModelSide peer, long to, long bytes) {
    request.clear().wrId(wrId).opcode(opcode).signaled(true);
    if (bytes > 0) {
      request.sge(memory.address() + from, bytes, region.lkey());
    }
    request.remote(peer.region.address() + to, peer.region.rkey());
    request.immediate((int) wrId);
    net.kick(index);
    return queuePair.postSend(request);
  }

  int post(SendRequest own) {
    net.kick(index);
    return queuePair.postSend(own);
  }

  int receive(long wrId, long to, long bytes) {
    receive.clear().wrId(wrId);
    if (bytes > 0) {
      receive.sge(memory.address() + to, bytes, region.lkey());
    }
    net.kick(index);
    return queuePair.postReceive(receive);
  }

  /** Collects what completed. */
  void poll() {
    while (sendQueue.poll(completion)) {
      sent.add(done());
    }
    while (receiveQueue.poll(completion)) {
      received.add(done());
    }
  }

  private Done done() {
    return new Done(
        completion.wrId(),
        completion.status(),
        completion.opcode(),
        completion.byteLength(),
        completion.immediate());
  }

  void close() {
    region.close();
    memory.close();
  }
}
