// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.counters.Counters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An endpoint that runs no connections: hands out numbers and writes down what it is told. */
final class BareControlPlane implements ControlPlane {
  final List<String> calls = new ArrayList<>();
  final Set<Integer> qpns = new HashSet<>();
  PortAttributes port = new PortAttributes(0, 0x0000_FFFF_C000_0202L, 4791, 1024, 1500, true);
  RuntimeException refusal;
  int liveSqPsn;
  int liveRqPsn;
  boolean liveDraining;
  private int next = 0x11;

  @Override
  public int allocateQpn(int wish, int type) {
    if (wish != 0) {
      return qpns.add(wish) ? wish : QPN_TAKEN;
    }
    while (!qpns.add(next)) {
      next++;
    }
    return next;
  }

  @Override
  public void releaseQpn(int qpn) {
    qpns.remove(qpn);
  }

  @Override
  public void attach(QueuePair queuePair) {
    if (!queuePair.profile().equals("rc")) {
      throw new VerbsException("EINVAL", "profile " + queuePair.profile() + ": known are rc");
    }
    calls.add("attach " + queuePair.qpNum());
  }

  @Override
  public void detach(QueuePair queuePair) {
    calls.add("detach " + queuePair.qpNum());
  }

  @Override
  public void stateChanged(QueuePair queuePair, int from, int to, int changedMask) {
    if (refusal != null) {
      throw refusal;
    }
    calls.add(
        QueuePairState.name(from)
            + ">"
            + QueuePairState.name(to)
            + " "
            + AttributeMask.names(changedMask));
  }

  @Override
  public void query(QueuePair queuePair, QueuePairAttributes attributes) {
    attributes.sqPsn(liveSqPsn).rqPsn(liveRqPsn).sqDraining(liveDraining);
  }

  @Override
  public Counters counters(QueuePair queuePair) {
    return new Counters();
  }

  @Override
  public void attachMulticast(QueuePair queuePair, long gidHi, long gidLo) {
    calls.add("join " + Long.toHexString(gidHi) + ":" + Long.toHexString(gidLo));
  }

  @Override
  public void detachMulticast(QueuePair queuePair, long gidHi, long gidLo) {
    calls.add("leave " + Long.toHexString(gidHi) + ":" + Long.toHexString(gidLo));
  }

  @Override
  public PortAttributes port() {
    return port;
  }
}
