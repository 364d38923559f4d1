// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.counters;

import java.util.Locale;

/**
 * Every counter of an endpoint. Names are those of mlx5 and rxe on Linux where these count the same
 * thing, so that graphs and habits carry over; the rest is ours. All are unsigned, monotonic and
 * start at 0 with the endpoint.
 *
 * <p>The constant in capitals is the Java name, {@link #label} the name users see. Alias pairs,
 * kept equal: {@code rcvd_rnr_err} and {@code rnr_nak_retry_err}, {@code retry_exceeded_err} and
 * {@code req_transport_retries_exceeded}, {@code retry_rnr_exceeded_err} and {@code
 * req_rnr_retries_exceeded}. No aliases: {@code out_of_sequence} counts packets, {@code
 * out_of_seq_request} episodes; {@code packet_seq_err} counts NAKs, {@code rcvd_seq_err} those that
 * moved something.
 */
public enum CounterId {
  /** Responder: RDMA WRITE messages accepted. */
  RX_WRITE_REQUESTS,

  /** Responder: RDMA READ requests accepted. */
  RX_READ_REQUESTS,

  /** Responder: atomic requests executed. */
  RX_ATOMIC_REQUESTS,

  /** Dynamically connected transport: always 0, it is not offered. */
  RX_DCT_CONNECT,

  /** Responder: RNR NAKs sent and UC or UD packets dropped for lack of a receive work request. */
  OUT_OF_BUFFER,

  /** Responder: request packets ahead of the expected PSN, each one. */
  OUT_OF_SEQUENCE,

  /** Responder: request packets behind the expected PSN, each one. */
  DUPLICATE_REQUEST,

  /** Requester: RNR NAKs received. */
  RNR_NAK_RETRY_ERR,

  /** Requester: PSN sequence error NAKs received. */
  PACKET_SEQ_ERR,

  /** Requester: acknowledgements or responses beyond an outstanding READ or atomic. */
  IMPLIED_NAK_SEQ_ERR,

  /** Requester: expiries of the acknowledge timer. */
  LOCAL_ACK_TIMEOUT_ERR,

  /** Responder: SENDs longer than the receive work request. */
  RESP_LOCAL_LENGTH_ERROR,

  /** Responder: receive completions in error, flushed ones included. */
  RESP_CQE_ERROR,

  /** Responder: receive completions flushed. */
  RESP_CQE_FLUSH_ERROR,

  /** Requester: send completions in error, flushed ones included. */
  REQ_CQE_ERROR,

  /** Requester: send completions flushed. */
  REQ_CQE_FLUSH_ERROR,

  /** Requester: invalid request NAKs received. */
  REQ_REMOTE_INVALID_REQUEST,

  /** Requester: remote access error NAKs received. */
  REQ_REMOTE_ACCESS_ERRORS,

  /** Responder: remote access error NAKs sent. */
  RESP_REMOTE_ACCESS_ERRORS,

  /** Requester: work requests that ended in RETRY_EXC_ERR. */
  REQ_TRANSPORT_RETRIES_EXCEEDED,

  /** Requester: work requests that ended in RNR_RETRY_EXC_ERR. */
  REQ_RNR_RETRIES_EXCEEDED,

  /** Packets dropped for a wrong ICRC. */
  RX_ICRC_ENCAPSULATED,

  /** Notification point: packets received with congestion experienced. */
  NP_ECN_MARKED_ROCE_PACKETS,

  /** Notification point: congestion notifications sent. */
  NP_CNP_SENT,

  /** Reaction point: congestion notifications given to a controller. */
  RP_CNP_HANDLED,

  /** Reaction point: congestion notifications received and ignored. */
  RP_CNP_IGNORED,

  /** Adaptive retransmissions: always 0, not done. */
  ROCE_ADP_RETRANS,

  /** Adaptive retransmission timeouts: always 0, not done. */
  ROCE_ADP_RETRANS_TO,

  /** Slow restarts: always 0, not done. */
  ROCE_SLOW_RESTART,

  /** Notifications made by slow restart: always 0, not done. */
  ROCE_SLOW_RESTART_CNPS,

  /** State changes to slow restart: always 0, not done. */
  ROCE_SLOW_RESTART_TRANS,

  /** Packets received with congestion experienced; same events as np_ecn_marked_roce_packets. */
  CC_RX_CE_PKTS,

  /** Congestion notifications received. */
  CC_RX_CNP_PKTS,

  /** Congestion notifications sent. */
  CC_TX_CNP_PKTS,

  /** RoCE packets written to the port. */
  RDMA_TX_PACKETS,

  /** RoCE packets accepted by the checks in front of the queue pairs. */
  RDMA_RX_PACKETS,

  /** UDP payload bytes of the packets of rdma_tx_packets. */
  RDMA_TX_BYTES,

  /** UDP payload bytes of the packets of rdma_rx_packets. */
  RDMA_RX_BYTES,

