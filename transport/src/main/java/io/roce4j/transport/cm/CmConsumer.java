// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.wire.cm.CmView;

/**
 * Who owns a connection: is told what its protocol came to. Agent thread. Views are lent for the
 * call.
 */
interface CmConsumer {
  /** Owner of connections whose application is gone. */
  CmConsumer NOBODY = new CmConsumer() {};

  /**
   * Active: a REP came. The queue pair is to be made ready; RTU follows.
   *
   * @return false when the reply cannot be used: it is rejected then
   */
  default boolean onReply(CmConnection connection, CmView reply) {
    return false;
  }

  /** Active: the REP names a queue pair that another connection holds. The connection is over. */
  default void onStaleReply(CmConnection connection) {}

  /** Passive: whether the peer's data show that it is ready, although no RTU came. */
  default boolean hasHeardFromPeer(CmConnection connection) {
    return false;
  }

  /** Passive: the RTU came, or what stands for it. */
  default void onReady(CmConnection connection) {}

  /** The peer rejected what this side sent last, or gave up. The connection is over. */
  default void onRejected(CmConnection connection, CmView reject) {}

  /** The peer never answered. The connection is over. */
  default void onUnreachable(CmConnection connection) {}

  /** The connection ends: nothing may be sent any more. {@link #onDisconnected} follows. */
  default void onEnding(CmConnection connection) {}

  /** The connection has ended, by either side. */
  default void onDisconnected(CmConnection connection) {}

  /** The numbers of the connection are free again. */
  default void onTimeWaitExit(CmConnection connection) {}

  /** Active, datagrams: the SIDR_REP came. The connection is over. */
  default void onServiceReply(CmConnection connection, CmView reply) {}
}
