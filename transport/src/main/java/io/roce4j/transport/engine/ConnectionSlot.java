// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.verbs.QueuePair;

/**
 * The place of one queue pair in its endpoint: what the checks in front of the engine need, and the
 * links by which the endpoint finds connections with something to do. Agent thread only.
 */
public final class ConnectionSlot {

  /** Number of the slot, small and reused: index into the deadline heap. */
  final int id;

  final QueuePair queuePair;
  final int qpn;
  final Counters counters;
  private final Endpoint endpoint;

  ConnectionEngine engine;

  /** Bit c is set when packets of transport class c belong here. */
  int transportClasses;

  /** Libibverbs' queue pair state. */
  int state;

  /** Whether the source and destination address must be the connection's. */
  boolean addressChecked;

  long peerGidHi;
  long peerGidLo;
  int pkey;
  int qkey;

  /** IPv4 identification of the last packet whose ICRC was right, -1 before the first. */
  int lastIdentification = -1;

  /** Whether the slot waits for the end of the receive burst. */
  boolean inBurst;

  ConnectionSlot nextInBurst;

  boolean active;
  ConnectionSlot nextActive;
  ConnectionSlot previousActive;

  ConnectionSlot(int id, QueuePair queuePair, int qpn, Counters counters, Endpoint endpoint) {
    this.id = id;
    this.queuePair = queuePair;
    this.qpn = qpn;
    this.counters = counters;
    this.endpoint = endpoint;
  }

  /**
   * The queue pair of this slot.
   *
   * @return the queue pair.
   */
  public QueuePair queuePair() {
    return queuePair;
  }

  /**
   * Its number.
   *
   * @return 24 bits.
   */
  public int qpn() {
    return qpn;
  }

  /**
   * Where this queue pair's events are counted; they count in the endpoint's too.
   *
   * @return the counters.
   */
  public Counters counters() {
    return counters;
  }

  /**
   * The engine behind the queue pair.
   *
   * @return the engine.
   */
  public ConnectionEngine engine() {
    return engine;
  }

  /**
   * Counts a packet of this queue pair that was written into a train.
   *
   * @param length bytes of the UDP payload.
   * @param payload bytes of it behind the headers and before pad and ICRC.
   */
  public void countSent(int length, int payload) {
    counters.increment(CounterId.SENT_PKTS);
    counters.increment(CounterId.RDMA_TX_PACKETS);
    counters.add(CounterId.RDMA_TX_BYTES, length);
    counters.add(CounterId.TX_PAYLOAD_BYTES, payload);
  }

  /** Asks for a turn in the next transmit pass. */
  public void requestTransmit() {
    endpoint.activate(this);
  }

  /**
   * Leaves the check of source and destination address to the engine: for connections over several
   * planes.
   */
  public void acceptAnyAddress() {
    addressChecked = false;
  }

  /** Takes the engine's deadline over when it changed outside the endpoint's own calls. */
  public void deadlineChanged() {
    endpoint.updateDeadline(this);
  }
}
