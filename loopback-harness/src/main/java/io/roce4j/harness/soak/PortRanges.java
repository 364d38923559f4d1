// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.roce4j.harness.oob.PeerMessage;
import java.util.BitSet;
import java.util.List;

/**
 * UDP ports in the exchange between peers: first and last of each range, one after the other; a
 * pool may be all of the upper quarter. Stateless.
 */
final class PortRanges {
  private static final int MOST_NUMBERS = 4_096;
  private static final int MAX_PORT = 65_535;

  private PortRanges() {}

  static void write(BitSet ports, ArrayNode to) {
    int first = ports.nextSetBit(0);
    while (first >= 0) {
      int end = ports.nextClearBit(first);
      to.add(first).add(end - 1);
      first = ports.nextSetBit(end);
    }
  }

  static BitSet read(PeerMessage message, String field) {
    List<Integer> numbers = message.integers(field, MOST_NUMBERS, 0, MAX_PORT);
    BitSet ports = new BitSet();
    for (int i = 0; i + 1 < numbers.size(); i += 2) {
      if (numbers.get(i) > numbers.get(i + 1)) {
        throw message.refuse(field, "ranges of ports, the first of each before its last");
      }
      ports.set(numbers.get(i), numbers.get(i + 1) + 1);
    }
    return ports;
  }
}
