// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.port.PortCounters;

/**
 * The counters of the endpoints at one moment, taken by the thread that writes them.
 *
 * @param txPackets packets handed to the network
 * @param rxPackets packets received
 * @param enginePackets packets the endpoints sent, before any impairment
 * @param refused packets refused in front of the queue pairs for a fault of theirs, ICRC included
 * @param payloadBytes message bytes placed in memory, SENDs, WRITEs and READ responses
 * @param retransmissions request packets sent again
 * @param timeouts ACK timers that fired
 * @param sequenceNaks sequence NAKs received
 * @param duplicates request packets received again
 * @param icrcErrors packets refused for their ICRC
 * @param rnrNaks RNR NAKs received
 * @param socketOverflow packets this host's sockets dropped because they were full
 * @param txErrors packets the port had to give up
 * @param strangers packets received that the endpoints did not send
 * @param allocatedBytes heap bytes allocated by the endpoints' thread
 */
record CounterSnapshot(
    long txPackets,
    long rxPackets,
    long enginePackets,
    long refused,
    long payloadBytes,
    long retransmissions,
    long timeouts,
    long sequenceNaks,
    long duplicates,
    long icrcErrors,
    long rnrNaks,
    long socketOverflow,
    long txErrors,
    long strangers,
    long allocatedBytes) {
  private static final CounterId[] FAULTS = {
    CounterId.RX_ICRC_ENCAPSULATED,
    CounterId.DROP_LENGTH,
    CounterId.DROP_OPCODE,
    CounterId.DROP_TVER,
    CounterId.DROP_UNKNOWN_QP,
    CounterId.DROP_QP_TYPE,
    CounterId.DROP_QP_STATE,
    CounterId.DROP_ADDRESS,
    CounterId.BAD_PKEY_CNTR,
    CounterId.QKEY_VIOL_CNTR
  };

  /**
   * Reads endpoints. Call on the thread that runs them, or when nothing runs them any more.
   *
   * @param allocatedBytes of the endpoints' thread so far
   * @param endpoints one or more
   * @return the sums
   */
  static CounterSnapshot of(long allocatedBytes, SoakEndpoint... endpoints) {
    CounterSnapshot sum = of(endpoints[0], allocatedBytes);
    for (int i = 1; i < endpoints.length; i++) {
      sum = sum.plus(of(endpoints[i], 0));
    }
    return sum;
  }

  private static CounterSnapshot of(SoakEndpoint endpoint, long allocatedBytes) {
    PortCounters port = endpoint.agent().port().counters();
    Counters counters = endpoint.agent().counters();
    long refused = 0;
    for (CounterId fault : FAULTS) {
      refused += counters.get(fault);
    }
    return new CounterSnapshot(
        port.txPackets,
        port.rxPackets,
        counters.get(CounterId.SENT_PKTS),
        refused,
        counters.get(CounterId.RX_PAYLOAD_BYTES),
        counters.get(CounterId.RETRANSMITTED_PACKETS),
        counters.get(CounterId.LOCAL_ACK_TIMEOUT_ERR),
        counters.get(CounterId.PACKET_SEQ_ERR),
        counters.get(CounterId.DUPLICATE_REQUEST),
        counters.get(CounterId.RX_ICRC_ENCAPSULATED),
        counters.get(CounterId.RNR_NAK_RETRY_ERR),
        port.rxSocketOverflow,
        port.txErrors,
        endpoint.watch().strangers(),
        allocatedBytes);
  }

  /**
   * The sum of this and another, such as the other host's.
   *
   * @param other of other endpoints
   * @return the sums
   */
  CounterSnapshot plus(CounterSnapshot other) {
    return combine(other, 1);
  }

  /**
   * What happened since an earlier moment.
   *
   * @param earlier snapshot of the same endpoints
   * @return the differences
   */
  CounterSnapshot since(CounterSnapshot earlier) {
    return combine(earlier, -1);
  }

  private CounterSnapshot combine(CounterSnapshot other, int sign) {
    return new CounterSnapshot(
        txPackets + sign * other.txPackets,
        rxPackets + sign * other.rxPackets,
        enginePackets + sign * other.enginePackets,
        refused + sign * other.refused,
        payloadBytes + sign * other.payloadBytes,
        retransmissions + sign * other.retransmissions,
        timeouts + sign * other.timeouts,
        sequenceNaks + sign * other.sequenceNaks,
        duplicates + sign * other.duplicates,
        icrcErrors + sign * other.icrcErrors,
        rnrNaks + sign * other.rnrNaks,
        socketOverflow + sign * other.socketOverflow,
        txErrors + sign * other.txErrors,
        strangers + sign * other.strangers,
        allocatedBytes + sign * other.allocatedBytes);
  }
}
