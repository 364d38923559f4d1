// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.verbs.QueuePair;

/**
 * One stream of a connection: a queue pair's messages in both directions, in order among themselves
 * and independent of all other streams.
 */
final class MxStream {
  /** Small number of the stream in its connection. */
  final int slot;

  /** Number of the stream on the wire. */
  final int id;

  final QueuePair queuePair;
  final ConnectionSlot connectionSlot;
  final int pdId;

  StreamSender sender;
  StreamReceiver receiver;

  /** Both sides know the stream: data may be sent. */
  boolean open;

  /** This side has to tell the peer. */
  boolean openWanted;

  /** Our half of an opening was sent and waits for its acknowledgement. */
  boolean openSent;

  /** The queue pair may send new messages: RTS. */
  boolean sending;

  /** The queue pair is gone; the slot waits for the last CPSN to be acknowledged. */
  boolean closing;

  boolean closeSent;

  /** Its queue pair has to go to ERR. */
  boolean failed;

  /** Its queue pair is in ERR. */
  boolean errorEntered;

  /** READs and atomics of the peer on this stream that are not answered and acknowledged. */
  int responses;

  /** Of them, those whose answer is not completely numbered. */
  int waiting;

  /** What a sender is told to wait when no receive request is posted, microseconds. */
  long rnrWaitUs;

  MxStream(int slot, int id, QueuePair queuePair, ConnectionSlot connectionSlot) {
    this.slot = slot;
    this.id = id;
    this.queuePair = queuePair;
    this.connectionSlot = connectionSlot;
    this.pdId = queuePair.protectionDomain().number();
  }
}
