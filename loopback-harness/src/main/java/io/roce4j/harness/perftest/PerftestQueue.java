// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.handshake.PerftestKey;
import io.roce4j.transport.verbs.AddressVector;
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
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.ip.Gid;

/** One queue pair of a test: how it is set up, and how its requests look. */
final class PerftestQueue {
  private static final int QKEY = 0x11111111;
  private static final int RETRIES = 7;
  private static final int MIN_RNR_TIMER = 12;
  private static final int COUNT_SHIFT = 16;

  private final PerftestPlan plan;
  private final PerftestMemory memory;
  private final int index;
  private final int psn;
  private final QueuePair pair;
  private final SendRequest send = new SendRequest(1);
  private final ReceiveRequest receive = new ReceiveRequest(1);
  private long remoteAddress;
  private int remoteKey;

  PerftestQueue(
      PerftestPlan plan,
      PerftestMemory memory,
      int index,
      int psn,
      ProtectionDomain domain,
      QueuePairSettings settings) {
    this.plan = plan;
    this.memory = memory;
    this.index = index;
    this.psn = psn;
    this.pair = domain.createQueuePair(settings);
    if (plan.type() == QueuePairType.UD) {
      QueuePairs.readyDatagram(pair, QKEY, psn);
    } else {
      pair.toInit(PerftestMemory.remoteAccess(plan.tool().verb()));
    }
    send.opcode(opcode(plan));
    receive.wrId(index).sge(memory.target(index), memory.targetBytes(), memory.key());
  }

  private static int opcode(PerftestPlan plan) {
    return switch (plan.tool().verb()) {
      case SEND -> WorkRequestOpcode.SEND;
      case WRITE -> WorkRequestOpcode.RDMA_WRITE;
      case READ -> WorkRequestOpcode.RDMA_READ;
      case ATOMIC ->
          plan.isCompareAndSwap()
              ? WorkRequestOpcode.ATOMIC_CMP_AND_SWP
              : WorkRequestOpcode.ATOMIC_FETCH_AND_ADD;
    };
  }

  QueuePair pair() {
    return pair;
  }

  /** What the peer has to know. */
  PerftestKey key(Gid gid) {
    return new PerftestKey(
        0,
        plan.tool().isRead() ? plan.outstandingReads() : 1,
        pair.qpNum(),
        psn,
        plan.tool().isSend() ? 0 : memory.key(),
        memory.target(index),
        gid);
  }

  /** Connects to the peer's queue pair. */
  void connect(PerftestKey peer, AddressVector address, int mtuBytes) {
    remoteAddress = peer.virtualAddress();
    remoteKey = peer.rkey();
    AddressVector marked =
        address.withHopLimit(plan.hopLimit()).withTrafficClass(plan.trafficClass());
    try {
      if (plan.type() == QueuePairType.UD) {
        send.datagram(pair.protectionDomain().createAddressHandle(marked), peer.qpn(), QKEY);
        return;
      }
      QueuePairAttributes tuning = new QueuePairAttributes().pathMtuBytes(mtuBytes);
      if (plan.type() == QueuePairType.RC) {
        tuneReliable(tuning, peer);
      }
      QueuePairs.toRtr(pair, marked, peer.qpn(), peer.psn(), tuning);
      QueuePairs.toRts(pair, psn, tuning);
    } catch (VerbsException e) {
      throw ToolException.check("cannot connect to the peer's queue pair: " + e.getMessage(), e);
    }
  }

  private void tuneReliable(QueuePairAttributes tuning, PerftestKey peer) {
    int reads = 1;
    if (plan.tool().isRead()) {
      if (peer.outstandingReads() == 0) {
        throw ToolException.check("the peer allows no outstanding READs (out_reads 0)");
      }
      reads = plan.outstandingReads();
    }
    tuning
        .maxDestRdAtomic(reads)
        .minRnrTimer(MIN_RNR_TIMER)
        .timeout(plan.timeoutCode())
        .retryCnt(RETRIES)
        .rnrRetry(RETRIES)
        .maxRdAtomic(Math.min(reads, peer.outstandingReads()));
  }

  /**
   * Posts a message.
   *
   * @param sizeBytes of the message
   * @param offset where in the source, and in the peer's memory
   * @param completes messages that its completion speaks for, 0 for none
   * @return false when the send queue is full
   */
  boolean postSend(long sizeBytes, long offset, int completes) {
    send.clearSges()
        .wrId((long) completes << COUNT_SHIFT | index)
        .flags(0)
        .signaled(completes > 0)
        .sge(memory.source(index) + offset, sizeBytes, memory.key())
        .remote(remoteAddress + offset, remoteKey);
    if (plan.tool().verb() == PerftestTool.Verb.ATOMIC) {
      send.atomic(plan.isCompareAndSwap() ? 0 : 1, 0);
    } else if (sizeBytes <= plan.inlineBytes()) {
      send.inline();
    }
    int result = pair.postSend(send);
    if (result == PostResult.SEND_QUEUE_FULL) {
      return false;
    }
    require(result, "a request");
    return true;
  }

  /** The queue pair that a completion of a send is of. */
  static int queueOf(long wrId) {
    return (int) (wrId & 0xFFFF);
  }

  /** The messages that a completion of a send speaks for. */
  static int countOf(long wrId) {
    return (int) (wrId >>> COUNT_SHIFT);
  }

  void postReceive() {
    require(pair.postReceive(receive), "a receive");
  }

  private void require(int result, String what) {
    if (result == PostResult.INVALID_STATE && pair.state() == QueuePairState.ERR) {
      throw ToolException.check("a queue pair is in error: " + what + " cannot be posted");
    }
    if (result != PostResult.OK) {
      throw new IllegalStateException(what + " was refused: " + PostResult.message(result));
    }
  }
}
