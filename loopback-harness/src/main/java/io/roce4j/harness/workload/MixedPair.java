// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * One reliable connection that carries every operation there is, drawn one by one: the client posts
 * them, the server has the receives, the memory and a window that it binds again and again.
 * Checked: bytes, order and number of completions at both ends, and that atomics took effect once.
 */
final class MixedPair implements AutoCloseable {

  static final int SLOTS = 16;
  static final int SLOT_BYTES = 6_000;

  private static final int DEPTH = 8;
  private static final int OPERATIONS = 60;
  private static final int UNSIGNALED_IN_A_ROW = 3;
  private static final int BIND = 1;
  private static final int INVALIDATE = 2;

  /** An operation of the client, from post to completion. */
  private record Operation(
      long id, int opcode, int length, int slot, long expected, boolean signaled, boolean window) {}

  /** What the server's next receive must tell. */
  private record Arrival(long id, int opcode, int length, int slot, int immediate, int key) {}

  private final String name;
  private final OperationMix mix;
  private final int index;
  private final SplittableRandom random;
  private final Findings findings;
  private final MixMemory contents;
  private final QueuePair client;
  private final QueuePair server;
  private final CompletionQueue clientCompletions;
  private final CompletionQueue serverCompletions;
  private final CompletionQueue serverSends;
  private final SlotMemory local;
  private final SlotMemory remote;
  private final MemoryWindow window;
  private final ArrayDeque<Operation> outstanding = new ArrayDeque<>();
  private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
  private final long[] lastWriter = new long[SLOTS + 1];
  private final int[] lastLength = new int[SLOTS + 1];
  private final WorkCompletion wc = new WorkCompletion();
  private final SendRequest request = new SendRequest();
  private long posted;
  private long done;
  private int unsignaledInARow;
  private long swapWord;
  private long addWord;
  private int windowKey;
  private int boundKey;
  private boolean windowBusy;
  private boolean windowWriteOutstanding;

  MixedPair(
      int index,
      OperationMix mix,
      FlowSide a,
      FlowSide b,
      ConnectionSettings settings,
      SeededStreams streams,
      Findings findings) {
    this.index = index;
    this.name = "mix" + index;
    this.mix = mix;
    this.random = streams.stream("operations");
    this.findings = findings;
    this.contents = new MixMemory(findings, random.nextInt(256));
    clientCompletions = a.context().createCompletionQueue(2 * DEPTH);
    serverCompletions = b.context().createCompletionQueue(4 * SLOTS);
    serverSends = b.context().createCompletionQueue(4);
    local =
        new SlotMemory(
            name + " client",
            a.domain(),
            2 * SLOTS,
            SLOT_BYTES,
            AccessFlags.LOCAL_WRITE,
            random.nextLong(),
            findings);
    remote =
        new SlotMemory(
            name + " server",
            b.domain(),
            2 * SLOTS + 1,
            SLOT_BYTES,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_MASK | AccessFlags.MW_BIND,
            random.nextLong(),
            findings);
    window = b.domain().allocateWindow(MemoryWindow.TYPE_2);
    client =
        a.domain()
            .createQueuePair(
                new QueuePairSettings()
                    .type(QueuePairType.RC)
                    .sendCq(clientCompletions)
                    .recvCq(clientCompletions)
                    .maxSendWr(2 * DEPTH)
                    .maxRecvWr(1)
                    .maxInlineData(64));
    QueuePairSettings serving =
        new QueuePairSettings()
            .type(QueuePairType.RC)
            .sendCq(serverSends)
            .recvCq(serverCompletions)
            .maxSendWr(4)
            .maxRecvWr(SLOTS);
    server = b.domain().createQueuePair(mix.shared() == null ? serving : serving.srq(mix.shared()));
    MixSetup.connect(client, b.address(), server, a.address(), settings, streams.stream("psns"));
    for (int slot = 0; slot < SLOTS; slot++) {
      contents.fill(remote, SLOTS + 1L + slot, 0, -1L - slot, SLOT_BYTES);
    }
  }

