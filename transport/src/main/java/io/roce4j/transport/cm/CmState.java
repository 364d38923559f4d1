// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

/** Where the protocol of one connection stands (IBA 1.4, 12.9.5). */
enum CmState {
  /** Nothing was sent yet. */
  IDLE,

  /** Active: REQ sent. */
  REQ_SENT,

  /** Active: the peer asked for time. */
  MRA_REQ_RCVD,

  /** Passive: REQ received, the application has not answered. */
  REQ_RCVD,

  /** Passive: as {@link #REQ_RCVD}, and the peer was asked for time. */
  MRA_REQ_SENT,

  /** Passive: REP sent. */
  REP_SENT,

  /** Passive: the peer asked for time before its RTU. */
  MRA_REP_RCVD,

  /** Both sides may send. */
  ESTABLISHED,

  /** DREQ sent. */
  DREQ_SENT,

  /** Over; the numbers are not used again before late packets have died. */
  TIMEWAIT,

  /** Active, datagrams: SIDR_REQ sent. */
  SIDR_REQ_SENT,

  /** Passive, datagrams: SIDR_REQ received, the application has not answered. */
  SIDR_REQ_RCVD,

  /** Over and forgotten. */
  CLOSED;

  /** Whether a message is repeated until the peer answers it. */
  boolean awaitsAnswer() {
    return awaitsReply() || awaitsReady() || this == DREQ_SENT || this == SIDR_REQ_SENT;
  }

  /** Whether a passive side still waits for its application. */
  boolean awaitsApplication() {
    return this == REQ_RCVD || this == MRA_REQ_SENT || this == SIDR_REQ_RCVD;
  }

  /** Whether a passive side waits for an RTU. */
  boolean awaitsReady() {
    return this == REP_SENT || this == MRA_REP_RCVD;
  }

  /** Whether an active side waits for a REP. */
  boolean awaitsReply() {
    return this == REQ_SENT || this == MRA_REQ_RCVD;
  }
}
