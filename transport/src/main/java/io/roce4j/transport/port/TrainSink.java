// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The sending half of a port as protocol engines see it: packets are written straight into the
 * port's slots and leave in trains.
 *
 * <p>A train is a run of packets with one path slot, destination, TOS and segment size. {@link
 * #open} starts one and says how many packets it may take; each packet is then {@link #claim}ed,
 * written and {@link #commit}ted. Nothing is sent before the port is flushed, and the ICRC is
 * computed then. A slot is the engine's from claim to commit and the port's afterwards.
 *
 * <p>All methods are for the agent's thread, allocate nothing and never throw on a full port.
 */
public interface TrainSink {

  /** Returned by {@link #open} when the port has no slot free now: try again after a flush. */
  int BACK_PRESSURE = -1;

  /** Returned by {@link #open} when a packet of that size cannot leave through this port. */
  int TOO_LARGE = -2;

  /**
   * Opens a train and ends the one before.
   *
   * @param pathSlot source port slot, 0 to {@link PortCapabilities#pathSlots()} - 1.
   * @param destination where the train goes; made by {@link DatagramPort#destination}.
   * @param tos IPv4 TOS or IPv6 traffic class byte, 0 to 255: DSCP in bits 7 to 2, ECN in 1 to 0.
   * @param segmentBytes bytes of the UDP payload of a full packet, ICRC included.
   * @return packets of room, at least 1, or {@link #BACK_PRESSURE}, or {@link #TOO_LARGE}.
   */
  int open(int pathSlot, Destination destination, int tos, int segmentBytes);

  /**
   * The memory that claimed slots lie in.
   *
   * @return the port's one transmit buffer, over direct memory; the same object for the port's
   *     life.
   */
  UnsafeBuffer transmitBuffer();

  /**
   * Claims the next slot of the open train.
   *
   * @return offset in {@link #transmitBuffer()} of the first byte of the UDP payload (the BTH). The
   *     slot holds the segment size given to {@link #open}. Call only while room is left.
   */
  int claim();

  /**
   * Hands the claimed slot over. Equal lengths continue the train, a shorter one ends it, a longer
   * one opens another.
   *
   * @param length bytes written from the claimed offset plus 4 for the ICRC, which is filled in at
   *     flush; 16 to the segment size.
   */
  void commit(int length);

  /**
   * Hands the claimed slot over to be sent damaged: for impairments, which must spoil a packet
   * after its ICRC is computed.
   *
   * @param length as in {@link #commit}.
   * @param bit number of the bit to flip after sealing, 0 to 8 * length - 1.
   */
  void commitDamaged(int length, int bit);
}
