// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

/** What happened to an id, with librdmacm's names ({@code rdma_cm_event_type}). */
public enum CmEventType {
  /** {@code resolveAddress} found the peer reachable. */
  ADDR_RESOLVED,

  /** {@code resolveAddress} failed; status is a negative errno. */
  ADDR_ERROR,

  /** {@code resolveRoute} is done: {@code connect} may be called. */
  ROUTE_RESOLVED,

  /** A peer wants a connection: {@code accept} or {@code reject} the event's id. */
  CONNECT_REQUEST,

  /** The connection could not be made although the peer answered; status is a negative errno. */
  CONNECT_ERROR,

  /**
   * The peer did not answer (status -110, ETIMEDOUT), or has no such datagram service (status is
   * the SIDR status).
   */
  UNREACHABLE,

  /** The peer rejected; status is the reason, see {@code RejectReason}. */
  REJECTED,

  /** Both sides may send; for datagrams: the peer's queue pair is known. */
  ESTABLISHED,

  /** The connection has ended; the queue pair is in ERR. */
  DISCONNECTED,

  /** The queue pair may be connected again. */
  TIMEWAIT_EXIT
}