  /** Milliseconds for which a reading is cached: always 0. */
  LIFESPAN,

  /** RoCE packets sent, responses and NAKs too. */
  SENT_PKTS,

  /** RoCE packets that passed the header and ICRC checks. */
  RCVD_PKTS,

  /** Responder: sequence error NAKs sent, one per episode. */
  OUT_OF_SEQ_REQUEST,

  /** Requester: RNR NAKs received. */
  RCVD_RNR_ERR,

  /** Responder: RNR NAKs sent. */
  SEND_RNR_ERR,

  /** Requester: sequence error NAKs that acknowledged something new. */
  RCVD_SEQ_ERR,

  /** Acknowledgement work deferred to another thread: always 0, there is none. */
  ACK_DEFERRED,

  /** Requester: work requests that ended in RETRY_EXC_ERR. */
  RETRY_EXCEEDED_ERR,

  /** Requester: work requests that ended in RNR_RETRY_EXC_ERR. */
  RETRY_RNR_EXCEEDED_ERR,

  /** Requester: retransmissions started by a sequence NAK, an implied NAK or the timer. */
  COMPLETER_RETRY_ERR,

  /** Packets that could not be handed to the network. */
  SEND_ERR,

  /** Link down events: always 0, ports do not report them. */
  LINK_DOWNED,

  /** SEND work requests finished, well or not. */
  RDMA_SENDS,

  /** Receive completions of SENDs and WRITEs with immediate. */
  RDMA_RECVS,

  /**
   * Dropped: shorter than its headers, pad and ICRC, a payload its opcode forbids, or a datagram
   * that the receive cannot hold.
   */
  DROP_LENGTH,

  /** Dropped: undefined opcode. */
  DROP_OPCODE,

  /** Dropped: transport version not 0. */
  DROP_TVER,

  /** Dropped: no such queue pair, or queue pair 0. */
  DROP_UNKNOWN_QP,

  /** Dropped: opcode class and queue pair type differ. */
  DROP_QP_TYPE,

  /** Dropped: the queue pair's state takes no such packet. */
  DROP_QP_STATE,

  /** Dropped: not from or not to the address the queue pair is connected with. */
  DROP_ADDRESS,

  /** Dropped: P_Key mismatch. */
  BAD_PKEY_CNTR,

  /** Dropped: Q_Key mismatch. */
  QKEY_VIOL_CNTR,

  /** Dropped: the source address is outside the allowed prefixes. */
  DROP_SOURCE_DENIED,

  /** Dropped: one source sent more refused packets than it may. */
  DROP_SOURCE_LIMIT,

  /** Packets whose IPv4 identification was found from their ICRC. */
  ICRC_SOLVED,

  /** Packets taken without an ICRC check because it was switched off. */
  ICRC_UNCHECKED,

  /** Requester: request packets sent again. */
  RETRANSMITTED_PACKETS,

  /** Requester: payload bytes sent again. */
  RETRANSMITTED_BYTES,

  /** Requester: nanoseconds spent waiting after RNR NAKs. */
  RNR_WAIT_NS,

  /**
   * Requester: acknowledgements and responses ignored as old, duplicate, malformed or never asked
   * for.
   */
  RX_IGNORED_RESPONSES,

  /** Responder: duplicates of READs and atomics that can no longer be answered. */
  DROP_DUPLICATE_REQUEST,

  /** UC: packets that belong to no open message, dropped until the next message starts. */
  DROP_UC_OUT_OF_SEQUENCE,

  /** UC: messages given up after loss or a local reason. */
  DROP_UC_MESSAGE,

  /** Of drop_length: datagrams larger than the receive work request. */
  DROP_UD_LENGTH,

  /** Times the port had no room and a connection waited for the next flush. */
  TX_BACK_PRESSURE,

  /** Completions lost because the completion queue was full. */
  CQ_OVERFLOW,

  /** Payload bytes placed in memory as responder or as READ result. */
  RX_PAYLOAD_BYTES,

  /** Payload bytes sent, retransmissions included. */
  TX_PAYLOAD_BYTES,

  /** Connection manager: REQ messages sent, repetitions included. */
  CM_TX_MSGS_REQ,

  /** Connection manager: MRA messages sent, repetitions included. */
  CM_TX_MSGS_MRA,

  /** Connection manager: REJ messages sent, repetitions included. */
  CM_TX_MSGS_REJ,

  /** Connection manager: REP messages sent, repetitions included. */
  CM_TX_MSGS_REP,

  /** Connection manager: RTU messages sent, repetitions included. */
  CM_TX_MSGS_RTU,

  /** Connection manager: DREQ messages sent, repetitions included. */
  CM_TX_MSGS_DREQ,

  /** Connection manager: DREP messages sent, repetitions included. */
  CM_TX_MSGS_DREP,

  /** Connection manager: SIDR_REQ messages sent, repetitions included. */
  CM_TX_MSGS_SIDR_REQ,

