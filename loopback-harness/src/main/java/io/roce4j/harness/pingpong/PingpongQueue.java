// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.CompletionSource;
import io.roce4j.harness.endpoint.LiveEndpoint;
import io.roce4j.harness.handshake.PingpongAddress;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.QueuePairs;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.memory.NativeRegion;

/**
 * The queue pair of a ping-pong, its memory and its completion queue, with the attributes of the
 * Linux tools.
 */
final class PingpongQueue implements AutoCloseable {
  /** wrId of receives. */
  static final long RECEIVE = 1;

  /** wrId of sends. */
  static final long SEND = 2;

  private static final int QKEY = 0x11111111;
  private static final int GRH_BYTES = 40;
  private static final int TIMEOUT_CODE = 14;
  private static final int RETRIES = 7;
  private static final int MIN_RNR_TIMER = 12;

  private final PingpongPlan plan;
  private final int psn;
  private final NativeRegion sendMemory;
  private final NativeRegion receiveMemory;
  private final ProtectionDomain domain;
  private final CompletionSource completions;
  private final MemoryRegion source;
  private final MemoryRegion target;
  private final QueuePair pair;
  private final SendRequest send = new SendRequest(1);
  private final ReceiveRequest receive = new ReceiveRequest(1);
  private final int pathMtu;

  PingpongQueue(PingpongPlan plan, LiveEndpoint endpoint, int psn) {
    this.plan = plan;
    this.psn = psn;
    this.pathMtu = checkedMtu(plan, endpoint.context().queryPort().activeMtuBytes());
    sendMemory = NativeRegion.allocate("pingpong-send", plan.sizeBytes());
    receiveMemory = NativeRegion.allocate("pingpong-receive", receiveOffset() + plan.sizeBytes());
    PingpongPayload.fill(sendMemory, plan.sizeBytes());
    domain = endpoint.context().allocateProtectionDomain();
    completions =
        CompletionSource.create(endpoint.context(), plan.rxDepth() + 1, plan.isEventDriven());
    source = domain.register(sendMemory, 0);
    target = domain.register(receiveMemory, AccessFlags.LOCAL_WRITE);
    pair =
        domain.createQueuePair(
            new QueuePairSettings()
                .type(plan.type())
                .sendCq(completions.queue())
                .recvCq(completions.queue())
                .maxSendWr(1)
                .maxRecvWr(plan.rxDepth())
                .congestion(endpoint.congestion())
                .congestionParameters(endpoint.congestionParameters()));
    if (plan.type() != QueuePairType.UD) {
      pair.toInit(0);
    } else {
      QueuePairs.readyDatagram(pair, QKEY, psn);
    }
    send.clear().wrId(SEND).signaled(true).sge(source.address(), plan.sizeBytes(), source.lkey());
    receive.clear().wrId(RECEIVE).sge(target.address(), target.length(), target.lkey());
  }

  private static int checkedMtu(PingpongPlan plan, int active) {
    if (plan.type() == QueuePairType.UD) {
      if (plan.sizeBytes() > active) {
        throw ToolException.usage(
            "--size " + plan.sizeBytes() + ": a datagram here has at most " + active + " bytes");
      }
      return active;
    }
    if (plan.mtu() > active) {
      throw ToolException.usage(
          "--mtu "
              + plan.mtu()
              + ": this interface has an active RoCE MTU of "
              + active
              + ": raise the interface's MTU, or give --mtu "
              + active);
    }
    return plan.mtu();
  }

  /** Where the message begins in the receive buffer: behind the room for a GRH of datagrams. */
  int receiveOffset() {
    return plan.type() == QueuePairType.UD ? GRH_BYTES : 0;
  }

  NativeRegion receiveMemory() {
    return receiveMemory;
  }

  CompletionSource completions() {
    return completions;
  }

  PingpongAddress address(LiveEndpoint endpoint) {
    return new PingpongAddress(0, pair.qpNum(), psn, endpoint.gid());
  }

  void connect(LiveEndpoint endpoint, PingpongAddress peer) {
    AddressVector address = endpoint.addressOf(peer.gid());
    try {
      if (plan.type() == QueuePairType.UD) {
        AddressHandle handle = domain.createAddressHandle(address);
        send.datagram(handle, peer.qpn(), QKEY);
        return;
      }
      QueuePairAttributes tuning = new QueuePairAttributes().pathMtuBytes(pathMtu);
      if (plan.type() == QueuePairType.RC) {
        tuning
            .maxDestRdAtomic(1)
            .minRnrTimer(MIN_RNR_TIMER)
            .timeout(TIMEOUT_CODE)
            .retryCnt(RETRIES)
            .rnrRetry(RETRIES)
            .maxRdAtomic(1);
      }
      QueuePairs.toRtr(pair, address, peer.qpn(), peer.psn(), tuning);
      QueuePairs.toRts(pair, psn, tuning);
    } catch (VerbsException e) {
      throw ToolException.check("cannot connect to the peer's queue pair: " + e.getMessage(), e);
    }
  }

  /** Posts receives; the buffer is one, as at most one message is on its way. */
  void postReceives(int count) {
    for (int i = 0; i < count; i++) {
      require(pair.postReceive(receive), "a receive");
    }
  }

  void postSend() {
    require(pair.postSend(send), "a send");
  }

  private void require(int result, String what) {
    if (result == PostResult.INVALID_STATE && pair.state() == QueuePairState.ERR) {
      throw ToolException.check("the queue pair is in error: " + what + " cannot be posted");
    }
    if (result != PostResult.OK) {
      throw new IllegalStateException(what + " was refused: " + PostResult.message(result));
    }
  }

  @Override
  public void close() {
    // What belongs to the context is closed with the endpoint, before this.
    sendMemory.close();
    receiveMemory.close();
  }
}
