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

  /** Drop reason: the headroom of a lossless class was full. */
  int HEADROOM_FULL = 6;

  /** Drop reason: early drop of a packet that cannot be marked. */
  int EARLY_DROP = 7;

  /** Drop reason: a pause watchdog has closed the queue. */
  int WATCHDOG = 8;

  /** Drop reason: a bit error that the Ethernet FCS has shown. */
  int FRAME_ERROR = 9;

  /** Drop reason: a cable or switch that is up and swallows packets. */
  int BLACK_HOLE = 10;

  /** Drop reason: the host has stopped to take packets. */
  int HOST_STALLED = 11;

  /** Number of drop reasons. */
  int REASONS = 12;

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

  /** Makes an observer for a network that is just being built. */
  @FunctionalInterface
  interface Maker {
    /**
     * Makes it.
     *
     * @param timeline tells the time
     * @param slots holds the packets
     * @return the observer
     */
    LinkObserver observe(Timeline timeline, PacketSlots slots);
  }

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
      case TTL_EXPIRED -> "ttlExpired";
      case HEADROOM_FULL -> "headroomFull";
      case EARLY_DROP -> "earlyDrop";
      case WATCHDOG -> "watchdog";
      case FRAME_ERROR -> "frameError";
      case BLACK_HOLE -> "blackHole";
      default -> "hostStalled";
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

  /**
   * A switch has marked a packet as having met congestion.
   *
   * @param port where
   * @param slot the packet
   */
  default void onMarked(String port, int slot) {}

  /**
   * A pause frame leaves a port; quanta 0 says go on.
   *
   * @param port whose peer is told to pause
   * @param classes bit for each class
   * @param quanta how long, in units of 512 bit times
   * @param depth 1 when the sender itself is not paused, one more for each pause it passes on
   */
  default void onPauseSent(String port, int classes, int quanta, int depth) {}

  /**
   * A pause watchdog has found a storm, or its end.
   *
   * @param port that was paused
   * @param trafficClass which of its classes
   * @param began true at the beginning
   */
  default void onStorm(String port, int trafficClass, boolean began) {}

  /**
   * A cable has gone down or come up.
   *
   * @param port one direction of it
   * @param up the new state
   */
  default void onLinkState(String port, boolean up) {}
}
