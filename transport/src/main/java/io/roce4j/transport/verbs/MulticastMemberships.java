// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import java.util.ArrayList;
import java.util.List;

/**
 * Which datagram queue pair is in which multicast group, for the limit and the rules of attaching:
 * twice is once, leaving needs to be in, a queue pair in a group is not destroyed. Control path.
 */
final class MulticastMemberships {
  private final ControlPlane plane;
  private final int maxGroups;
  private final List<Member> members = new ArrayList<>();

  MulticastMemberships(ControlPlane plane, int maxGroups) {
    this.plane = plane;
    this.maxGroups = maxGroups;
  }

  private record Member(QueuePair queuePair, long gidHi, long gidLo) {
    boolean isOf(long hi, long lo) {
      return gidHi == hi && gidLo == lo;
    }
  }

  void attach(QueuePair queuePair, long gidHi, long gidLo) {
    Member member = new Member(queuePair, gidHi, gidLo);
    if (members.contains(member)) {
      return;
    }
    if (!isKnown(gidHi, gidLo) && groups() >= maxGroups) {
      throw new VerbsException("ENOMEM", "too many multicast groups: limit " + maxGroups);
    }
    plane.attachMulticast(queuePair, gidHi, gidLo);
    members.add(member);
  }

  void detach(QueuePair queuePair, long gidHi, long gidLo) {
    if (!members.remove(new Member(queuePair, gidHi, gidLo))) {
      throw VerbsException.invalid("queue pair " + queuePair.qpNum() + " is not in this group");
    }
    plane.detachMulticast(queuePair, gidHi, gidLo);
  }

  /** Leaves every group, when the context closes. */
  void detachAll(QueuePair queuePair) {
    for (Member member : new ArrayList<>(members)) {
      if (member.queuePair() == queuePair) {
        detach(queuePair, member.gidHi(), member.gidLo());
      }
    }
  }

  /** How many groups a queue pair is in. */
  int count(QueuePair queuePair) {
    int count = 0;
    for (Member member : members) {
      count += member.queuePair() == queuePair ? 1 : 0;
    }
    return count;
  }

  private boolean isKnown(long gidHi, long gidLo) {
    for (Member member : members) {
      if (member.isOf(gidHi, gidLo)) {
        return true;
      }
    }
    return false;
  }

  private int groups() {
    int groups = 0;
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      boolean first = true;
      for (int k = 0; k < i && first; k++) {
        first = !members.get(k).isOf(member.gidHi(), member.gidLo());
      }
      groups += first ? 1 : 0;
    }
    return groups;
  }
}
