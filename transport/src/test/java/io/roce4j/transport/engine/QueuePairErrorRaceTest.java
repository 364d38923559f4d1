// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A queue pair is taken to ERR by another thread while messages arrive. */
class QueuePairErrorRaceTest {

  private static final int RACES = 300;
  private static final int RECEIVES = 64;

  // [FC-21]
  @Test
  void messageIsDeliveredOnceOrFlushedNeverTwice() throws InterruptedException {
    for (int race = 0; race < RACES; race++) {
      race(race);
    }
  }

  private static void race(int spin) throws InterruptedException {
    try (HandFed hand = new HandFed()) {
      hand.rtr(QueuePairType.RC, new EndpointPair.Wish());
      for (int i = 0; i < RECEIVES; i++) {
        hand.postReceive(i, 0, 100);
      }
      hand.packet(Opcode.RC_SEND_ONLY, HandFed.EXPECTED_PSN).bytes(8, 1).ack().enqueue();
      AtomicBoolean stop = new AtomicBoolean();
      Thread agent =
          new Thread(
              () -> {
                while (!stop.get()) {
                  hand.agent.doWork();
                }
              });
      agent.start();
      for (int i = 0; i < spin * 20; i++) {
        Thread.onSpinWait();
      }
      hand.qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
      stop.set(true);
      agent.join();
      List<String> completions = hand.completions();
      long successes = completions.stream().filter(text -> text.endsWith(" SUCCESS")).count();
      assertEquals(RECEIVES, completions.size());
      assertEquals(successes == 1 ? "0 SUCCESS" : "0 WR_FLUSH_ERR", completions.get(0));
      assertEquals(
          RECEIVES - successes,
          completions.stream().filter(text -> text.endsWith(" WR_FLUSH_ERR")).count());
    }
  }
}