  QueuePair server() {
    return server;
  }

  int turn() {
    int work = pollClient() + pollServer() + pollWindow();
    while (outstanding.size() < DEPTH && posted < OPERATIONS && findings.count() == 0) {
      post();
      work++;
    }
    return work;
  }

  boolean isDone() {
    return done == OPERATIONS && arrivals.isEmpty();
  }

  long progress() {
    return done;
  }

  // ---- Client ----

  private void post() {
    long id = posted++;
    int length = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(SLOT_BYTES + 1);
    int slot = (int) (id % SLOTS);
    boolean last = posted == OPERATIONS;
    boolean signaled = last || unsignaledInARow == UNSIGNALED_IN_A_ROW || random.nextInt(3) != 0;
    unsignaledInARow = signaled ? 0 : unsignaledInARow + 1;
    request.clear().wrId(id).signaled(signaled);
    if (random.nextInt(4) == 0) {
      request.fence();
    }
    int kind = random.nextInt(9);
    Operation operation =
        switch (kind) {
          case 0, 1 -> send(id, length, slot, signaled, kind == 1);
          case 2, 3 -> write(id, length, slot, signaled, kind == 3);
          case 4 -> read(id, length, slot, signaled);
          case 5 -> fetchAdd(id, slot, signaled);
          case 6 -> compareAndSwap(id, slot, signaled);
          case 7 -> writeThroughWindow(id, length, slot, signaled);
          default -> sendWithInvalidate(id, length, slot, signaled);
        };
    outstanding.add(operation);
    int result = client.postSend(request);
    if (result != 0) {
      findings.add(name + " operation " + id + " was refused: " + result);
    }
  }

  /** The message in its slot, or inline when it is short and the die says so. */
  private void source(long id, int length, int slot) {
    contents.fill(local, slot, 0, id, length);
    request.sge(local.address(slot), length, local.lkey());
  }

  private Operation send(long id, int length, int slot, boolean signaled, boolean immediate) {
    source(id, length, slot);
    if (random.nextBoolean()) {
      request.solicited();
    }
    int number = random.nextInt();
    request
        .opcode(immediate ? WorkRequestOpcode.SEND_WITH_IMM : WorkRequestOpcode.SEND)
        .immediate(number);
    int flags = immediate ? WorkCompletionFlags.WITH_IMM : 0;
    arrivals.add(new Arrival(id, WorkCompletionOpcode.RECV, length, flags, number, 0));
    return new Operation(id, WorkRequestOpcode.SEND, length, slot, 0, signaled, false);
  }

  private Operation sendWithInvalidate(long id, int length, int slot, boolean signaled) {
    if (windowKey == 0) {
      return send(id, length, slot, signaled, false);
    }
    source(id, length, slot);
    request.opcode(WorkRequestOpcode.SEND_WITH_INV).invalidate(windowKey);
    arrivals.add(
        new Arrival(
            id, WorkCompletionOpcode.RECV, length, WorkCompletionFlags.WITH_INV, 0, windowKey));
    windowKey = 0;
    return new Operation(id, WorkRequestOpcode.SEND, length, slot, 0, signaled, false);
  }

  private Operation write(long id, int length, int slot, boolean signaled, boolean immediate) {
    source(id, length, slot);
    request
        .opcode(immediate ? WorkRequestOpcode.RDMA_WRITE_WITH_IMM : WorkRequestOpcode.RDMA_WRITE)
        .remote(remote.address(slot), remote.rkey())
        .immediate(slot);
    wrote(id, length, slot);
    if (immediate) {
      arrivals.add(
          new Arrival(
              id,
              WorkCompletionOpcode.RECV_RDMA_WITH_IMM,
              length,
              WorkCompletionFlags.WITH_IMM,
              slot,
              0));
    }
    return new Operation(id, WorkRequestOpcode.RDMA_WRITE, length, slot, 0, signaled, false);
  }

  private void wrote(long id, int length, int target) {
    if (length > 0) {
      lastWriter[target] = id;
      lastLength[target] = length;
    }
  }

