// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * Carries RoCEv2 datagrams for one endpoint: real sockets, raw packets, a simulated fabric.
 *
 * <p>One thread, the agent's, drives a port; {@link #destination} and {@link #close} belong to its
 * control path. A port that refuses to send for local reasons (full socket buffer, no descriptor)
 * keeps the train and sends it at a later flush, re-sealed if it has to be cut: local refusal is
 * never network loss.
 */
public interface DatagramPort extends TrainSink, AutoCloseable {

  /**
   * What this port can do.
   *
   * @return constant for the life of the port.
   */
  PortCapabilities capabilities();

  /**
   * Prepares a destination. Control path: may allocate and look up the neighbour, but does not wait
   * for one: peers can name any address. Packets to a neighbour that is still being looked for may
   * be kept or given up.
   *
   * @param gidHi first 8 bytes of the destination GID, IPv4 as ::ffff:a.b.c.d.
   * @param gidLo last 8 bytes of the destination GID.
   * @param udpPort UDP destination port, 1 to 65535; 4791 for RoCEv2.
   * @param hopLimit TTL or hop limit, 1 to 255; 0 takes the port's default of 64.
   * @param flowLabel IPv6 flow label, 0 to 0xfffff; not sent over IPv4.
   * @return a destination valid for this port until it closes.
   * @throws IllegalArgumentException when the address cannot be reached through this port, with the
   *     address and the reason.
   */
  Destination destination(long gidHi, long gidLo, int udpPort, int hopLimit, int flowLabel);

  /**
   * The UDP source port that packets of a path slot carry.
   *
   * @param pathSlot 0 to {@link PortCapabilities#pathSlots()} - 1.
   * @return the source port, 0 to 65535.
   */
  int sourcePort(int pathSlot);

  /**
   * The path slot whose packets carry a UDP source port. Control path.
   *
   * @param sourcePort 1 to 65535.
   * @return the slot, or -1 when this port does not send from there. A port that sends from any may
   *     have slots beyond {@link PortCapabilities#pathSlots()}, which nobody gets without asking.
   */
  default int pathSlotOf(int sourcePort) {
    for (int slot = 0; slot < capabilities().pathSlots(); slot++) {
      if (sourcePort(slot) == sourcePort) {
        return slot;
      }
    }
    return -1;
  }

  /**
   * First half of the address the port is bound to.
   *
   * @return first 8 bytes of the local GID.
   */
  long localGidHi();

  /**
   * Second half of the address the port is bound to.
   *
   * @return last 8 bytes of the local GID.
   */
  long localGidLo();

  /**
   * The UDP port on which datagrams arrive.
   *
   * @return 1 to 65535, 4791 unless configured otherwise.
   */
  int localUdpPort();

  /**
   * Seals the ICRC of every committed packet and sends the trains. Trains refused at an earlier
   * flush go first.
   *
   * @param nowNs the endpoint's clock in nanoseconds.
   * @return packets handed to the network; fewer than committed when the rest was refused for now.
   */
  int flush(long nowNs);

  /**
   * Hands what has arrived to the handler, whole coalesced batches at a time.
   *
   * @param handler gets each batch; a slot is lent for the call only.
   * @param limitPackets stop after about that many packets; a batch is never split.
   * @param nowNs the endpoint's clock in nanoseconds.
   * @return packets handed over, 0 when nothing had arrived.
   */
  int receive(DatagramHandler handler, int limitPackets, long nowNs);

  /**
   * When the port itself must be flushed or received again although nothing new was committed.
   *
   * @return time in nanoseconds of the endpoint's clock, {@link Long#MAX_VALUE} for never.
   */
  long nextDeadlineNs();

  /**
   * Joins a multicast group, so that datagrams sent to it are received. Control path.
   *
   * @param gidHi first 8 bytes of the group's address, IPv4 as ::ffff:a.b.c.d.
   * @param gidLo last 8 bytes.
   * @throws IllegalArgumentException when this port does not carry multicast, or not this group.
   */
  default void joinMulticast(long gidHi, long gidLo) {
    throw new IllegalArgumentException(
        "port " + capabilities().name() + " does not carry multicast");
  }

  /**
   * Leaves a multicast group joined before. Control path.
   *
   * @param gidHi first 8 bytes of the group's address.
   * @param gidLo last 8 bytes.
   */
  default void leaveMulticast(long gidHi, long gidLo) {
    throw new IllegalArgumentException(
        "port " + capabilities().name() + " does not carry multicast");
  }

  /**
   * Shows every sealed packet that leaves and every packet that arrives to a tap, for captures.
   *
   * @param tap the observer, or null for none.
   */
  void tap(PortTap tap);

  /**
   * Counters of this port.
   *
   * @return live counters, written by the agent's thread only.
   */
  PortCounters counters();

  /** Releases sockets and memory. Trains not yet sent are dropped. Idempotent. */
  @Override
  void close();
}
