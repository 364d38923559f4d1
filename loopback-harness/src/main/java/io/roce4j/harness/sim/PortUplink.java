// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

/**
 * The way from a simulated port into its network: takes sealed packets and says how many it takes.
 */
public interface PortUplink extends PacketSink {
  /** {@link #room} of an uplink that leaves the bound to the port's own slots. */
  int UNBOUNDED = Integer.MAX_VALUE;

  /**
   * How many packets may be committed to this way now. What is not to be committed is the engine's
   * to keep: its queue pairs wait, and those of other classes and planes do not.
   *
   * @param pathSlot the path slot of the train
   * @param tos its TOS or traffic class byte
   * @return packets, 0 for back pressure; {@link #UNBOUNDED} by default
   */
  default int room(int pathSlot, int tos) {
    return UNBOUNDED;
  }

  /**
   * A packet was committed: it will come by {@link #accept} at the next flush.
   *
   * @param pathSlot the path slot of the train
   * @param tos its TOS or traffic class byte
   */
  default void onCommitted(int pathSlot, int tos) {}

  /**
   * Whether a packet finds room, for a port that waits instead of being dropped.
   *
   * @param wireBytes of the packet
   * @return false to let it wait in the port until {@link #nextRoomPs}
   */
  boolean hasRoom(int wireBytes);

  /**
   * When a packet that found no room may find some.
   *
   * @return picoseconds; {@link Timeline#NEVER} when that is not known
   */
  long nextRoomPs();
}
