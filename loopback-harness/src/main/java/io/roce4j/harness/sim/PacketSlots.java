// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The packets that are inside a simulated network: fixed slots of off-heap memory, by number.
 *
 * <p>A slot holds a whole IP packet; the BTH always stands at {@link #BTH_OFFSET} from the slot's
 * start, the UDP and IP headers end in front of it. Whoever was handed a slot owns it until he
 * hands it on or releases it; {@link #live()} is the books. Memory grows by blocks up to a limit
 * and is then reused. Single-threaded.
 */
public final class PacketSlots implements AutoCloseable {
  /** Where the BTH stands in a slot: room for an IPv6 and UDP header and an Ethernet header. */
  public static final int BTH_OFFSET = 64;

  /** No packet. */
  public static final int NONE = -1;

  private static final String TAG = "sim.packets";
  private static final int SLOTS_PER_BLOCK_SHIFT = 8;
  private static final int SLOTS_PER_BLOCK = 1 << SLOTS_PER_BLOCK_SHIFT;

  private final int maxDatagramBytes;
  private final int slotBytes;
  private final int limit;
  private final List<UnsafeBuffer> blocks = new ArrayList<>();
  private UnsafeBuffer[] blockOf = new UnsafeBuffer[0];
  private int[] free = new int[0];
  private int[] lengths = new int[0];
  private int[] headers = new int[0];
  private int[] paths = new int[0];
  private boolean[] copies = new boolean[0];
  private long[] numbers = new long[0];
  private int freeCount;
  private int live;

  /**
   * Makes a pool without memory.
   *
   * @param maxDatagramBytes largest UDP payload, BTH to ICRC, 16 to 65507
   * @param limit packets alive at once, 1 or more
   */
  public PacketSlots(int maxDatagramBytes, int limit) {
    this.maxDatagramBytes = maxDatagramBytes;
    this.slotBytes = (BTH_OFFSET + maxDatagramBytes + 63) & -64;
    this.limit = limit;
  }

  /**
   * The largest packet.
   *
   * @return bytes of UDP payload
   */
  public int maxDatagramBytes() {
    return maxDatagramBytes;
  }

  /**
   * Takes a free slot.
   *
   * @return its number; contents and attributes are whatever was there before
   * @throws IllegalStateException when the limit is reached: somebody keeps or floods packets
   */
  public int acquire() {
    if (freeCount == 0) {
      addBlock();
    }
    live++;
    return free[--freeCount];
  }

  /**
   * Gives a slot back.
   *
   * @param slot owned by the caller, who must forget it
   */
  public void release(int slot) {
    live--;
    free[freeCount++] = slot;
  }

  /**
   * Takes a free slot and copies a packet and its attributes into it.
   *
   * @param slot the original, which stays the caller's
   * @return the copy
   */
  public int copy(int slot) {
    int twin = acquire();
    buffer(twin).putBytes(start(twin), buffer(slot), start(slot), BTH_OFFSET + lengths[slot]);
    lengths[twin] = lengths[slot];
    headers[twin] = headers[slot];
    paths[twin] = paths[slot];
    numbers[twin] = numbers[slot];
    copies[twin] = true;
    return twin;
  }

  /**
   * The buffer a slot is in, over a direct ByteBuffer.
   *
   * @param slot its number
   * @return shared with other slots
   */
  public UnsafeBuffer buffer(int slot) {
    return blockOf[slot >> SLOTS_PER_BLOCK_SHIFT];
  }

  /**
   * Where the BTH of a slot's packet stands in {@link #buffer}.
   *
   * @param slot its number
   * @return offset, with {@link #BTH_OFFSET} bytes of the slot in front
   */
  public int bth(int slot) {
    return start(slot) + BTH_OFFSET;
  }

  /**
   * Bytes from BTH to ICRC.
   *
   * @param slot its number
   * @return the UDP payload's length
   */
  public int length(int slot) {
    return lengths[slot];
  }

  /**
   * Bytes of IP and UDP header in front of the BTH.
   *
   * @param slot its number
   * @return 28 over IPv4, 48 over IPv6
   */
  public int headerBytes(int slot) {
    return headers[slot];
  }

  /**
   * Bytes a packet occupies on an Ethernet wire, preamble and gap included.
   *
   * @param slot its number
   * @return datagram, headers and {@link LinkSettings#ETHERNET_OVERHEAD}
   */
  public int wireBytes(int slot) {
    return lengths[slot] + headers[slot] + LinkSettings.ETHERNET_OVERHEAD;
  }

  /**
   * The path a packet takes, for links that keep or break order by path.
   *
   * @param slot its number
   * @return the UDP source port
   */
  public int path(int slot) {
    return paths[slot];
  }

  /**
   * Flips a bit of a packet.
   *
   * @param slot its number
   * @param bit from the first byte of the BTH on
   */
  public void flipBit(int slot, int bit) {
    int at = bth(slot) + (bit >> 3);
    buffer(slot).putByte(at, (byte) (buffer(slot).getByte(at) ^ (0x80 >> (bit & 7))));
  }

  /**
   * Whether a packet is a copy that the network made.
   *
   * @param slot its number
   * @return true for the second of a pair
   */
  public boolean isCopy(int slot) {
    return copies[slot];
  }

  /**
   * The number a link gave the packet, to tell displaced ones.
   *
   * @param slot its number
   * @return as set
   */
  public long number(int slot) {
    return numbers[slot];
  }

  /**
   * Sets what a fresh packet is.
   *
   * @param slot its number
   * @param length bytes from BTH to ICRC
   * @param headerBytes bytes of IP and UDP header in front of the BTH, 28 or 48
   * @param path the UDP source port
   */
  public void describe(int slot, int length, int headerBytes, int path) {
    lengths[slot] = length;
    headers[slot] = headerBytes;
    paths[slot] = path;
    copies[slot] = false;
  }

  /**
   * Numbers a packet.
   *
   * @param slot its number in the pool
   * @param number its number on a link
   */
  public void number(int slot, long number) {
    numbers[slot] = number;
  }

  /**
   * Packets taken and not given back.
   *
   * @return 0 when the network is empty
   */
  public int live() {
    return live;
  }

  @Override
  public void close() {
    for (UnsafeBuffer block : blocks) {
      NativeMemory.release(block);
    }
    blocks.clear();
    freeCount = 0;
  }

  private int start(int slot) {
    return (slot & (SLOTS_PER_BLOCK - 1)) * slotBytes;
  }

  private void addBlock() {
    int first = blocks.size() << SLOTS_PER_BLOCK_SHIFT;
    if (first >= limit) {
      throw new IllegalStateException(
          "more than " + limit + " packets are inside the simulated network");
    }
    blocks.add(NativeMemory.allocate(TAG, slotBytes << SLOTS_PER_BLOCK_SHIFT, 64));
    blockOf = blocks.toArray(UnsafeBuffer[]::new);
    int capacity = first + SLOTS_PER_BLOCK;
    free = Arrays.copyOf(free, capacity);
    lengths = Arrays.copyOf(lengths, capacity);
    headers = Arrays.copyOf(headers, capacity);
    paths = Arrays.copyOf(paths, capacity);
    copies = Arrays.copyOf(copies, capacity);
    numbers = Arrays.copyOf(numbers, capacity);
    for (int slot = capacity - 1; slot >= first; slot--) {
      free[freeCount++] = slot;
    }
  }
}
