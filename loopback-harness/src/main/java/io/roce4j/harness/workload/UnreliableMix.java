// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.SplittableRandom;

/**
 * UC and UD from one endpoint to another. What is lost is lost; what arrives must be whole and be a
 * message that was sent, and every send completes once, in order. Each message has its number as
 * immediate data, which names its length and contents.
 */
final class UnreliableMix implements AutoCloseable {

  private static final int MESSAGES = 30;
  private static final int RECEIVES = 8;
  private static final int DEPTH = 4;
  private static final int UC_BYTES = 3_000;
  private static final int HEADER_AREA = 40;
  private static final int UD_BYTES = 256;

  private final String name;
  private final boolean datagrams;
  private final SplittableRandom random;
  private final Findings findings;
  private final MixMemory contents;
  private final QueuePair client;
  private final QueuePair server;
  private final CompletionQueue clientCompletions;
  private final CompletionQueue serverCompletions;
  private final SlotMemory local;
  private final SlotMemory receives;
  private final SlotMemory targets;
  private final AddressHandle handle;
  private final UnreliableMix other;
  private final int[] lengths = new int[MESSAGES];
  private final WorkCompletion wc = new WorkCompletion();
  private final SendRequest request = new SendRequest();
  private final ReceiveRequest receive = new ReceiveRequest();
  private int posted;
  private int done;

  /** UC, and with it UD. */
  UnreliableMix(
      FlowSide a,
      FlowSide b,
      ConnectionSettings settings,
      SeededStreams streams,
      Findings findings) {
    this(false, a, b, settings, streams, findings);
  }

  private UnreliableMix(
      boolean datagrams,
      FlowSide a,
      FlowSide b,
      ConnectionSettings settings,
      SeededStreams streams,
      Findings findings) {
    this.datagrams = datagrams;
    this.name = datagrams ? "mix UD" : "mix UC";
    this.random = streams.stream(name);
    this.findings = findings;
    this.contents = new MixMemory(findings, random.nextInt(256));
    int bytes = datagrams ? HEADER_AREA + UD_BYTES : UC_BYTES;
    clientCompletions = a.context().createCompletionQueue(2 * DEPTH);
    serverCompletions = b.context().createCompletionQueue(2 * RECEIVES);
    local = memory(" client", a, DEPTH, bytes, AccessFlags.LOCAL_WRITE);
    receives = memory(" receives", b, RECEIVES, bytes, AccessFlags.LOCAL_WRITE);
    targets =
        memory(" targets", b, MESSAGES, bytes, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    int type = datagrams ? QueuePairType.UD : QueuePairType.UC;
    client = queuePair(type, a, clientCompletions);
    server = queuePair(type, b, serverCompletions);
    if (datagrams) {
      handle = a.domain().createAddressHandle(b.address());
      MixSetup.readyDatagrams(client, streams.stream("psns"));
      MixSetup.readyDatagrams(server, streams.stream("psns"));
      other = null;
    } else {
      handle = null;
      MixSetup.connect(client, b.address(), server, a.address(), settings, streams.stream("psns"));
      other = new UnreliableMix(true, a, b, settings, streams.child("datagrams"), findings);
    }
    for (int slot = 0; slot < RECEIVES; slot++) {
      receives.arm(slot, bytes);
      receiveAgain(slot, bytes);
    }
  }

  private SlotMemory memory(String part, FlowSide side, int slots, int bytes, int access) {
    return new SlotMemory(
        name + part, side.domain(), slots, bytes, access, random.nextLong(), findings);
  }

  private static QueuePair queuePair(int type, FlowSide side, CompletionQueue completions) {
    return side.domain()
        .createQueuePair(
            new QueuePairSettings()
                .type(type)
                .sendCq(completions)
                .recvCq(completions)
                .maxSendWr(DEPTH)
                .maxRecvWr(RECEIVES));
  }

  private void receiveAgain(long slot, int bytes) {
    receives.inspect(slot, bytes);
    receive.clear().wrId(slot).sge(receives.address(slot), bytes, receives.lkey());
    int result = server.postReceive(receive);
    if (result != 0) {
      findings.add(name + " receive " + slot + " was refused: " + result);
    }
  }

  int turn() {
    int work = other == null ? 0 : other.turn();
    while (findings.count() == 0 && clientCompletions.poll(wc)) {
      work++;
      if (wc.status() != WorkCompletionStatus.SUCCESS || wc.wrId() != done) {
        findings.add(name + " completion where that of " + done + " was due: " + wc);
      }
      done++;
    }
    while (findings.count() == 0 && serverCompletions.poll(wc)) {
      work++;
      arrived();
      receiveAgain(wc.wrId(), datagrams ? HEADER_AREA + UD_BYTES : UC_BYTES);
    }
    while (posted - done < DEPTH && posted < MESSAGES && findings.count() == 0) {
      post();
      work++;
    }
    return work;
  }

  private void post() {
    int id = posted++;
    int slot = id % DEPTH;
    lengths[id] = random.nextInt(datagrams ? UD_BYTES + 1 : UC_BYTES + 1);
    boolean write = !datagrams && random.nextBoolean();
    contents.fill(local, slot, 0, id, lengths[id]);
    request
        .clear()
        .wrId(id)
        .signaled(true)
        .opcode(write ? WorkRequestOpcode.RDMA_WRITE_WITH_IMM : WorkRequestOpcode.SEND_WITH_IMM)
        .immediate(id)
        .remote(targets.address(id), targets.rkey())
        .sge(local.address(slot), lengths[id], local.lkey());
    if (datagrams) {
      request.datagram(handle, server.qpNum(), MixSetup.QKEY);
    }
    int result = client.postSend(request);
    if (result != 0) {
      findings.add(name + " send " + id + " was refused: " + result);
    }
  }

  private void arrived() {
    int id = wc.immediate();
    int area = datagrams ? HEADER_AREA : 0;
    boolean known = id >= 0 && id < posted && (wc.flags() & WorkCompletionFlags.WITH_IMM) != 0;
    if (wc.status() != WorkCompletionStatus.SUCCESS
        || !known
        || wc.byteLength() != area + lengths[id]
        || (datagrams && wc.srcQp() != client.qpNum())) {
      findings.add(name + " delivered what was not sent: " + wc + " immediate " + id);
      return;
    }
    if (wc.opcode() == WorkCompletionOpcode.RECV) {
      contents.check(name, receives, wc.wrId(), area, id, lengths[id]);
    } else {
      contents.check(name, targets, id, 0, id, lengths[id]);
    }
  }

  boolean isDone() {
    return done == MESSAGES && (other == null || other.isDone());
  }

  long progress() {
    return done + (other == null ? 0 : other.progress());
  }

  void finish() {
    if (clientCompletions.poll(wc)) {
      findings.add(name + " one completion too many: " + wc);
    }
    if (other != null) {
      other.finish();
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
    if (handle != null) {
      handle.close();
    }
    if (other != null) {
      other.close();
    }
    local.close();
    receives.close();
    targets.close();
    clientCompletions.close();
    serverCompletions.close();
  }
}
