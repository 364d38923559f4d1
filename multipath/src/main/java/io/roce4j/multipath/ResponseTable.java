// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * READs and atomics of the peer that are waiting for their turn, being answered, or answered and
 * not acknowledged: a pool of fixed size with a queue of those ready to be sent.
 */
final class ResponseTable {
  static final int NONE = -1;

  private final int capacity;
  private final int[] stream;
  private final int[] msn;
  private final long[] va;
  private final int[] rkey;
  private final long[] length;
  private final boolean[] atomic;
  private final int[] atomicKind;
  private final long[] operandA;
  private final long[] operandB;
  private final int[] refusal;
  private final int[] numbered;
  private final int[] acked;
  private final boolean[] allNumbered;
  private final int[] nextFree;
  private final int[] readyRing;
  private int firstFree;
  private int readyHead;
  private int readyTail;
  private int used;

  /** An empty table for a power of two of requests. */
  ResponseTable(int capacity) {
    this.capacity = capacity;
    this.stream = new int[capacity];
    this.msn = new int[capacity];
    this.va = new long[capacity];
    this.rkey = new int[capacity];
    this.length = new long[capacity];
    this.atomic = new boolean[capacity];
    this.atomicKind = new int[capacity];
    this.operandA = new long[capacity];
    this.operandB = new long[capacity];
    this.refusal = new int[capacity];
    this.numbered = new int[capacity];
    this.acked = new int[capacity];
    this.allNumbered = new boolean[capacity];
    this.nextFree = new int[capacity];
    this.readyRing = new int[capacity];
    for (int i = 0; i < capacity; i++) {
      nextFree[i] = i + 1 < capacity ? i + 1 : NONE;
    }
  }

  /** Requests in the table. */
  int used() {
    return used;
  }

  boolean isFull() {
    return firstFree == NONE;
  }

  /** Takes a request in; the caller has checked that there is room. */
  int add(int streamSlot, int messageMsn, long address, int key, long bytes) {
    int entry = firstFree;
    firstFree = nextFree[entry];
    used++;
    stream[entry] = streamSlot;
    msn[entry] = messageMsn;
    va[entry] = address;
    rkey[entry] = key;
    length[entry] = bytes;
    atomic[entry] = false;
    refusal[entry] = 0;
    numbered[entry] = 0;
    acked[entry] = 0;
    allNumbered[entry] = false;
    return entry;
  }

  /** Makes an entry an atomic; after execution the first operand is the original value. */
  void atomic(int entry, int kind, long swapOrAdd, long compare) {
    atomic[entry] = true;
    atomicKind[entry] = kind;
    operandA[entry] = swapOrAdd;
    operandB[entry] = compare;
  }

  /** The request's turn has come: its answer may be sent. */
  void ready(int entry) {
    readyRing[readyTail++ & (capacity - 1)] = entry;
  }

  /** The entry being answered, or {@link #NONE}. */
  int firstReady() {
    return readyHead == readyTail ? NONE : readyRing[readyHead & (capacity - 1)];
  }

  /** All fragments of the first ready entry are numbered. */
  void answered() {
    allNumbered[readyRing[readyHead++ & (capacity - 1)]] = true;
  }

  /** A fragment of the answer was numbered. */
  void countNumbered(int entry) {
    numbered[entry]++;
  }

  /**
   * A fragment of the answer is in at the requester; true when it was the last: the entry is free.
   */
  boolean countAcked(int entry) {
    if (++acked[entry] == numbered[entry] && allNumbered[entry]) {
      free(entry);
      return true;
    }
    return false;
  }

  private void free(int entry) {
    nextFree[entry] = firstFree;
    firstFree = entry;
    used--;
  }

  int stream(int entry) {
    return stream[entry];
  }

  int msn(int entry) {
    return msn[entry];
  }

  long va(int entry) {
    return va[entry];
  }

  int rkey(int entry) {
    return rkey[entry];
  }

  long length(int entry) {
    return length[entry];
  }

  boolean isAtomic(int entry) {
    return atomic[entry];
  }

  int atomicKind(int entry) {
    return atomicKind[entry];
  }

  /** Value to store or add; after execution the original value. */
  long operandA(int entry) {
    return operandA[entry];
  }

  /** Value to compare with. */
  long operandB(int entry) {
    return operandB[entry];
  }

  /** The atomic was executed: its result is kept until it is acknowledged. */
  void original(int entry, long value) {
    operandA[entry] = value;
  }

  /** Why the request is refused, 0 when it is not. */
  int refusal(int entry) {
    return refusal[entry];
  }

  void refuse(int entry, int reason) {
    refusal[entry] = reason;
  }
}
