// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/** One direction of a test link: sealed packets in order, each with an arrival time. */
final class PacketQueue {
  static final int SLOT_BYTES = 4416;

  final int capacity;
  final UnsafeBuffer buffer;
  final long[] arrivalNs;
  final int[] length;
  final int[] sourcePort;
  final int[] tos;
  final int[] identification;
  final int[] segmentBytes;
  long head;
  long tail;

  /** Room for a power of two of packets. */
  PacketQueue(int capacity) {
    this.capacity = capacity;
    this.buffer = NativeMemory.allocate("test-packets", capacity * SLOT_BYTES, 64);
    this.arrivalNs = new long[capacity];
    this.length = new int[capacity];
    this.sourcePort = new int[capacity];
    this.tos = new int[capacity];
    this.identification = new int[capacity];
    this.segmentBytes = new int[capacity];
  }

  boolean isEmpty() {
    return head == tail;
  }

  int size() {
    return (int) (tail - head);
  }

  int index(long position) {
    return (int) position & (capacity - 1);
  }

  int offset(int index) {
    return index * SLOT_BYTES + Icrc.HEADROOM + 8;
  }

  /** Room for one more packet; returns its index. */
  int push(long atNs, int bytes, int port, int typeOfService, int id) {
    if (size() == capacity) {
      throw new IllegalStateException("test link is full");
    }
    int index = index(tail++);
    arrivalNs[index] = atNs;
    length[index] = bytes;
    segmentBytes[index] = bytes;
    sourcePort[index] = port;
    tos[index] = typeOfService;
    identification[index] = id;
    return index;
  }

  /** Exchanges the last two packets. */
  void swapLastTwo() {
    int last = index(tail - 1);
    int before = index(tail - 2);
    byte[] a = new byte[length[last]];
    byte[] b = new byte[length[before]];
    buffer.getBytes(offset(last), a);
    buffer.getBytes(offset(before), b);
    buffer.putBytes(offset(last), b);
    buffer.putBytes(offset(before), a);
    length[last] = b.length;
    length[before] = a.length;
    segmentBytes[last] = b.length;
    segmentBytes[before] = a.length;
    int id = identification[last];
    identification[last] = identification[before];
    identification[before] = id;
  }

  void close() {
    NativeMemory.release(buffer);
  }
}
