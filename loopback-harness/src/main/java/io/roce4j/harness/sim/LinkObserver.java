// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/**
 * Is told what a link does to packets, one call per decision, so that a run can be replayed on
 * paper. Slots are lent for the call.
 */
public interface LinkObserver {
  /** Drop reason: the dice of the link. */
  int LOST = 0;

  /** Drop reason: the queue had no room. */
  int QUEUE_FULL = 1;

  /** Drop reason: the link was down when the packet entered or arrived. */
  int LINK_DOWN = 2;

  /** Drop reason: nobody has the destination address. */
  int NO_ROUTE = 3;

  /** Drop reason: the receiving port had no room. */
  int RECEIVER_FULL = 4;

  /** Drop reason: the time to live was used up at a router. */
  int TTL_EXPIRED = 5;

  /** Number of drop reasons. */
  int REASONS = 6;

  /** Does nothing. */
  LinkObserver NONE =
      new LinkObserver() {
        @Override
        public void onDropped(String link, int slot, int reason) {}

        @Override
        public void onDuplicated(String link, int slot) {}

        @Override
        public void onCorrupted(String link, int slot, int bit) {}

        @Override
        public void onHeld(String link, int slot) {}
      };

  /**
   * The name of a drop reason.
   *
   * @param reason one of the constants
   * @return for journals and tables
   */
  static String reasonName(int reason) {
    return switch (reason) {
      case LOST -> "lost";
      case QUEUE_FULL -> "queueFull";
      case LINK_DOWN -> "linkDown";
      case NO_ROUTE -> "noRoute";
      case RECEIVER_FULL -> "receiverFull";
      default -> "ttlExpired";
    };
  }

  /**
   * A packet is gone.
   *
   * @param link its name
   * @param slot the packet
   * @param reason one of the constants
   */
  void onDropped(String link, int slot, int reason);

  /**
   * A packet will arrive twice.
   *
   * @param link its name
   * @param slot the packet
   */
  void onDuplicated(String link, int slot);

  /**
   * A bit of a packet was flipped.
   *
   * @param link its name
   * @param slot the packet, changed already
   * @param bit from the first byte of the BTH on
   */
  void onCorrupted(String link, int slot, int bit);

  /**
   * A packet is held back for others to overtake.
   *
   * @param link its name
   * @param slot the packet
   */
  void onHeld(String link, int slot);
}
