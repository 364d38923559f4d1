// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.cm.CmView;

/** An id that listens. Control turns and the agent thread. */
final class CmListening implements CmListener {
  private final RdmaCmId id;
  private final CmProtocol protocol;
  private final int backlog;
  private int waiting;

  CmListening(RdmaCmId id, CmProtocol protocol, int backlog) {
    this.id = id;
    this.protocol = protocol;
    this.backlog = backlog;
  }

  @Override
  public boolean hasRoom() {
    return waiting < backlog && id.channel().hasRoom();
  }

  @Override
  public boolean onRequest(CmConnection connection, CmView view, DatagramMeta meta) {
    PeerRequest request = id.readRequest(view, meta);
    if (request == null) {
      return false;
    }
    connection.listener = this;
    waiting++;
    RdmaCmId child = id.child(request);
    CmSession session = new CmSession(child, protocol, connection, request);
    child.session(session);
    session.announce(id);
    return true;
  }

  @Override
  public void onAnswered(CmConnection connection) {
    waiting--;
  }

  /** Nobody will see the requests that were not polled: refuses them. */
  void close() {
    CmTable table = protocol.core.table;
    for (int i = 0; i < table.end(); i++) {
      CmConnection connection = table.at(i);
      if (connection != null
          && connection.listener == this
          && connection.consumer instanceof CmSession session) {
        session.abandon();
      }
    }
  }
}
