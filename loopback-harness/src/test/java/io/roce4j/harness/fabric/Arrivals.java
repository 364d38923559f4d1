// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.sim.SimPort;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.packet.Bth;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;

/** What a bare port has received, in order. */
final class Arrivals implements DatagramHandler {
  private final Icrc icrc = new Icrc();
  final List<Integer> psns = new ArrayList<>();
  int marked;
  int damaged;
  int hopLimit = -1;

  static Arrivals of(SimPort port) {
    Arrivals arrivals = new Arrivals();
    while (port.receive(arrivals, 1_000, 0) > 0) {}
    return arrivals;
  }

  @Override
  public void onDatagram(
      UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
    if (!icrc.check(buffer, offset, length, meta.ip)) {
      damaged++;
      return;
    }
    psns.add(Bth.psn(buffer, offset));
    marked += meta.ecn == FabricHeader.CE ? 1 : 0;
    hopLimit = meta.hopLimit;
  }

  Set<Integer> distinct() {
    return new TreeSet<>(psns);
  }
}
