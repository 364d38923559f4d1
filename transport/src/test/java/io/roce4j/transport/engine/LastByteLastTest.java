// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs such as perftest's write_lat wait for a message by watching its last byte. */
class LastByteLastTest {

  private static final int ROUNDS = 2000;
  private static final int BYTES = 1024;
  private static final long PATIENCE_NS = 30_000_000_000L;

  // [rc 7-10]
  @ParameterizedTest
  @ValueSource(ints = {QueuePairType.RC, QueuePairType.UC})
  void whoSeesTheLastByteOfAWriteSeesAllOfIt(int type) throws InterruptedException {
    try (HandFed hand = new HandFed()) {
      hand.rtr(type, new EndpointPair.Wish());
      AtomicInteger seen = new AtomicInteger();
      AtomicInteger torn = new AtomicInteger();
      long startNs = System.nanoTime();
      Thread watcher = new Thread(() -> watch(hand, seen, torn));
      watcher.start();
      int opcode = type == QueuePairType.RC ? Opcode.RC_WRITE_ONLY : Opcode.UC_WRITE_ONLY;
      byte[] payload = new byte[BYTES];
      for (int round = 1; round <= ROUNDS; round++) {
        java.util.Arrays.fill(payload, (byte) round);
        hand.packet(opcode, HandFed.EXPECTED_PSN + round - 1)
            .payload(payload)
            .remote(hand.at(0), hand.region.rkey(), BYTES)
            .inject();
        while (seen.get() < round && System.nanoTime() - startNs < PATIENCE_NS) {
          LockSupport.parkNanos(1_000);
        }
      }
      watcher.interrupt();
      watcher.join();
      assertEquals(0, torn.get());
      assertEquals(ROUNDS, seen.get());
    }
  }

  private static void watch(HandFed hand, AtomicInteger seen, AtomicInteger torn) {
    for (int round = 1; round <= ROUNDS; round++) {
      while (NativeMemory.getByte(hand.at(BYTES - 1)) != (byte) round) {
        if (Thread.currentThread().isInterrupted()) {
          return;
        }
        VarHandle.fullFence();
        Thread.onSpinWait();
      }
      VarHandle.acquireFence();
      for (int i = 0; i < BYTES; i += 7) {
        if (NativeMemory.getByte(hand.at(i)) != (byte) round) {
          torn.incrementAndGet();
          break;
        }
      }
      seen.set(round);
    }
  }
}
