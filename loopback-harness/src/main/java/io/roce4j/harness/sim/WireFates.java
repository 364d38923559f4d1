// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.PacketFate;

/** Decides what a wire does to each of its packets. One wire, one thread; draws from seeds only. */
public interface WireFates {
  /** What a delay may do to the order of packets. */
  enum Order {
    /** Any packet may pass any other. */
    FREE,
    /** Packets of one path stay in order, those of different paths pass each other. */
    PER_PATH,
    /** Nobody passes anybody. */
    KEPT
  }

  /**
   * Draws the fate of the next packet.
   *
   * @param slots holds the packet
   * @param slot the packet, before anything happens to it
   * @param nowPs the present
   * @return bits for the predicates of {@link PacketFate}
   */
  int nextFate(PacketSlots slots, int slot, long nowPs);

  /**
   * Why the packet of the last fate is lost.
   *
   * @return a reason of {@link LinkObserver}
   */
  int lossReason();

  /**
   * Draws the delay of the next packet.
   *
   * @return picoseconds beyond the propagation, 0 or more
   */
  long nextDelayPs();

  /**
   * Draws a bit to flip.
   *
   * @param lengthBytes from BTH to ICRC
   * @return bit number from the first byte of the BTH on
   */
  int nextBit(int lengthBytes);

  /**
   * Bits that flip in a corrupted packet.
   *
   * @return 1 or more
   */
  default int corruptBits() {
    return 1;
  }

  /**
   * Draws the bit that a frame error flips.
   *
   * @param lengthBytes from BTH to ICRC
   * @return bit number from the first byte of the BTH on
   */
  default int nextFrameErrorBit(int lengthBytes) {
    return nextBit(lengthBytes);
  }

  /**
   * How much later the copy of a packet arrives.
   *
   * @return picoseconds, 0 or more
   */
  default long duplicateDelayPs() {
    return 0;
  }

  /**
   * What delays may do to the order.
   *
   * @return constant for a wire
   */
  Order order();

  /**
   * Draws how many later packets of its path overtake a held one.
   *
   * @return 1 or more
   */
  int nextReorderGap();

  /**
   * How long a held packet waits for them at most.
   *
   * @return picoseconds, 1 or more
   */
  long reorderHoldPs();
}
