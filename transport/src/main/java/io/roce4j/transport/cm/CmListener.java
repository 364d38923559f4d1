// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.cm.CmView;

/** Who listens at a service id. Agent thread. Views are lent for the call. */
interface CmListener {
  /** Whether another request may wait for the application. */
  boolean hasRoom();

  /**
   * A request passed the checks of the protocol: judges it and takes the connection over.
   *
   * @param connection new, to be given its consumer
   * @param request REQ or SIDR_REQ
   * @param meta of its datagram
   * @return false to refuse it
   */
  boolean onRequest(CmConnection connection, CmView request, DatagramMeta meta);

  /** A request of this listener does not wait any more. */
  void onAnswered(CmConnection connection);
}
