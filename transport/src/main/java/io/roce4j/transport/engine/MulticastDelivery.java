// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.wire.packet.Opcode;
import org.agrona.collections.Long2ObjectHashMap;

/** Which queue pairs get the datagrams of which multicast group, by address: the data path. */
final class MulticastDelivery {

  private final Long2ObjectHashMap<MulticastGroup> byHash = new Long2ObjectHashMap<>();
  private int size;

  /** The group of a destination address, or null. */
  MulticastGroup find(long gidHi, long gidLo) {
    MulticastGroup group = byHash.get(hash(gidHi, gidLo));
    while (group != null && (group.gidHi != gidHi || group.gidLo != gidLo)) {
      group = group.next;
    }
    return group;
  }

  /** Control path: finds the group or makes it. */
  MulticastGroup obtain(long gidHi, long gidLo) {
    MulticastGroup group = find(gidHi, gidLo);
    if (group == null) {
      long hash = hash(gidHi, gidLo);
      group = new MulticastGroup(gidHi, gidLo, byHash.get(hash));
      byHash.put(hash, group);
      size++;
    }
    return group;
  }

  /** Control path: forgets a group without members. */
  void drop(MulticastGroup empty) {
    long hash = hash(empty.gidHi, empty.gidLo);
    MulticastGroup group = byHash.get(hash);
    size--;
    if (group == empty) {
      if (empty.next == null) {
        byHash.remove(hash);
      } else {
        byHash.put(hash, empty.next);
      }
      return;
    }
    while (group.next != empty) {
      group = group.next;
    }
    group.next = empty.next;
  }

  /** Control path: takes a queue pair that is destroyed out of every group. */
  void removeMember(ConnectionSlot slot, Emptied emptied) {
    for (MulticastGroup first : byHash.values().toArray(new MulticastGroup[0])) {
      for (MulticastGroup group = first; group != null; group = group.next) {
        if (group.remove(slot) && group.size() == 0) {
          drop(group);
          emptied.leave(group.gidHi, group.gidLo);
        }
      }
    }
  }

  int size() {
    return size;
  }

  private static long hash(long gidHi, long gidLo) {
    return gidLo ^ Long.rotateLeft(gidHi, 17);
  }

  /** Told about groups nobody is attached to any more. */
  interface Emptied {
    void leave(long gidHi, long gidLo);
  }

  /** Whether packets of an opcode may be sent to a group [wire 9]. */
  static boolean mayCarry(int opcode) {
    return Opcode.transportClass(opcode) == Opcode.CLASS_UD;
  }
}
