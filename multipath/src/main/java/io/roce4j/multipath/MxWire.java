// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.engine.EventSink;
import io.roce4j.transport.port.Destination;

/** Where packets of a connection go and what all of them carry. */
final class MxWire {
  private static final int ECT_0 = 2;
  private static final int ECN_MASK = 3;

  private final Destination destination;
  private final int peerQpn;
  private final int localQpn;
  private final int pkey;
  private final int dataTos;
  private final int controlTos;
  private final EventSink events;
  private final Counters counters;

  /**
   * The fixed facts of a connection.
   *
   * @param destination made by the port
   * @param localQpn this side's connection QPN, for events
   * @param peerQpn the peer's connection QPN
   * @param pkey P_Key of all packets
   * @param trafficClass class of the data; its ECN bits are replaced by ECT(0)
   * @param controlTos TOS of acknowledgements and control messages
   * @param events where packets are told
   * @param counters where packets are counted
   */
  MxWire(
      Destination destination,
      int localQpn,
      int peerQpn,
      int pkey,
      int trafficClass,
      int controlTos,
      EventSink events,
      Counters counters) {
    this.destination = destination;
    this.localQpn = localQpn;
    this.peerQpn = peerQpn;
    this.pkey = pkey;
    this.dataTos = (trafficClass & ~ECN_MASK) | ECT_0;
    this.controlTos = controlTos;
    this.events = events;
    this.counters = counters;
  }

  /** Counters of the queue pair, and through it of the endpoint. */
  Counters counters() {
    return counters;
  }

  Destination destination() {
    return destination;
  }

  int peerQpn() {
    return peerQpn;
  }

  int pkey() {
    return pkey;
  }

  /** Data class, probes included, capable of congestion marks. */
  int dataTos() {
    return dataTos;
  }

  int controlTos() {
    return controlTos;
  }

  EventSink events() {
    return events;
  }

  /** Counts and tells a packet that was written. */
  void onPacketOut(long nowNs, int opcode, int psn, int length, boolean again) {
    counters.increment(CounterId.SENT_PKTS);
    counters.increment(CounterId.RDMA_TX_PACKETS);
    counters.add(CounterId.RDMA_TX_BYTES, length);
    events.onPacketOut(nowNs, localQpn, opcode, psn, length, again);
  }
}
