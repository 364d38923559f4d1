// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.stage;

import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A bounded pool of transmit slots and the order in which they were committed.
 *
 * <p>An engine opens, claims and commits; the owning port takes the committed packets one by one,
 * in order, keeps each as long as it likes and frees it. One thread; nothing is allocated after
 * construction.
 */
public final class PacketStage implements AutoCloseable {
  /** No packet is waiting. */
  public static final int NONE = -1;

  /** The packet is not to be damaged. */
  public static final int NO_BIT = -1;

  private static final int HEADROOM = 64;

  static {
    assert HEADROOM >= Icrc.HEADROOM;
  }

  private final UnsafeBuffer buffer;
  private final int maxDatagramBytes;
  private final int stride;
  private final int[] free;
  private final int[] committed;
  private final int[] lengths;
  private final int[] bits;
  private final int[] pathSlots;
  private final int[] tos;
  private final Destination[] destinations;
  private int freeCount;
  private int head;
  private int count;
  private int claimed = NONE;
  private int openPathSlot;
  private int openTos;
  private Destination openDestination;

  /**
   * Makes a stage of empty slots.
   *
   * @param tag for the memory accounting
   * @param slots packets at once, 1 or more
   * @param maxDatagramBytes largest UDP payload, BTH to ICRC
   */
  public PacketStage(String tag, int slots, int maxDatagramBytes) {
    this.maxDatagramBytes = maxDatagramBytes;
    this.stride = (HEADROOM + maxDatagramBytes + 63) & -64;
    this.buffer = NativeMemory.allocate(tag, Math.multiplyExact(slots, stride), 64);
    this.free = new int[slots];
    this.committed = new int[slots];
    this.lengths = new int[slots];
    this.bits = new int[slots];
    this.pathSlots = new int[slots];
    this.tos = new int[slots];
    this.destinations = new Destination[slots];
    for (int i = 0; i < slots; i++) {
      free[i] = slots - 1 - i;
    }
    freeCount = slots;
  }

  /**
   * The sending half of {@link TrainSink#open}.
   *
   * @param pathSlot source port slot
   * @param destination where the packets go
   * @param tosByte TOS or traffic class
   * @param segmentBytes UDP payload of a full packet
   * @return free slots, {@link TrainSink#BACK_PRESSURE} or {@link TrainSink#TOO_LARGE}
   */
  public int open(int pathSlot, Destination destination, int tosByte, int segmentBytes) {
    if (segmentBytes > maxDatagramBytes) {
      return TrainSink.TOO_LARGE;
    }
    int room = room();
    if (room == 0) {
      return TrainSink.BACK_PRESSURE;
    }
    openPathSlot = pathSlot;
    openDestination = destination;
    openTos = tosByte;
    return room;
  }

  /**
   * The memory of all slots.
   *
   * @return the same buffer at every call
   */
  public UnsafeBuffer buffer() {
    return buffer;
  }

  /**
   * Claims a slot; a slot claimed and not committed is given again.
   *
   * @return where the BTH goes in {@link #buffer}
   * @throws IllegalStateException when no slot is free: the engine took more than it was given
   */
  public int claim() {
    if (claimed == NONE) {
      if (freeCount == 0) {
        throw new IllegalStateException("claim without room: all slots are taken");
      }
      claimed = free[--freeCount];
    }
    return offset(claimed);
  }

  /**
   * Puts the claimed slot behind those committed before.
   *
   * @param length UDP payload, ICRC included
   * @param bit to flip after sealing, or {@link #NO_BIT}
   */
  public void commit(int length, int bit) {
    if (claimed == NONE || length > maxDatagramBytes) {
      throw new IllegalStateException(
          "commit of " + length + " bytes: " + (claimed == NONE ? "nothing claimed" : "too long"));
    }
    int slot = claimed;
    claimed = NONE;
    lengths[slot] = length;
    bits[slot] = bit;
    pathSlots[slot] = openPathSlot;
    destinations[slot] = openDestination;
    tos[slot] = openTos;
    committed[(head + count) % committed.length] = slot;
    count++;
  }

  /**
   * The oldest packet not taken yet.
   *
   * @return its slot, or {@link #NONE}
   */
  public int peek() {
    return count == 0 ? NONE : committed[head];
  }

  /** Takes the packet that {@link #peek} showed; its slot is the caller's until freed. */
  public void take() {
    head = (head + 1) % committed.length;
    count--;
  }

  /**
   * Gives a taken slot back.
   *
   * @param slot as peeked and taken
   */
  public void free(int slot) {
    destinations[slot] = null;
    free[freeCount++] = slot;
  }

  /**
   * Packets committed and not taken.
   *
   * @return 0 or more
   */
  public int committed() {
    return count;
  }

  /**
   * Slots that can be claimed now.
   *
   * @return 0 or more
   */
  public int room() {
    return freeCount + (claimed == NONE ? 0 : 1);
  }

  /**
   * Where a slot's BTH is.
   *
   * @param slot its number
   * @return offset in {@link #buffer}, with headroom in front
   */
  public int offset(int slot) {
    return slot * stride + HEADROOM;
  }

  /**
   * UDP payload of a committed packet.
   *
   * @param slot its number
   * @return bytes, ICRC included
   */
  public int length(int slot) {
    return lengths[slot];
  }

  /**
   * The bit to flip after sealing.
   *
   * @param slot its number
   * @return bit number or {@link #NO_BIT}
   */
  public int bit(int slot) {
    return bits[slot];
  }

  /**
   * The path slot of a committed packet.
   *
   * @param slot its number
   * @return as opened
   */
  public int pathSlot(int slot) {
    return pathSlots[slot];
  }

  /**
   * TOS of a committed packet.
   *
   * @param slot its number
   * @return as opened
   */
  public int tos(int slot) {
    return tos[slot];
  }

  /**
   * Where a committed packet goes.
   *
   * @param slot its number
   * @return as opened
   */
  public Destination destination(int slot) {
    return destinations[slot];
  }

  @Override
  public void close() {
    NativeMemory.release(buffer);
  }
}
