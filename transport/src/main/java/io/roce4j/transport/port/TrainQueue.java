// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The transmit side that the ports of real networks share: trains between {@code commit} and the
 * network.
 *
 * <p>One block of memory is used as a ring. A train is a run of packets without gaps, so that one
 * system call can hand it over as one segmented datagram; every packet but the last has the length
 * of the first. Descriptors stand beside it in arrays, addressed by an absolute index that only
 * grows ({@link #head()} is the oldest train not yet sent in full, {@link #tail()} the next one to
 * be opened).
 *
 * <p><b>Sealing.</b> The ICRC covers the IPv4 identification, and packet k of a segmented datagram
 * leaves with identification k, a datagram by itself with 0. So a train is sealed when it is known
 * how it will be cut ({@link #seal}), and sealed anew when a refused train is cut differently. The
 * bytes in front of a packet that the ICRC calculation uses as scratch are the tail of the packet
 * before it; they are saved and put back.
 *
 * <p>Written by port implementations, on the agent's thread; allocates nothing after construction.
 */
public final class TrainQueue {
  /** Trains that can wait at once. */
  public static final int TRAINS = 1 << 10;

  /** Packets that can wait at once. */
  public static final int PACKETS = 1 << 13;

  private static final int TRAIN_MASK = TRAINS - 1;
  private static final int DAMAGE_MASK = PACKETS - 1;
  private static final int ALIGNMENT = 64;
  private static final int FIRST_OFFSET = BitUtil.align(Icrc.HEADROOM, ALIGNMENT);
  private static final int NOT_SEALED = -1;

  private final UnsafeBuffer buffer;
  private final int maxTrainBytes;
  private final Icrc icrc = new Icrc();
  private final long[] saved = new long[Icrc.HEADROOM / Long.BYTES];

  private final int[] offset = new int[TRAINS];
  private final int[] segment = new int[TRAINS];
  private final int[] lastLength = new int[TRAINS];
  private final int[] count = new int[TRAINS];
  private final int[] sent = new int[TRAINS];
  private final int[] pieceLimit = new int[TRAINS];
  private final int[] sealedFrom = new int[TRAINS];
  private final int[] sealedPackets = new int[TRAINS];
  private final int[] pathSlot = new int[TRAINS];
  private final int[] tos = new int[TRAINS];
  private final Destination[] destination = new Destination[TRAINS];

  // Damaged packets in commit order: where the packet starts, which bit, of which train, and
  // whether the bit is flipped at the moment.
  private final int[] damageOffset = new int[PACKETS];
  private final int[] damageBit = new int[PACKETS];
  private final long[] damageTrain = new long[PACKETS];
  private final boolean[] damageFlipped = new boolean[PACKETS];
  private long damageHead;
  private long damageTail;

  private int maxSegments;
  private long head;
  private long tail;
  private int writeOffset = FIRST_OFFSET;
  private int packets;

  private boolean open;
  private int room;
  private int claimed;
  private int openSegmentBytes;
  private int openSlot;
  private int openTos;
  private Destination openDestination;
  private boolean currentEnded;

  /**
   * Makes an empty queue.
   *
   * @param bytes size of the ring, at least two trains of {@code maxTrainBytes}
   * @param maxTrainBytes UDP payload bytes a train may have, at most 65,507
   * @param maxSegments packets a train may have, at least 1
   */
  public TrainQueue(int bytes, int maxTrainBytes, int maxSegments) {
    if (bytes < 2 * maxTrainBytes + FIRST_OFFSET) {
      throw new IllegalArgumentException(
          "transmit ring of " + bytes + " bytes cannot hold two trains of " + maxTrainBytes);
    }
    this.buffer = NativeMemory.allocate("port-transmit", bytes, 4096);
    this.maxTrainBytes = maxTrainBytes;
    this.maxSegments = maxSegments;
  }

  /**
   * The ring's memory, with a direct ByteBuffer beneath.
   *
   * @return the same object for the life of the queue
   */
  public UnsafeBuffer buffer() {
    return buffer;
  }

  /**
   * Changes how many packets later trains may have.
   *
   * @param limit 1 or more
   */
  public void maxSegments(int limit) {
    maxSegments = limit;
  }

  /**
   * Opens a train; see {@link TrainSink#open}. The caller has checked that a packet of that size
   * fits the path.
   *
   * @param slot path slot
   * @param to where to
   * @param typeOfService DSCP and ECN
   * @param segmentBytes longest packet the caller will commit, ICRC included
   * @return packets of room, at least 1, or {@link TrainSink#BACK_PRESSURE}
   */
  public int open(int slot, Destination to, int typeOfService, int segmentBytes) {
    end();
    int want = Math.min(maxSegments, maxTrainBytes / segmentBytes);
    int free = Math.min(TRAINS - (int) (tail - head), PACKETS - packets);
    free = Math.min(free, PACKETS - (int) (damageTail - damageHead));
    want = Math.min(want, free);
    if (want < 1) {
      return TrainSink.BACK_PRESSURE;
    }
    int granted = makeContiguous(want, segmentBytes);
    if (granted < 1) {
      return TrainSink.BACK_PRESSURE;
    }
    open = true;
    room = granted;
    claimed = -1;
    openSegmentBytes = segmentBytes;
    openSlot = slot;
    openTos = typeOfService;
    openDestination = to;
    currentEnded = true;
    return granted;
  }

  /** Moves the write position to where most of the wanted packets fit without a gap. */
  private int makeContiguous(int want, int segmentBytes) {
    if (head == tail) {
      writeOffset = FIRST_OFFSET;
      return Math.min(want, (buffer.capacity() - FIRST_OFFSET) / segmentBytes);
    }
    int oldest = offset[(int) head & TRAIN_MASK];
    int start = BitUtil.align(writeOffset, ALIGNMENT);
    if (writeOffset <= oldest) {
      int fit = Math.max(0, oldest - start) / segmentBytes;
      writeOffset = fit > 0 ? start : writeOffset;
      return Math.min(want, fit);
    }
    int atEnd = Math.max(0, buffer.capacity() - start) / segmentBytes;
    int atStart = Math.max(0, oldest - FIRST_OFFSET) / segmentBytes;
    if (atEnd >= want || atEnd >= atStart) {
      writeOffset = atEnd > 0 ? start : writeOffset;
      return Math.min(want, atEnd);
    }
    writeOffset = FIRST_OFFSET;
    return Math.min(want, atStart);
  }

  /**
   * Claims the place of the next packet; see {@link TrainSink#claim}.
   *
   * @return offset in {@link #buffer()}, or {@link TrainSink#BACK_PRESSURE} when no train is open
   *     or its room is used up
   */
  public int claim() {
    if (!open || room == 0) {
      return TrainSink.BACK_PRESSURE;
    }
    claimed = writeOffset;
    return claimed;
  }

  /**
   * Takes the claimed packet into the train; see {@link TrainSink#commit}.
   *
   * @param length bytes from BTH to ICRC, 1 to the size given at open
   */
  public void commit(int length) {
    if (claimed < 0) {
      throw new IllegalStateException("commit without claim");
    }
    if (length < 1 || length > openSegmentBytes) {
      throw new IllegalArgumentException(
          "packet of " + length + " bytes in a train opened for 1.." + openSegmentBytes);
    }
    int current = (int) (tail - 1) & TRAIN_MASK;
    if (currentEnded || length > segment[current]) {
      current = begin(length);
    } else {
      currentEnded = length < segment[current];
    }
    count[current]++;
    lastLength[current] = length;
    packets++;
    room--;
    claimed = -1;
    writeOffset += length;
  }

  private int begin(int length) {
    int current = (int) tail++ & TRAIN_MASK;
    offset[current] = writeOffset;
    segment[current] = length;
    count[current] = 0;
    sent[current] = 0;
    pieceLimit[current] = Integer.MAX_VALUE;
    sealedFrom[current] = NOT_SEALED;
    pathSlot[current] = openSlot;
    tos[current] = openTos;
    destination[current] = openDestination;
    currentEnded = false;
    return current;
  }

  /**
   * As {@link #commit}, and flips one bit after sealing.
   *
   * @param length bytes from BTH to ICRC
   * @param bit 0 to 8 * length - 1, bit 0 being the lowest of the first byte
   */
  public void commitDamaged(int length, int bit) {
    if (bit < 0 || bit >= 8 * length) {
      throw new IllegalArgumentException("bit " + bit + " of a packet of " + length + " bytes");
    }
    int at = writeOffset;
    commit(length);
    int entry = (int) damageTail++ & DAMAGE_MASK;
    damageOffset[entry] = at;
    damageBit[entry] = bit;
    damageTrain[entry] = tail - 1;
    damageFlipped[entry] = false;
  }

  /** Ends the open train, if there is one. */
  public void end() {
    open = false;
    claimed = -1;
  }

  /**
   * The oldest train that is not yet sent in full.
   *
   * @return absolute index; equal to {@link #tail()} when nothing waits
   */
  public long head() {
    return head;
  }

  /**
   * The index after the newest train.
   *
   * @return absolute index
   */
  public long tail() {
    return tail;
  }

  /**
   * Whether what waits takes half of the room or more: of the bytes, the trains or the packets.
   *
   * @return true when little is left for others
   */
  public boolean isHalfFull() {
    if (tail - head >= TRAINS / 2 || packets >= PACKETS / 2) {
      return true;
    }
    if (head == tail) {
      return false;
    }
    int used = writeOffset - offset[(int) head & TRAIN_MASK];
    return (used > 0 ? used : used + buffer.capacity()) >= buffer.capacity() / 2;
  }

  /**
   * Path slot of a train.
   *
   * @param train absolute index
   * @return as given at open
   */
  public int pathSlot(long train) {
    return pathSlot[(int) train & TRAIN_MASK];
  }

  /**
   * Type of service of a train.
   *
   * @param train absolute index
   * @return 0..255
   */
  public int tos(long train) {
    return tos[(int) train & TRAIN_MASK];
  }

  /**
   * Where a train goes.
   *
   * @param train absolute index
   * @return as given at open
   */
  public Destination destination(long train) {
    return destination[(int) train & TRAIN_MASK];
  }

  /**
   * Packets of a train, sent and unsent.
   *
   * @param train absolute index
   * @return 1 or more
   */
  public int count(long train) {
    return count[(int) train & TRAIN_MASK];
  }

  /**
   * Packets of a train that the network has taken (or that were given up).
   *
   * @param train absolute index
   * @return 0 to {@link #count}
   */
  public int sent(long train) {
    return sent[(int) train & TRAIN_MASK];
  }

  /**
   * Whether nothing of a train remains.
   *
   * @param train absolute index
   * @return true when it was sent or given up
   */
  public boolean isDone(long train) {
    int slot = (int) train & TRAIN_MASK;
    return sent[slot] == count[slot];
  }

  /**
   * Length of every packet of a train but the last.
   *
   * @param train absolute index
   * @return bytes from BTH to ICRC
   */
  public int segmentBytes(long train) {
    return segment[(int) train & TRAIN_MASK];
  }

  /**
   * Where a packet lies.
   *
   * @param train absolute index
   * @param packet 0 to count - 1
   * @return offset of its BTH in {@link #buffer()}
   */
  public int packetOffset(long train, int packet) {
    int slot = (int) train & TRAIN_MASK;
    return offset[slot] + packet * segment[slot];
  }

  /**
   * Length of one packet.
   *
   * @param train absolute index
   * @param packet 0 to count - 1
   * @return bytes from BTH to ICRC
   */
  public int packetLength(long train, int packet) {
    int slot = (int) train & TRAIN_MASK;
    return packet == count[slot] - 1 ? lastLength[slot] : segment[slot];
  }

  /**
   * Length of a run of packets.
   *
   * @param train absolute index
   * @param from first packet
   * @param run packets, at least 1
   * @return bytes
   */
  public int pieceBytes(long train, int from, int run) {
    int slot = (int) train & TRAIN_MASK;
    return (run - 1) * segment[slot] + packetLength(train, from + run - 1);
  }

  /**
   * Most packets that one call may send of a train: lowered when the network refused more.
   *
   * @param train absolute index
   * @return 1 or more
   */
  public int pieceLimit(long train) {
    return pieceLimit[(int) train & TRAIN_MASK];
  }

  /**
   * Cuts a train into smaller pieces from now on.
   *
   * @param train absolute index
   * @param limit packets a piece, 1 or more
   */
  public void pieceLimit(long train, int limit) {
    pieceLimit[(int) train & TRAIN_MASK] = limit;
  }

  /**
   * Writes the ICRCs of a run of packets for the way it is going to be cut: identifications count
   * from 0 within it. Does nothing when the very same run is sealed already.
   *
   * @param train absolute index
   * @param from first packet
   * @param run packets, at least 1
   * @param fields the headers in front; identification is changed
   */
  public void seal(long train, int from, int run, IpUdpFields fields) {
    int slot = (int) train & TRAIN_MASK;
    if (sealedFrom[slot] == from && sealedPackets[slot] == run) {
      return;
    }
    flipDamage(train, from, run, true);
    for (int i = 0; i < run; i++) {
      fields.identification(i);
      sealOne(packetOffset(train, from + i), packetLength(train, from + i), fields);
    }
    flipDamage(train, from, run, false);
    sealedFrom[slot] = from;
    sealedPackets[slot] = run;
  }

  private void sealOne(int at, int length, IpUdpFields fields) {
    int scratch = at - Icrc.HEADROOM;
    for (int i = 0; i < saved.length; i++) {
      saved[i] = buffer.getLong(scratch + i * Long.BYTES);
    }
    icrc.seal(buffer, at, length, fields);
    for (int i = 0; i < saved.length; i++) {
      buffer.putLong(scratch + i * Long.BYTES, saved[i]);
    }
  }

  /** Flips the damaged bits of a run of packets, those that stand flipped or those that do not. */
  private void flipDamage(long train, int from, int run, boolean flipped) {
    int start = packetOffset(train, from);
    int end = start + pieceBytes(train, from, run);
    for (long i = damageHead; i < damageTail; i++) {
      int entry = (int) i & DAMAGE_MASK;
      int at = damageOffset[entry];
      if (damageTrain[entry] == train
          && at >= start
          && at < end
          && damageFlipped[entry] == flipped) {
        int index = at + (damageBit[entry] >>> 3);
        buffer.putByte(index, (byte) (buffer.getByte(index) ^ (1 << (damageBit[entry] & 7))));
        damageFlipped[entry] = !flipped;
      }
    }
  }

  /**
   * Notes that packets of a train have left (or are given up), and frees what can be freed.
   *
   * @param train absolute index
   * @param run packets, counted from {@link #sent}
   */
  public void accept(long train, int run) {
    sent[(int) train & TRAIN_MASK] += run;
    packets -= run;
    while (head < tail && isDone(head)) {
      destination[(int) head & TRAIN_MASK] = null;
      head++;
    }
    while (damageHead < damageTail && damageTrain[(int) damageHead & DAMAGE_MASK] < head) {
      damageHead++;
    }
  }

  /** Gives the memory back. The queue must not be used afterwards. */
  public void close() {
    NativeMemory.release(buffer);
  }
}
