// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import java.util.HashMap;
import java.util.Map;

/**
 * The path MTU between two hosts, learned from First and Middle packets, which carry exactly that
 * many bytes. It says how many PSNs a READ request takes up.
 */
final class MtuGuess {
  /** The MTU is not known yet. */
  static final int UNKNOWN = 0;

  private static final int MAX_PAIRS = 65_536;

  private record Pair(Gid lower, Gid higher) {
    static Pair of(Gid a, Gid b) {
      return a.compareTo(b) <= 0 ? new Pair(a, b) : new Pair(b, a);
    }
  }

  private final Map<Pair, Integer> mtus = new HashMap<>();

  /** Learns from a packet. */
  void observe(FlowKey flow, PacketView view) {
    if (Opcode.isFirst(view.opcode()) || Opcode.isMiddle(view.opcode())) {
      Pair pair = Pair.of(flow.source(), flow.destination());
      if (mtus.size() < MAX_PAIRS || mtus.containsKey(pair)) {
        mtus.merge(pair, view.payloadLength(), Math::max);
      }
    }
  }

  /** The MTU between the hosts of a flow, or {@link #UNKNOWN}. */
  int of(FlowKey flow) {
    return mtus.getOrDefault(Pair.of(flow.source(), flow.destination()), UNKNOWN);
  }

  /** PSNs a request takes up; 0 when that cannot be told. */
  int psnsOf(PacketView view, FlowKey flow) {
    if (!Opcode.isReadRequest(view.opcode())) {
      return 1;
    }
    int mtu = of(flow);
    if (mtu == UNKNOWN) {
      return view.rethLength() <= 256 ? 1 : 0;
    }
    return (int) Math.max(1, (view.rethLength() + mtu - 1) / mtu);
  }
}
