// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.ConnectionSlot;
import io.roce4j.transport.engine.DeadlineHeap;
import io.roce4j.transport.engine.EngineContext;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmTime;
import io.roce4j.wire.cm.Mad;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the parts of the protocol share: the table of connections, the way out, timers, numbers,
 * counters and the present. Agent thread.
 */
final class CmCore {
  final CmSettings settings;
  final CmTable table;
  final CmNumbers numbers;
  final CmCounts counts;
  final MadOutbox outbox;

  /** Node GUID of this endpoint. */
  final long guid;

  /** Scratch for messages that are sent once. */
  final UnsafeBuffer scratch = new UnsafeBuffer(new byte[Mad.LENGTH]);

  private final EngineContext context;
  private final ConnectionSlot slot;
  private final DeadlineHeap deadlines = new DeadlineHeap();
  private final long agentNumber;

  CmCore(EngineContext context, ConnectionSlot slot, CmSettings settings, long seed) {
    this.context = context;
    this.slot = slot;
    this.settings = settings;
    this.numbers = new CmNumbers(seed, localGidHi(), localGidLo());
    this.guid = settings.nodeGuid() != 0 ? settings.nodeGuid() : numbers.nonZero();
    this.agentNumber = numbers.nonZero() << 32;
    this.table = new CmTable(settings.maxConnections(), numbers);
    this.counts = new CmCounts(slot.counters());
    this.outbox = new MadOutbox(settings.maxOutbound());
    deadlines.reserve(settings.maxConnections());
  }

  long localGidHi() {
    return context.verbs().queryPort().gidHi();
  }

  long localGidLo() {
    return context.verbs().queryPort().gidLo();
  }

  /** Whether queue pairs of this endpoint tell their peers of their receives. */
  boolean hasCredits() {
    return context.settings().endToEndCredits();
  }

  /** A transaction id as Linux forms it: the agent's number and the connection's id. */
  long transactionId(CmConnection connection) {
    return agentNumber | (connection.localCommId & 0xFFFF_FFFFL);
  }

  /**
   * Prepares an address.
   *
   * @throws VerbsException EINVAL when it cannot be reached
   */
  Destination destination(long gidHi, long gidLo) {
    return context.destination(AddressVector.of(gidHi, gidLo).withUdpPort(settings.peerUdpPort()));
  }

  /** Where an answer to a datagram goes, or null when that cannot be reached. */
  Destination sourceOf(DatagramMeta meta) {
    return reachable(meta.ip.sourceHigh(), meta.ip.sourceLow());
  }

  /** Prepares an address that a peer named; null when it cannot be reached. */
  Destination reachable(long gidHi, long gidLo) {
    try {
      return destination(gidHi, gidLo);
    } catch (VerbsException e) {
      counts.count(CounterId.CM_TX_DROPPED);
      return null;
    }
  }

  /** Sends {@link #scratch} once. */
  void sendScratch(Destination to) {
    if (to != null) {
      enqueue(scratch, to, null);
    }
  }

  /** Sends a connection's request for the first time, and again until somebody stops the timer. */
  void startRequest(CmConnection connection, long intervalNs, int retries) {
    connection.waitNs = intervalNs;
    connection.retriesLeft = retries;
    connection.queued = false;
    sendRequest(connection);
  }

  private void sendRequest(CmConnection connection) {
    if (!connection.queued) {
      connection.queued = enqueue(connection.request, connection.destination, connection);
    }
    restartTimer(connection);
  }

  /**
   * The request of a connection was not answered in time: sends it again.
   *
   * @return false when it was sent often enough
   */
  boolean repeatRequest(CmConnection connection) {
    if (connection.retriesLeft == 0) {
      return false;
    }
    connection.retriesLeft--;
    counts.retry(Mad.attributeId(connection.request, 0));
    sendRequest(connection);
    return true;
  }

  /** A message has left; the wait for its answer begins now. */
  void onSent(CmConnection request) {
    if (request != null && request.queued) {
      request.queued = false;
      if (request.state.awaitsAnswer()) {
        restartTimer(request);
      }
    }
  }

  private boolean enqueue(UnsafeBuffer mad, Destination to, CmConnection request) {
    boolean taken = outbox.add(mad, to, request);
    if (taken) {
      counts.sent(Mad.attributeId(mad, 0));
      slot.requestTransmit();
    } else {
      counts.count(CounterId.CM_TX_DROPPED);
    }
    return taken;
  }

  /** Starts a connection's wait anew. */
  void restartTimer(CmConnection connection) {
    setTimer(connection, connection.waitNs);
  }

  void setTimer(CmConnection connection, long waitNs) {
    deadlines.set(connection.index, context.nowNs() + waitNs);
    slot.deadlineChanged();
  }

  void stopTimer(CmConnection connection) {
    deadlines.set(connection.index, DeadlineHeap.NEVER);
    slot.deadlineChanged();
  }

  /** A time that a peer chose, within what this side is ready to wait. */
  long peerTimeNs(int code) {
    return Math.min(CmTime.toLinuxNs(code), settings.peerWaitMaxNs());
  }

  /** An ACK timeout code that a peer chose, within what this side is ready to wait. */
  int peerAckTimeoutCode(int code) {
    int bounded = code;
    while (bounded > 1 && CmTime.toNs(bounded) > settings.peerWaitMaxNs()) {
      bounded--;
    }
    return bounded;
  }

  /** Forgets a connection. */
  void close(CmConnection connection) {
    answered(connection);
    stopTimer(connection);
    connection.state = CmState.CLOSED;
    connection.consumer = CmConsumer.NOBODY;
    table.remove(connection);
  }

  /** A request does not wait for the application any more. */
  void answered(CmConnection connection) {
    CmListener listener = connection.listener;
    if (listener != null) {
      connection.listener = null;
      listener.onAnswered(connection);
    }
  }

  /** Whether nothing waits to leave or for an answer. */
  boolean isQuiet() {
    boolean quiet = outbox.isEmpty();
    for (int i = 0; i < table.end() && quiet; i++) {
      CmConnection connection = table.at(i);
      quiet = connection == null || !connection.state.awaitsAnswer();
    }
    return quiet;
  }

  /** A connection whose time has come, without a timer now; null when there is none. */
  CmConnection pollDue(long nowNs) {
    int index = deadlines.pollDue(nowNs);
    return index < 0 ? null : table.at(index);
  }

  long nextDeadlineNs() {
    return deadlines.earliestNs();
  }
}
