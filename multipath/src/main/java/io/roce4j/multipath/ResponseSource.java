// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.Ath;
import io.roce4j.wire.mx.NackReason;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Answers to the peer's READs and atomics as the source of the response half, in the order in which
 * their turns came.
 *
 * <p>Memory is read when a fragment is sent, and again when it is repeated. An atomic is executed
 * once and its result kept. A request that can no longer be served is answered by a refusal;
 * fragments of it that were numbered before become VOIDs when they would have to be sent again.
 */
final class ResponseSource implements FragmentSource {
  private final StreamSet streams;
  private final ResponseTable table;
  private final MemoryTable memory;
  private final int mtu;
  private final int weight;

  private int entry = ResponseTable.NONE;
  private long offset;

  /**
   * An idle source.
   *
   * @param streams the connection's streams
   * @param table the requests
   * @param memory remote keys
   * @param mtu path MTU
   * @param weight fair-share weight
   */
  ResponseSource(StreamSet streams, ResponseTable table, MemoryTable memory, int mtu, int weight) {
    this.streams = streams;
    this.table = table;
    this.memory = memory;
    this.mtu = mtu;
    this.weight = weight;
  }

  /** A request's turn has come. An atomic is executed now. */
  void onTurn(int ready, MxStream stream) {
    if (table.isAtomic(ready)) {
      execute(ready, stream);
    }
    table.ready(ready);
  }

  private void execute(int ready, MxStream stream) {
    long address =
        memory.resolve(
            table.rkey(ready),
            table.va(ready),
            8,
            AccessFlags.REMOTE_ATOMIC,
            stream.pdId,
            stream.queuePair.qpNum());
    if (address < 0) {
      table.refuse(ready, NackReason.REMOTE_ACCESS);
      return;
    }
    long original = NativeMemory.getLong(address);
    if (table.atomicKind(ready) == Ath.FETCH_ADD) {
      NativeMemory.putLong(address, original + table.operandA(ready));
    } else if (original == table.operandB(ready)) {
      NativeMemory.putLong(address, table.operandA(ready));
    }
    table.original(ready, original);
  }

  private boolean isGone(int ready) {
    MxStream stream = streams.ofSlot(table.stream(ready));
    return stream == null || stream.closing;
  }

  @Override
  public int nextLength(long nowNs) {
    if (entry == ResponseTable.NONE) {
      entry = table.firstReady();
      offset = 0;
    }
    if (entry == ResponseTable.NONE) {
      return NOTHING;
    }
    return MxBody.packetLength(nextKind(), 0, nextPayload());
  }

  private int nextKind() {
    boolean plain = table.isAtomic(entry) && table.refusal(entry) == 0;
    return plain ? FragmentTable.KIND_ATOMIC_RESPONSE : FragmentTable.KIND_READ_RESPONSE;
  }

  private int nextPayload() {
    boolean none = table.isAtomic(entry) || table.refusal(entry) != 0;
    return none ? 0 : (int) Math.min(mtu, table.length(entry) - offset);
  }

  @Override
  public void take(FragmentTable fragments, int at, int cpsn) {
    int payload = nextPayload();
    fragments.begin(
        at, nextKind(), table.stream(entry), entry, table.msn(entry), (int) offset, payload);
    table.countNumbered(entry);
    offset += payload;
    boolean whole =
        table.isAtomic(entry) || table.refusal(entry) != 0 || offset == table.length(entry);
    if (whole) {
      streams.ofSlot(table.stream(entry)).waiting--;
      table.answered();
      entry = ResponseTable.NONE;
    }
  }

  @Override
  public int packetLength(FragmentTable fragments, int at) {
    return MxBody.packetLength(fragments.kind(at), 0, fragments.payloadLength(at));
  }

  @Override
  public int write(FragmentTable fragments, int at, UnsafeBuffer buffer, int bthOffset) {
    int from = fragments.source(at);
    if (fragments.kind(at) == FragmentTable.KIND_ATOMIC_RESPONSE) {
      int end =
          MxBody.writeAtomicResponse(buffer, bthOffset, table.msn(from), table.operandA(from));
      return MxBody.finish(buffer, bthOffset, end, 0);
    }
    int payload = fragments.payloadLength(at);
    long address = 0;
    if (payload > 0 && table.refusal(from) == 0) {
      address = resolve(from, fragments.messageOffset(at), payload);
      if (address < 0) {
        table.refuse(from, NackReason.REMOTE_ACCESS);
      }
    }
    if (table.refusal(from) != 0) {
      int end =
          MxBody.writeReadResponse(
              buffer, bthOffset, table.msn(from), 0, true, table.refusal(from), 0);
      return MxBody.finish(buffer, bthOffset, end, 0);
    }
    long start = fragments.messageOffset(at);
    boolean last = start + payload == table.length(from);
    int payloadAt =
        MxBody.writeReadResponse(
            buffer, bthOffset, table.msn(from), start, last, 0, table.length(from));
    if (payload > 0) {
      NativeMemory.copyToBuffer(address, buffer, payloadAt, payload);
    }
    return MxBody.finish(buffer, bthOffset, payloadAt, payload);
  }

  private long resolve(int from, long start, int payload) {
    MxStream stream = streams.ofSlot(table.stream(from));
    if (stream == null || isGone(from)) {
      return -1;
    }
    return memory.resolve(
        table.rkey(from),
        table.va(from) + start,
        payload,
        AccessFlags.REMOTE_READ,
        stream.pdId,
        stream.queuePair.qpNum());
  }

  @Override
  public boolean isSolicited(FragmentTable fragments, int at) {
    return false;
  }

  @Override
  public void onLocalFault(FragmentTable fragments, int at, int status, long nowNs) {
    // A refusal is an answer: write never fails.
  }

  @Override
  public void onAcked(FragmentTable fragments, int at, long nowNs) {
    int answered = fragments.source(at);
    MxStream stream = streams.ofSlot(table.stream(answered));
    if (table.countAcked(answered) && stream != null) {
      stream.responses--;
    }
  }

  @Override
  public void onHeldEnded(FragmentTable fragments, int at) {
    // A requester always has room for its answers: nothing is ever held.
  }

  @Override
  public int streamId(int streamSlot) {
    MxStream stream = streams.ofSlot(streamSlot);
    return stream == null ? 0 : stream.id;
  }

  @Override
  public int weight(int streamSlot) {
    return weight;
  }

  @Override
  public long backlogBytes() {
    return entry == ResponseTable.NONE ? 0 : table.length(entry) - offset;
  }

  @Override
  public void onNotReady(FragmentTable fragments, int at, int cpsn, long waitNs, long nowNs) {
    // A requester is always ready for its answers.
  }

  @Override
  public void onRefused(FragmentTable fragments, int at, int reason, long nowNs) {
    // The requester does not want the answer any more: its loss is its own.
  }
}