  /** Connection manager: SIDR_REP messages sent, repetitions included. */
  CM_TX_MSGS_SIDR_REP,

  /** Connection manager: LAP messages sent, repetitions included: always 0. */
  CM_TX_MSGS_LAP,

  /** Connection manager: APR messages sent, repetitions included: always 0. */
  CM_TX_MSGS_APR,

  /** Connection manager: REQ messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_REQ,

  /** Connection manager: MRA messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_MRA,

  /** Connection manager: REJ messages sent again, by a timer or for a duplicate: always 0. */
  CM_TX_RETRIES_REJ,

  /** Connection manager: REP messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_REP,

  /** Connection manager: RTU messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_RTU,

  /** Connection manager: DREQ messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_DREQ,

  /** Connection manager: DREP messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_DREP,

  /** Connection manager: SIDR_REQ messages sent again, by a timer or for a duplicate. */
  CM_TX_RETRIES_SIDR_REQ,

  /** Connection manager: SIDR_REP messages sent again, by a timer or for a duplicate: always 0. */
  CM_TX_RETRIES_SIDR_REP,

  /** Connection manager: LAP messages sent again, by a timer or for a duplicate: always 0. */
  CM_TX_RETRIES_LAP,

  /** Connection manager: APR messages sent again, by a timer or for a duplicate: always 0. */
  CM_TX_RETRIES_APR,

  /** Connection manager: REQ messages received. */
  CM_RX_MSGS_REQ,

  /** Connection manager: MRA messages received. */
  CM_RX_MSGS_MRA,

  /** Connection manager: REJ messages received. */
  CM_RX_MSGS_REJ,

  /** Connection manager: REP messages received. */
  CM_RX_MSGS_REP,

  /** Connection manager: RTU messages received. */
  CM_RX_MSGS_RTU,

  /** Connection manager: DREQ messages received. */
  CM_RX_MSGS_DREQ,

  /** Connection manager: DREP messages received. */
  CM_RX_MSGS_DREP,

  /** Connection manager: SIDR_REQ messages received. */
  CM_RX_MSGS_SIDR_REQ,

  /** Connection manager: SIDR_REP messages received. */
  CM_RX_MSGS_SIDR_REP,

  /** Connection manager: LAP messages received. */
  CM_RX_MSGS_LAP,

  /** Connection manager: APR messages received. */
  CM_RX_MSGS_APR,

  /** Connection manager: REQ messages received again. */
  CM_RX_DUPLICATES_REQ,

  /** Connection manager: MRA messages received again. */
  CM_RX_DUPLICATES_MRA,

  /** Connection manager: REJ messages received again: always 0. */
  CM_RX_DUPLICATES_REJ,

  /** Connection manager: REP messages received again. */
  CM_RX_DUPLICATES_REP,

  /** Connection manager: RTU messages received again. */
  CM_RX_DUPLICATES_RTU,

  /** Connection manager: DREQ messages received again. */
  CM_RX_DUPLICATES_DREQ,

  /** Connection manager: DREP messages received again. */
  CM_RX_DUPLICATES_DREP,

  /** Connection manager: SIDR_REQ messages received again. */
  CM_RX_DUPLICATES_SIDR_REQ,

  /** Connection manager: SIDR_REP messages received again. */
  CM_RX_DUPLICATES_SIDR_REP,

  /** Connection manager: LAP messages received again: always 0. */
  CM_RX_DUPLICATES_LAP,

  /** Connection manager: APR messages received again: always 0. */
  CM_RX_DUPLICATES_APR,

  /** Connection manager: datagrams to queue pair 1 that are no CM message. */
  CM_RX_MALFORMED,

  /** Connection manager: messages for no connection there is, or out of place in its state. */
  CM_RX_IGNORED,

  /** Connection manager: requests refused because a table or backlog was full. */
  CM_REFUSED_NO_ROOM,

  /** Connection manager: messages not sent, for a full queue or an unreachable address. */
  CM_TX_DROPPED;

  /** Number of counters. */
  public static final int COUNT = values().length;

  private final String label;

  CounterId() {
    label = name().toLowerCase(Locale.ROOT);
  }

  /**
   * The name users know.
   *
   * @return lower case with underscores, as in {@code /sys/class/infiniband}.
   */
  public String label() {
    return label;
  }

  /**
   * Where the counter stands in a set of values: the order of this enum.
   *
   * @return 0 to {@link #COUNT} - 1.
   */
  @SuppressWarnings("EnumOrdinal") // the one place that ties the order to the index
  public int index() {
    return ordinal();
  }

  /**
   * The counter of a name.
   *
   * @param label a name as {@link #label} gives it.
   * @return the counter, or null when none has that name.
   */
  public static CounterId byLabel(String label) {
    for (final CounterId id : values()) {
      if (id.label.equals(label)) {
        return id;
      }
    }
    return null;
  }
}
