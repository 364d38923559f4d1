// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ten thousand connections between two endpoints. */
class ManyConnectionsTest {

  private static final int CONNECTIONS = 10_000;

  /** Heap of one side of a connection: engine, verbs object and what they hold. */
  private static final long HEAP_BYTES_MAX = 2 * 2048;

  @Test
  void tenThousandConnectionsEachMoveAMessageWithinTwoKibOfStateASide() {
    EndpointSettings settings = EndpointSettings.defaults();
    try (EndpointPair pair = new EndpointPair(settings, 10_000)) {
      long before = usedHeap();
      List<QueuePair> all = connectAll(pair);
      long state = (usedHeap() - before) / CONNECTIONS;
      assertTrue(state <= HEAP_BYTES_MAX, "state of both sides of a connection: " + state);
      SendRequest write =
          pair.send(1, WorkRequestOpcode.RDMA_WRITE, pair.a.at(0), 100, pair.a.region.lkey())
              .remote(pair.b.at(0), pair.b.region.rkey());
      int done = 0;
      for (int start = 0; start < CONNECTIONS; start += 1000) {
        for (int i = start; i < start + 1000; i++) {
          assertEquals(0, all.get(i).postSend(write));
        }
        pair.runFor(1_000_000);
        while (pair.a.poll() != null) {
          assertEquals(0, pair.a.completion.status());
          done++;
        }
      }
      assertEquals(CONNECTIONS, done);
      assertEquals(0, pair.a.counter("retransmitted_packets"));
      assertEquals(Long.MAX_VALUE, pair.nextDeadlineNs());
      System.out.println("heap bytes of both sides of a connection: " + state);
    }
  }

  private static List<QueuePair> connectAll(EndpointPair pair) {
    List<QueuePair> all = new ArrayList<>(CONNECTIONS);
    EndpointPair.Wish wish = new EndpointPair.Wish();
    wish.maxRdAtomic = 1;
    for (int i = 0; i < CONNECTIONS; i++) {
      QueuePair a = pair.a.pd.createQueuePair(small(pair.a));
      QueuePair b = pair.b.pd.createQueuePair(small(pair.b));
      pair.connect(a, b, wish);
      all.add(a);
    }
    return all;
  }

  private static QueuePairSettings small(EndpointPair.Side side) {
    return side.rc().maxSendWr(2).maxRecvWr(1).maxSendSge(1).maxRecvSge(1).maxInlineData(0);
  }

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }
}
