// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import java.util.Arrays;

/** The datagram queue pairs attached to one multicast group [rc D10]. */
final class MulticastGroup {

  final long gidHi;
  final long gidLo;

  /** Next group with the same hash. */
  MulticastGroup next;

  private ConnectionSlot[] members = {};

  MulticastGroup(long gidHi, long gidLo, MulticastGroup next) {
    this.gidHi = gidHi;
    this.gidLo = gidLo;
    this.next = next;
  }

  int size() {
    return members.length;
  }

  ConnectionSlot member(int index) {
    return members[index];
  }

  /** Control path. Attaching twice changes nothing, as in verbs. */
  void add(ConnectionSlot slot) {
    for (ConnectionSlot member : members) {
      if (member == slot) {
        return;
      }
    }
    members = Arrays.copyOf(members, members.length + 1);
    members[members.length - 1] = slot;
  }

  /** Control path. Returns false when the slot was not attached. */
  boolean remove(ConnectionSlot slot) {
    for (int i = 0; i < members.length; i++) {
      if (members[i] == slot) {
        ConnectionSlot[] left = Arrays.copyOf(members, members.length - 1);
        if (i < left.length) {
          left[i] = members[members.length - 1];
        }
        members = left;
        return true;
      }
    }
    return false;
  }
}