  private Operation writeThroughWindow(long id, int length, int slot, boolean signaled) {
    if (windowKey == 0 || windowWriteOutstanding) {
      return write(id, length, slot, signaled, false);
    }
    source(id, length, slot);
    request.opcode(WorkRequestOpcode.RDMA_WRITE).remote(remote.address(SLOTS), windowKey);
    wrote(id, length, SLOTS);
    windowWriteOutstanding = true;
    return new Operation(id, WorkRequestOpcode.RDMA_WRITE, length, SLOTS, 0, signaled, true);
  }

  private Operation read(long id, int length, int slot, boolean signaled) {
    request
        .opcode(WorkRequestOpcode.RDMA_READ)
        .remote(remote.address(SLOTS + 1L + slot), remote.rkey())
        .sge(local.address(SLOTS + slot), length, local.lkey());
    local.arm(SLOTS + slot, length);
    return new Operation(id, WorkRequestOpcode.RDMA_READ, length, slot, 0, signaled, false);
  }

  private Operation fetchAdd(long id, int slot, boolean signaled) {
    boolean sharedWord = random.nextBoolean();
    long expected = addWord;
    if (!sharedWord) {
      addWord += id + 1;
    }
    request
        .opcode(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
        .remote(mix.wordAddress(sharedWord ? 0 : 1 + 2 * index), mix.words().rkey())
        .atomic(sharedWord ? 1 : id + 1, 0);
    result(slot);
    return new Operation(
        id,
        WorkRequestOpcode.ATOMIC_FETCH_AND_ADD,
        8,
        slot,
        sharedWord ? -1 : expected,
        signaled,
        false);
  }

  private Operation compareAndSwap(long id, int slot, boolean signaled) {
    long expected = swapWord;
    boolean matches = random.nextBoolean();
    request
        .opcode(WorkRequestOpcode.ATOMIC_CMP_AND_SWP)
        .remote(mix.wordAddress(2 + 2 * index), mix.words().rkey())
        .atomic(matches ? swapWord : swapWord + 1, id + 100);
    swapWord = matches ? id + 100 : swapWord;
    result(slot);
    return new Operation(
        id, WorkRequestOpcode.ATOMIC_CMP_AND_SWP, 8, slot, expected, signaled, false);
  }

  private void result(int slot) {
    request.sge(local.address(SLOTS + slot), 8, local.lkey());
    local.arm(SLOTS + slot, 8);
  }

  private int pollClient() {
    int work = 0;
    while (findings.count() == 0 && clientCompletions.poll(wc)) {
      work++;
      if (wc.status() != WorkCompletionStatus.SUCCESS) {
        findings.add(name + " operation failed: " + wc);
        return work;
      }
      finishThrough(wc.wrId());
    }
    return work;
  }

  /** A completion tells of its operation and of unsignaled ones before it, in posting order. */
  private void finishThrough(long id) {
    while (true) {
      Operation oldest = outstanding.poll();
      if (oldest == null || (oldest.signaled() && oldest.id() != id)) {
        findings.add(
            name + " completion of " + id + " where " + oldest + " is the oldest outstanding");
        return;
      }
      done++;
      finish(oldest);
      if (oldest.id() == id) {
        if (!oldest.signaled()) {
          findings.add(name + " unsignaled operation " + id + " has a completion");
        }
        return;
      }
    }
  }

  private void finish(Operation o) {
    String what = name + " " + WorkRequestOpcode.name(o.opcode());
    switch (o.opcode()) {
      case WorkRequestOpcode.RDMA_READ -> {
        contents.check(what, local, SLOTS + o.slot(), 0, -1L - o.slot(), o.length());
        local.inspect(SLOTS + o.slot(), o.length());
      }
      case WorkRequestOpcode.RDMA_WRITE -> {
        contents.check(what, remote, o.slot(), 0, o.id(), o.length());
        windowWriteOutstanding &= !o.window();
      }
      case WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, WorkRequestOpcode.ATOMIC_CMP_AND_SWP -> {
        long original = MixMemory.word(local, SLOTS + o.slot(), 0);
        if (o.expected() == -1) {
          mix.sharedAddReturned(original, what + " " + o.id());
        } else if (original != o.expected()) {
          findings.add(
              what + " " + o.id() + " returned " + original + " instead of " + o.expected());
        }
        local.inspect(SLOTS + o.slot(), 8);
      }
      default -> {} // the server sees whether it arrived
    }
  }

  // ---- Server ----

  private int pollServer() {
    int work = 0;
    while (findings.count() == 0 && serverCompletions.poll(wc)) {
      work++;
      arrived();
      mix.receiveAgain(server, wc.wrId());
    }
    return work;
  }

  private void arrived() {
    Arrival next = arrivals.poll();
    if (next == null || wc.status() != WorkCompletionStatus.SUCCESS) {
      findings.add(name + " receive completed where " + next + " was due: " + wc);
      return;
    }
    boolean immediate = (next.slot() & WorkCompletionFlags.WITH_IMM) != 0;
    boolean invalidates = (next.slot() & WorkCompletionFlags.WITH_INV) != 0;
    if (wc.opcode() != next.opcode()
        || wc.byteLength() != next.length()
        || wc.flags() != next.slot()
        || (immediate && wc.immediate() != next.immediate())
        || (invalidates && wc.invalidatedRkey() != next.key())) {
      findings.add(name + " receive tells the wrong thing where " + next + " was due: " + wc);
      return;
    }
    String what = name + " arrival";
    if (next.opcode() == WorkCompletionOpcode.RECV) {
      contents.check(what, mix.receives(), wc.wrId(), 0, next.id(), next.length());
    } else {
      contents.check(what, remote, next.immediate(), 0, next.id(), next.length());
    }
    if (invalidates) {
      boundKey = 0;
    }
  }

  /** Binds the window whenever it is free; now and then takes it back at once. */
  private int pollWindow() {
    int work = 0;
    while (findings.count() == 0 && serverSends.poll(wc)) {
      work++;
      windowBusy = false;
      if (wc.status() != WorkCompletionStatus.SUCCESS) {
        findings.add(name + " local operation failed: " + wc);
      } else if (wc.wrId() == INVALIDATE) {
        boundKey = 0;
      } else if (random.nextInt(4) == 0) {
        windowBusy = true;
        post(
            new SendRequest()
                .wrId(INVALIDATE)
                .opcode(WorkRequestOpcode.LOCAL_INV)
                .signaled(true)
                .fence()
                .invalidate(boundKey));
      } else {
        windowKey = boundKey;
      }
    }
    if (!windowBusy && boundKey == 0 && posted < OPERATIONS) {
      windowBusy = true;
      boundKey = window.nextRkey();
      post(
          new SendRequest()
              .wrId(BIND)
              .signaled(true)
              .bind(
                  window,
                  boundKey,
                  remote.region(),
                  remote.address(SLOTS),
                  SLOT_BYTES,
                  AccessFlags.REMOTE_WRITE));
      work++;
    }
    return work;
  }

  private void post(SendRequest local) {
    int result = server.postSend(local);
    if (result != 0) {
      findings.add(name + " local operation was refused: " + result);
    }
  }

  /** When all is quiet: memory holds what was written last, and words what the sums say. */
  void finish() {
    for (int slot = 0; slot <= SLOTS; slot++) {
      contents.check(name + " final memory", remote, slot, 0, lastWriter[slot], lastLength[slot]);
    }
    long add = MixMemory.word(mix.words(), 0, 1 + 2 * index);
    long swap = MixMemory.word(mix.words(), 0, 2 + 2 * index);
    if (add != addWord || swap != swapWord) {
      findings.add(
          name + " words are " + add + " and " + swap + ", not " + addWord + " and " + swapWord);
    }
    if (clientCompletions.poll(wc) || serverCompletions.poll(wc)) {
      findings.add(name + " one completion too many: " + wc);
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
    window.close();
    local.close();
    remote.close();
    clientCompletions.close();
    serverCompletions.close();
    serverSends.close();
  }
}
