// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.queue;

/**
 * Where the words of a ring lie that two threads share. All rings of this stack use this layout.
 *
 * <pre>
 *   offset
 *      0   tail     written by the producer (release), read by the consumer (acquire)
 *      8   signal   doorbell flag of send and receive queues, arming word of completion queues
 *    128   head     written by the consumer (release), read by the producer (acquire)
 *    144   echo     the agent's answer to the signal word and the event count, or its copy cursors
 *    256   slot 0, slot 1, ...
 * </pre>
 *
 * <p>Tail and head are 128 bytes apart, two cache lines, because adjacent lines are fetched in
 * pairs. The doorbell flag lies beside the tail: the poster writes both at a post and the agent
 * reads both at a doorbell, so one line moves instead of two, and with 10,000 queue pairs one is
 * missed instead of two. The copy cursors lie beside the head, which the agent writes too. A
 * completion queue's arming word changes once an event, not once a completion. Tail and head are
 * 64-bit indices that never go back and never wrap in practice; the slot is their low bits. An
 * entry is written before the tail that shows it is released, and read after that tail was acquired
 * [FC-53].
 */
public final class RingLayout {
  /** Producer's index. */
  public static final int TAIL_OFFSET = 0;

  /** Consumer's index. */
  public static final int HEAD_OFFSET = 128;

  /** Word by which one side calls the other. */
  public static final int SIGNAL_OFFSET = 8;

  /** Words that only the agent writes. */
  public static final int ECHO_OFFSET = 144;

  /** First slot. */
  public static final int SLOTS_OFFSET = 256;

  /** Alignment of a ring's first byte. */
  public static final int ALIGNMENT = 128;

  /** Largest number of slots of a ring. */
  public static final int CAPACITY_MAX = 1 << 20;

  private RingLayout() {}

  /**
   * Slots of the ring for a wished number of entries.
   *
   * @param entries 1..{@link #CAPACITY_MAX}
   * @return the next power of two
   * @throws IllegalArgumentException when out of range
   */
  public static int slots(int entries) {
    if (entries < 1 || entries > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "ring of " + entries + " entries: allowed 1.." + CAPACITY_MAX);
    }
    return entries == 1 ? 1 : Integer.highestOneBit(entries - 1) << 1;
  }

  /**
   * Bytes of a whole ring, also of one that could not be made.
   *
   * @param slots a power of two
   * @param stride bytes a slot
   * @return the size
   */
  public static long wantedBytes(int slots, int stride) {
    return SLOTS_OFFSET + (long) slots * stride;
  }

  /**
   * Bytes of a whole ring.
   *
   * @param slots a power of two
   * @param stride bytes a slot
   * @return the size
   * @throws IllegalArgumentException when it passes what one buffer can hold
   */
  public static int bytes(int slots, int stride) {
    long bytes = wantedBytes(slots, stride);
    if (bytes > Integer.MAX_VALUE - ALIGNMENT) {
      throw new IllegalArgumentException(
          "ring of " + slots + " slots of " + stride + " bytes passes 2 GiB");
    }
    return (int) bytes;
  }
}
