// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CountersTest {

  @Test
  void aQueuePairsCounterCountsInTheEndpointToo() {
    final Counters endpoint = new Counters();
    final Counters first = new Counters(endpoint);
    final Counters second = new Counters(endpoint);
    first.increment(CounterId.PACKET_SEQ_ERR);
    second.add(CounterId.PACKET_SEQ_ERR, 4);
    assertEquals(1, first.get(CounterId.PACKET_SEQ_ERR));
    assertEquals(4, second.get("packet_seq_err"));
    assertEquals(5, endpoint.get("packet_seq_err"));
  }

  @Test
  void everyCounterIsFoundByTheNameUsersKnow() {
    for (final CounterId id : CounterId.values()) {
      assertEquals(id, CounterId.byLabel(id.label()));
    }
    assertNull(CounterId.byLabel("no_such_counter"));
    assertThrows(IllegalArgumentException.class, () -> new Counters().get("no_such_counter"));
  }

  @Test
  void copyFollowsTheOrderOfTheIds() {
    final Counters counters = new Counters();
    counters.add(CounterId.NP_CNP_SENT, 7);
    final long[] copy = new long[CounterId.COUNT];
    counters.copyTo(copy);
    assertEquals(7, copy[CounterId.NP_CNP_SENT.index()]);
    assertEquals(0, copy[CounterId.RP_CNP_HANDLED.index()]);
  }
}
