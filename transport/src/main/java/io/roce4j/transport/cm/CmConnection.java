// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.port.Destination;
import io.roce4j.wire.cm.Mad;
import org.agrona.concurrent.UnsafeBuffer;

/** What the protocol knows of one connection, of either role. Agent thread. */
final class CmConnection {
  /** Place in the table, and owner of its deadline. */
  final int index;

  final int localCommId;
  final boolean active;
  CmConsumer consumer = CmConsumer.NOBODY;
  CmState state = CmState.IDLE;

  /** Passive: where the request came in, until the application answers it. */
  CmListener listener;

  /** Of the REQ; MRA, REJ, REP and RTU repeat it. */
  long transactionId;

  /** Passive, datagrams: what was asked for. */
  long serviceId;

  int localQpn;
  int remoteCommId;
  int remoteQpn;

  /** Under which it is found by the peer's numbers; null as long as they are not known. */
  PeerKey commKey;

  PeerKey qpnKey;

  /** Under which an unanswered request for a datagram service is found. */
  PeerKey serviceKey;

  Destination destination;

  /** The message that is repeated until it is answered. */
  final UnsafeBuffer request = new UnsafeBuffer(new byte[Mad.LENGTH]);

  /** Whether {@link #request} waits in the outbox. */
  boolean queued;

  /** Of this side's requests, before an MRA changes it. */
  long intervalNs;

  /** In force. */
  long waitNs;

  int retries;
  int retriesLeft;

  /** Code by which the queue pair waits for acknowledgements, and the connection in TIMEWAIT. */
  int ackTimeoutCode;

  /** Service timeout of the MRA that was sent. */
  int mraCode;

  CmConnection(int index, int localCommId, boolean active) {
    this.index = index;
    this.localCommId = localCommId;
    this.active = active;
  }

  /** Whether the two ids of a message are those of this connection. */
  boolean isBetween(int senderCommId) {
    return commKey != null && remoteCommId == senderCommId;
  }
}
