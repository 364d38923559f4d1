// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.packet.PacketView;

/**
 * The protocol of one connection, or of one datagram queue pair, behind an {@link Endpoint}.
 *
 * <p>Every method runs on the agent's thread; {@code nowNs} never goes back. The endpoint has made
 * the checks in front of a queue pair (existence, class, state, address, keys, ICRC) before {@link
 * #onPacket}. An engine sends only inside {@link #transmit}; when it has something to send it asks
 * for its turn with {@link ConnectionSlot#requestTransmit}. Steady state allocates nothing.
 */
public interface ConnectionEngine {

  /** {@link #transmit}: nothing more to send until something happens. */
  int IDLE = 0;

  /** {@link #transmit}: a train was filled and there is more to send. */
  int MORE = 1;

  /** {@link #transmit}: the port refused; the state is as before the refused packet. */
  int BLOCKED = 2;

  /**
   * The queue pair changed its state; its attributes are stored. Moving to ERR flushes both queues,
   * to RESET forgets everything.
   *
   * @param from state before.
   * @param to state now.
   * @param nowNs time of the endpoint, ns.
   */
  void onStateChange(int from, int to, long nowNs);

  /**
   * Reads a word of each object and cache line that the next calls will need, and nothing else.
   * With thousands of queue pairs these words come from memory: asked for together they come
   * together, where the engine's own order would wait for one after the other.
   *
   * @param response whether a response was received or something posted, else a request came.
   * @return anything that depends on every word read; the default reads none.
   */
  default long touch(boolean response) {
    return 0;
  }

  /**
   * The application posted to a queue of the queue pair, or may have.
   *
   * @param nowNs time of the endpoint, ns.
   */
  void onDoorbell(long nowNs);

  /**
   * A packet for this queue pair.
   *
   * @param packet the packet, lent for the call; its buffer may be overwritten afterwards.
   * @param meta where it came from, lent for the call.
   * @param nowNs time of the endpoint, ns.
   */
  void onPacket(PacketView packet, DatagramMeta meta, long nowNs);

  /**
   * A packet of the engine's own class whose operation is reserved. The default drops it.
   *
   * @param opcode BTH opcode, an undefined one.
   * @param psn BTH PSN.
   * @param nowNs time of the endpoint, ns.
   * @return true when it is answered as a request, false when it is to be counted as dropped.
   */
  default boolean onReservedOpcode(int opcode, int psn, long nowNs) {
    return false;
  }

  /**
   * A congestion notification for this queue pair.
   *
   * @param nowNs time of the endpoint, ns.
   * @return true when a controller took it, false when it was ignored.
   */
  default boolean onCongestionNotification(long nowNs) {
    return false;
  }

  /**
   * The receive burst is over, during which this engine got at least one packet: the moment to
   * decide about acknowledgements.
   *
   * @param nowNs time of the endpoint, ns.
   */
  void onBurstEnd(long nowNs);

  /**
   * The deadline the engine named has come.
   *
   * @param nowNs time of the endpoint, ns, at or after the deadline.
   */
  void onTimer(long nowNs);

  /**
   * Sends at most one train.
   *
   * @param nowNs time of the endpoint, ns.
   * @param sink the port's sending half.
   * @return {@link #IDLE}, {@link #MORE} or {@link #BLOCKED}.
   */
  int transmit(long nowNs, TrainSink sink);

  /**
   * When {@link #onTimer} is wanted next. Asked after every call above.
   *
   * @return time of the endpoint in ns, or {@link DeadlineHeap#NEVER}.
   */
  long nextDeadlineNs();

  /**
   * Next PSN the sending half will use, for queries.
   *
   * @return 24 bits.
   */
  int sendPsn();

  /**
   * Next PSN the receiving half expects, for queries.
   *
   * @return 24 bits.
   */
  int expectedPsn();

  /**
   * Whether started work requests are still unfinished while the queue pair drains (SQD).
   *
   * @return true until drained.
   */
  boolean isDraining();

  /** The queue pair is being destroyed: releases what the engine holds beyond the heap. */
  void onDetach();
}
