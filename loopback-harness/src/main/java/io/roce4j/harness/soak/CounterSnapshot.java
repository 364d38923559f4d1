// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.port.PortCounters;

/**
 * The counters of both endpoints at one moment, taken by the thread that writes them.
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
   * Reads both endpoints. Call on the thread that runs them, or when nothing runs them any more.
   *
   * @param a one endpoint
   * @param b the other endpoint
   * @param allocatedBytes of the endpoints' thread so far
   * @return the sums
   */
  static CounterSnapshot of(EndpointAgent a, EndpointAgent b, long allocatedBytes) {
    PortCounters one = a.port().counters();
    PortCounters two = b.port().counters();
    long refused = 0;
    for (CounterId fault : FAULTS) {
      refused += sum(a, b, fault);
    }
    return new CounterSnapshot(
        one.txPackets + two.txPackets,
        one.rxPackets + two.rxPackets,
        sum(a, b, CounterId.SENT_PKTS),
        refused,
        sum(a, b, CounterId.RX_PAYLOAD_BYTES),
        sum(a, b, CounterId.RETRANSMITTED_PACKETS),
        sum(a, b, CounterId.LOCAL_ACK_TIMEOUT_ERR),
        sum(a, b, CounterId.PACKET_SEQ_ERR),
        sum(a, b, CounterId.DUPLICATE_REQUEST),
        sum(a, b, CounterId.RX_ICRC_ENCAPSULATED),
        sum(a, b, CounterId.RNR_NAK_RETRY_ERR),
        one.rxSocketOverflow + two.rxSocketOverflow,
        one.txErrors + two.txErrors,
        allocatedBytes);
  }

  private static long sum(EndpointAgent a, EndpointAgent b, CounterId id) {
    return a.counters().get(id) + b.counters().get(id);
  }

  /**
   * What happened since an earlier moment.
   *
   * @param earlier snapshot of the same endpoints
   * @return the differences
   */
  CounterSnapshot since(CounterSnapshot earlier) {
    return new CounterSnapshot(
        txPackets - earlier.txPackets,
        rxPackets - earlier.rxPackets,
        enginePackets - earlier.enginePackets,
        refused - earlier.refused,
        payloadBytes - earlier.payloadBytes,
        retransmissions - earlier.retransmissions,
        timeouts - earlier.timeouts,
        sequenceNaks - earlier.sequenceNaks,
        duplicates - earlier.duplicates,
        icrcErrors - earlier.icrcErrors,
        rnrNaks - earlier.rnrNaks,
        socketOverflow - earlier.socketOverflow,
        txErrors - earlier.txErrors,
        allocatedBytes - earlier.allocatedBytes);
  }
}
