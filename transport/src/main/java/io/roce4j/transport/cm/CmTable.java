// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.Object2ObjectHashMap;

/**
 * All connections of an endpoint, bounded, and the ways to find them: by this side's id, by the
 * peer's id (a repeated request), by the peer's queue pair (a stale one), by service id. Control
 * path.
 */
final class CmTable {
  private final int limit;
  private final CmNumbers numbers;
  private final CmConnection[] connections;
  private final IntArrayList free = new IntArrayList();
  private final Int2ObjectHashMap<CmConnection> byLocalId = new Int2ObjectHashMap<>();
  private final Object2ObjectHashMap<PeerKey, CmConnection> byRemoteId =
      new Object2ObjectHashMap<>();
  private final Object2ObjectHashMap<PeerKey, CmConnection> byRemoteQpn =
      new Object2ObjectHashMap<>();
  private final Object2ObjectHashMap<PeerKey, CmConnection> byServiceRequest =
      new Object2ObjectHashMap<>();
  private final Long2ObjectHashMap<CmListener> listeners = new Long2ObjectHashMap<>();
  private int used;

  CmTable(int limit, CmNumbers numbers) {
    this.limit = limit;
    this.numbers = numbers;
    this.connections = new CmConnection[limit];
  }

  /** A new connection, or null when there are too many. */
  CmConnection add(boolean active) {
    if (size() == limit) {
      return null;
    }
    int index = free.isEmpty() ? used++ : free.popInt();
    int id = numbers.commId();
    while (id == 0 || byLocalId.containsKey(id)) {
      id = numbers.commId();
    }
    CmConnection connection = new CmConnection(index, id, active);
    connections[index] = connection;
    byLocalId.put(id, connection);
    return connection;
  }

  void remove(CmConnection connection) {
    connections[connection.index] = null;
    free.pushInt(connection.index);
    byLocalId.remove(connection.localCommId);
    if (connection.commKey != null) {
      byRemoteId.remove(connection.commKey);
    }
    if (connection.qpnKey != null) {
      byRemoteQpn.remove(connection.qpnKey);
    }
    if (connection.serviceKey != null) {
      byServiceRequest.remove(connection.serviceKey);
    }
  }

  /** Makes a request for a datagram service known by who asked and the number of the request. */
  void learnRequester(CmConnection connection, PeerKey requester) {
    connection.remoteCommId = requester.number();
    connection.serviceKey = requester;
    byServiceRequest.put(requester, connection);
  }

  CmConnection ofServiceRequest(PeerKey requester) {
    return byServiceRequest.get(requester);
  }

  /** Makes a connection known by the peer's numbers. */
  void learnPeer(CmConnection connection, long guid, int commId, int qpn) {
    connection.remoteCommId = commId;
    connection.commKey = new PeerKey(guid, commId);
    byRemoteId.put(connection.commKey, connection);
    if (qpn != 0) {
      connection.remoteQpn = qpn;
      connection.qpnKey = new PeerKey(guid, qpn);
      byRemoteQpn.put(connection.qpnKey, connection);
    }
  }

  CmConnection at(int index) {
    return connections[index];
  }

  CmConnection ofLocalId(int commId) {
    return byLocalId.get(commId);
  }

  CmConnection ofRemoteId(long guid, int commId) {
    return byRemoteId.get(new PeerKey(guid, commId));
  }

  CmConnection ofRemoteQpn(long guid, int qpn) {
    return byRemoteQpn.get(new PeerKey(guid, qpn));
  }

  CmListener listener(long serviceId) {
    return listeners.get(serviceId);
  }

  /** Returns false when somebody listens there. */
  boolean listen(long serviceId, CmListener listener) {
    if (listeners.containsKey(serviceId)) {
      return false;
    }
    listeners.put(serviceId, listener);
    return true;
  }

  void unlisten(long serviceId) {
    listeners.remove(serviceId);
  }

  void unlistenAll() {
    listeners.clear();
  }

  int listeners() {
    return listeners.size();
  }

  int size() {
    return byLocalId.size();
  }

  int limit() {
    return limit;
  }

  /** Places that were ever used: all connections lie below. */
  int end() {
    return used;
  }
}
