// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Bth;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The packets that are inside a simulated network: fixed slots of off-heap memory, by number.
 *
 * <p>A slot holds a whole IP packet; the BTH always stands at {@link #BTH_OFFSET} from the slot's
 * start, the UDP and IP headers end in front of it. Whoever was handed a slot owns it until he
 * hands it on or releases it; {@link #live()} is the books. Memory grows by blocks up to a limit
 * and is then reused. With a {@link PatternPayload} the slots are small: payloads that are pieces
 * of the pattern stay there, and whoever wants the whole packet has it written together again.
 * Single-threaded.
 */
public final class PacketSlots implements AutoCloseable {
  /** Where the BTH stands in a slot: room for an IPv6 and UDP header and an Ethernet header. */
  public static final int BTH_OFFSET = 64;

  /** No packet. */
  public static final int NONE = -1;

  /** Most bytes of a packet that a slot without payload holds: headers, small packets, the end. */
  public static final int HEAD_BYTES = 128;

  private static final String TAG = "sim.packets";
  private static final int WHOLE = 0;
  private static final byte COPY = 1;
  private static final byte BAD_FRAME = 2;
  private static final int ICRC_BYTES = 4;
  private static final int LEAST_HEAD = 12;
  private static final int HEADER_STEP = 4;
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
  private byte[] marks = new byte[0];
  private long[] numbers = new long[0];
  private final PatternPayload pattern;
  // Of a packet without its payload: bytes in front of it, where it stands, and flipped bits.
  private int[] heads = new int[0];
  private int[] places = new int[0];
  private final Int2ObjectHashMap<IntArrayList> flips = new Int2ObjectHashMap<>();
  private UnsafeBuffer scratch;
  private int freeCount;
  private int live;

  /**
   * Makes a pool without memory.
   *
   * @param maxDatagramBytes largest UDP payload, BTH to ICRC, 16 to 65507
   * @param limit packets alive at once, 1 or more
   */
  public PacketSlots(int maxDatagramBytes, int limit) {
    this(maxDatagramBytes, limit, null);
  }

  /**
   * Makes a pool without memory, whose packets may leave their payload out.
   *
   * @param maxDatagramBytes largest UDP payload, BTH to ICRC, 16 to 65507
   * @param limit packets alive at once, 1 or more
   * @param pattern all payloads beyond {@link #HEAD_BYTES} are pieces of it; null to carry them
   */
  public PacketSlots(int maxDatagramBytes, int limit, PatternPayload pattern) {
    this.maxDatagramBytes = maxDatagramBytes;
    this.pattern = pattern;
    int held = pattern == null ? maxDatagramBytes : Math.min(HEAD_BYTES, maxDatagramBytes);
    this.slotBytes = (BTH_OFFSET + held + 63) & -64;
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
    if (!flips.isEmpty()) {
      flips.remove(slot);
    }
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
    buffer(twin).putBytes(start(twin), buffer(slot), start(slot), BTH_OFFSET + held(slot));
    lengths[twin] = lengths[slot];
    headers[twin] = headers[slot];
    paths[twin] = paths[slot];
    numbers[twin] = numbers[slot];
    heads[twin] = heads[slot];
    places[twin] = places[slot];
    marks[twin] = (byte) (marks[slot] | COPY);
    IntArrayList bits = flips.get(slot);
    if (bits != null) {
      flips.put(twin, new IntArrayList(bits.toIntArray(), bits.size(), 0));
    }
    return twin;
  }

  /** Bytes of the datagram that lie in the slot. */
  private int held(int slot) {
    return heads[slot] == WHOLE ? lengths[slot] : heads[slot] + ICRC_BYTES;
  }

  /**
   * Seals a packet and copies it, or what is not pattern of it, into a slot that was described.
   *
   * @param slot its number
   * @param source holds the packet with headroom in front, and gets its ICRC
   * @param memory the same memory as {@code source}
   * @param offset first byte of the BTH there
   * @param fields the headers in front
   * @param icrc the sender's calculator
   * @throws IllegalStateException when payloads are left out and this one is not of the pattern
   */
  public void seal(
      int slot,
      UnsafeBuffer source,
      MemorySegment memory,
      int offset,
      IpUdpFields fields,
      Icrc icrc) {
    int length = lengths[slot];
    heads[slot] = WHOLE;
    if (pattern == null || length <= HEAD_BYTES) {
      icrc.seal(source, offset, length, fields);
      buffer(slot).putBytes(bth(slot), source, offset, length);
      return;
    }
    int pad = Bth.padCount(source, offset);
    int end = length - ICRC_BYTES - pad;
    int head = LEAST_HEAD;
    int place = PatternPayload.NOT_FOUND;
    while (place == PatternPayload.NOT_FOUND) {
      if (head > HEAD_BYTES - ICRC_BYTES || end - head < Long.BYTES) {
        throw new IllegalStateException(
            "a packet of "
                + length
                + " bytes does not carry the pattern: payloads are left out here, send the"
                + " pattern or let packets carry them");
      }
      place = pattern.find(memory, (long) offset + head, end - head);
      head += place == PatternPayload.NOT_FOUND ? HEADER_STEP : 0;
    }
    heads[slot] = head;
    places[slot] = place;
    int begin = icrc.computeBegin(source, offset, length, head, fields);
    // Pad bytes are zeros: they only move the register on.
    int crc = Icrc.append(begin, pattern.register(place, end - head), end - head);
    crc = Icrc.append(crc, 0, pad);
    source.putInt(offset + length - ICRC_BYTES, crc, LITTLE_ENDIAN);
    buffer(slot).putBytes(bth(slot), source, offset, head);
    buffer(slot).putInt(bth(slot) + head, crc, LITTLE_ENDIAN);
  }

  /**
   * Cuts a packet off behind some bytes; its headers stay as they are.
   *
   * @param slot its number
   * @param bytes from the BTH on that are kept, 12 to {@link #HEAD_BYTES} and not more than lie in
   *     the slot
   */
  public void truncate(int slot, int bytes) {
    int most = heads[slot] == WHOLE ? lengths[slot] : heads[slot];
    if (bytes < LEAST_HEAD || bytes > Math.min(most, HEAD_BYTES)) {
      throw new IllegalArgumentException(
          "bytes " + bytes + ": allowed " + LEAST_HEAD + " to " + Math.min(most, HEAD_BYTES));
    }
    lengths[slot] = bytes;
    heads[slot] = WHOLE;
  }

  /**
   * Whether a packet lies in its slot from the first to the last byte.
   *
   * @param slot its number
   * @return false when its payload was left out: use {@link #read}
   */
  public boolean isWhole(int slot) {
    return heads[slot] == WHOLE;
  }

  /**
   * Writes a whole packet, payload included.
   *
   * @param slot its number
   * @param target receives it
   * @param offset first byte of the BTH there
   */
  public void read(int slot, MutableDirectBuffer target, int offset) {
    int length = lengths[slot];
    int head = heads[slot];
    if (head == WHOLE) {
      target.putBytes(offset, buffer(slot), bth(slot), length);
      return;
    }
    int pad = Bth.padCount(buffer(slot), bth(slot));
    int end = length - ICRC_BYTES - pad;
    target.putBytes(offset, buffer(slot), bth(slot), head);
    pattern.copyTo(places[slot], target, offset + head, end - head);
    target.setMemory(offset + end, pad, (byte) 0);
    target.putBytes(offset + end + pad, buffer(slot), bth(slot) + head, ICRC_BYTES);
    IntArrayList bits = flips.get(slot);
    for (int i = 0; bits != null && i < bits.size(); i++) {
      flip(target, offset, bits.getInt(i));
    }
  }

  /**
   * Room for one whole packet whose payload was left out on the way: one for all ports, so that it
   * stays in the cache. Valid until the next call of anybody.
   *
   * @return with {@link #BTH_OFFSET} bytes for headers in front of the longest packet
   */
  UnsafeBuffer scratch() {
    if (scratch == null) {
      scratch = NativeMemory.allocate(TAG, BTH_OFFSET + maxDatagramBytes, 64);
    }
    return scratch;
  }

  /**
   * The ICRC a packet carries.
   *
   * @param slot its number
   * @return as {@link Icrc#received}
   */
  public int icrc(int slot) {
    return buffer(slot).getInt(bth(slot) + held(slot) - ICRC_BYTES, LITTLE_ENDIAN);
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
    int head = heads[slot];
    if (head == WHOLE || bit >> 3 < head) {
      flip(buffer(slot), bth(slot), bit);
    } else if (bit >> 3 >= lengths[slot] - ICRC_BYTES) {
      flip(buffer(slot), bth(slot) + head - lengths[slot] + ICRC_BYTES, bit);
    } else {
      flips.computeIfAbsent(slot, key -> new IntArrayList()).addInt(bit);
    }
  }

  private static void flip(MutableDirectBuffer buffer, int bth, int bit) {
    int at = bth + (bit >> 3);
    buffer.putByte(at, (byte) (buffer.getByte(at) ^ (0x80 >> (bit & 7))));
  }

  /**
   * Whether a packet is a copy that the network made.
   *
   * @param slot its number
   * @return true for the second of a pair
   */
  public boolean isCopy(int slot) {
    return (marks[slot] & COPY) != 0;
  }

  /**
   * Makes the frame check around a packet wrong: whoever looks at it drops the packet.
   *
   * @param slot its number
   */
  public void damageFrame(int slot) {
    marks[slot] |= BAD_FRAME;
  }

  /**
   * Whether the frame check around a packet is wrong.
   *
   * @param slot its number
   * @return true after {@link #damageFrame}
   */
  public boolean isFrameDamaged(int slot) {
    return (marks[slot] & BAD_FRAME) != 0;
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
    heads[slot] = WHOLE;
    marks[slot] = 0;
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
    if (scratch != null) {
      NativeMemory.release(scratch);
      scratch = null;
    }
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
    if (capacity > free.length) {
      grow(Math.min(Math.max(capacity, 2 * first), Math.max(capacity, limit)));
    }
    for (int slot = capacity - 1; slot >= first; slot--) {
      free[freeCount++] = slot;
    }
  }

  private void grow(int capacity) {
    free = Arrays.copyOf(free, capacity);
    lengths = Arrays.copyOf(lengths, capacity);
    headers = Arrays.copyOf(headers, capacity);
    paths = Arrays.copyOf(paths, capacity);
    marks = Arrays.copyOf(marks, capacity);
    numbers = Arrays.copyOf(numbers, capacity);
    heads = Arrays.copyOf(heads, capacity);
    places = Arrays.copyOf(places, capacity);
  }
}
