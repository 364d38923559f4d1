// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.wire.memory.NativeMemory;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Packets of one flow side by side, as a socket with receive offload hands them over: all of the
 * first one's size but perhaps the last, which may be shorter.
 */
final class CoalescedBatch implements AutoCloseable {
  private final UnsafeBuffer buffer;
  private final int headroom;
  private final int capacityBytes;
  private final int limitPackets;
  private int segmentBytes;
  private int length;
  private int packets;
  private boolean isComplete;

  CoalescedBatch(String tag, int headroom, int capacityBytes, int limitPackets) {
    this.buffer = NativeMemory.allocate(tag, headroom + capacityBytes, 64);
    this.headroom = headroom;
    this.capacityBytes = capacityBytes;
    this.limitPackets = limitPackets;
  }

  void begin(int firstLength) {
    segmentBytes = firstLength;
    length = 0;
    packets = 0;
    isComplete = false;
  }

  boolean takes(int packetLength) {
    return !isComplete
        && packets < limitPackets
        && packetLength <= segmentBytes
        && length + packetLength <= capacityBytes;
  }

  void add(DirectBuffer source, int offset, int packetLength) {
    buffer.putBytes(headroom + length, source, offset, packetLength);
    length += packetLength;
    packets++;
    isComplete = packetLength < segmentBytes;
  }

  UnsafeBuffer buffer() {
    return buffer;
  }

  int length() {
    return length;
  }

  int segmentBytes() {
    return segmentBytes;
  }

  int packets() {
    return packets;
  }

  @Override
  public void close() {
    NativeMemory.release(buffer);
  }
}
