// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * Takes what happens inside an endpoint, as typed events: for journals, flight recorders and tests.
 * The default of every method does nothing, and {@link #NONE} costs one call.
 *
 * <p>Called on the agent's thread from the data path: an implementation must not block, throw or
 * allocate in steady state, and must not call back into the endpoint.
 */
public interface EventSink {

  /** Ignores everything. */
  EventSink NONE = new EventSink() {};

  /** {@link #onTimer}: the acknowledge timer of a requester. */
  int TIMER_ACK = 1;

  /** {@link #onTimer}: the end of a wait after an RNR NAK. */
  int TIMER_RNR = 2;

  /** {@link #onTimer}: the pacer lets the next packet go. */
  int TIMER_PACER = 3;

  /** {@link #onTimer}: a deadline of the congestion controller. */
  int TIMER_CONGESTION = 4;

  /** {@link #onRetransmit}: a PSN sequence error NAK. */
  int CAUSE_SEQUENCE_NAK = 1;

  /** {@link #onRetransmit}: an acknowledgement or response beyond an outstanding READ or atomic. */
  int CAUSE_IMPLIED_NAK = 2;

  /** {@link #onRetransmit}: a gap in the responses of a READ. */
  int CAUSE_RESPONSE_GAP = 3;

  /** {@link #onRetransmit}: the acknowledge timer. */
  int CAUSE_TIMEOUT = 4;

  /** {@link #onRetransmit}: the end of an RNR wait. */
  int CAUSE_RNR = 5;

  /**
   * A packet was accepted for a queue pair, which is about to handle it.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param opcode BTH opcode.
   * @param psn BTH PSN.
   * @param length bytes of the UDP payload.
   * @param ackRequest the AckReq bit.
   */
  default void onPacketIn(
      long nowNs, int qpn, int opcode, int psn, int length, boolean ackRequest) {}

  /**
   * A packet was written into a train.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param opcode BTH opcode.
   * @param psn BTH PSN.
   * @param length bytes of the UDP payload.
   * @param again true for a request packet that was sent before.
   */
  default void onPacketOut(long nowNs, int qpn, int opcode, int psn, int length, boolean again) {}

  /**
   * An acknowledgement or negative acknowledgement was written into a train.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param psn BTH PSN.
   * @param syndrome AETH syndrome.
   * @param msn AETH message sequence number.
   */
  default void onAcknowledge(long nowNs, int qpn, int psn, int syndrome, int msn) {}

  /**
   * A packet was refused in front of the queue pairs.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn destination queue pair number of the packet, or -1 when it could not be read.
   * @param reason the counter that rose, an index of {@code CounterId}.
   */
  default void onDrop(long nowNs, int qpn, int reason) {}

  /**
   * A queue pair changed its state.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param from state before.
   * @param to state now.
   */
  default void onStateChange(long nowNs, int qpn, int from, int to) {}

  /**
   * A timer fired.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param timer one of the TIMER constants.
   */
  default void onTimer(long nowNs, int qpn, int timer) {}

  /**
   * A requester goes back.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param cause one of the CAUSE constants.
   * @param psn where it starts again.
   */
  default void onRetransmit(long nowNs, int qpn, int cause, int psn) {}

  /**
   * A work completion was written.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param wrId the application's number of the work request.
   * @param status work completion status.
   * @param opcode work completion opcode.
   */
  default void onCompletion(long nowNs, int qpn, long wrId, int status, int opcode) {}

  /**
   * What a congestion controller allows, after an event that may have changed it.
   *
   * @param nowNs time of the endpoint, ns.
   * @param qpn local queue pair number.
   * @param windowBytes window, {@link Long#MAX_VALUE} for unlimited.
   * @param bitsPerSecond rate, {@link Long#MAX_VALUE} for unlimited.
   */
  default void onCongestion(long nowNs, int qpn, long windowBytes, long bitsPerSecond) {}
}
