// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A peer that sends well-formed packets with wrong contents, in every state: memory outside the
 * grant stays as it was, nothing throws, another queue pair does not notice.
 */
class HostilePeerTest {

  private static final int GRANT = 262_144;
  private static final int GRANT_BYTES = 65_536;
  private static final int OTHER = 0x55;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void memoryOutsideTheGrantIsNeverTouched(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (HandFed hand = new HandFed()) {
      for (int i = 0; i < HandFed.MEMORY_BYTES; i++) {
        NativeMemory.putByte(hand.at(i), canary(i));
      }
      var grant = hand.pd.register(hand.at(GRANT), GRANT_BYTES, EndpointPair.ALL_ACCESS);
      int type = seed % 3 == 0 ? QueuePairType.UC : QueuePairType.RC;
      EndpointPair.Wish wish = new EndpointPair.Wish();
      hand.rtr(type, wish);
      QueuePair other = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).qpNumWish(OTHER));
      EndpointPair.bring(other, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, 0, wish);
      for (int round = 0; round < 3000; round++) {
        revive(hand, type, wish, random);
        attack(hand, grant.rkey(), type, random);
        hand.completions();
        hand.sent();
      }
      for (int i = 0; i < HandFed.MEMORY_BYTES; i++) {
        if (i < GRANT || i >= GRANT + GRANT_BYTES) {
          assertEquals(canary(i), NativeMemory.getByte(hand.at(i)), "byte " + i);
        }
      }
      other.postReceive(new ReceiveRequest().wrId(77).sge(hand.at(GRANT), 16, hand.region.lkey()));
      hand.packet(Opcode.RC_SEND_ONLY, 0).to(OTHER).bytes(4, 1).ack().inject();
      assertEquals(List.of("77 SUCCESS"), hand.completions());
      assertEquals(QueuePairState.RTR, rtrOrRts(other.state()));
    }
  }

  private static int rtrOrRts(int state) {
    return state == QueuePairState.RTS ? QueuePairState.RTR : state;
  }

  private static byte canary(int i) {
    return (byte) (i * 37 + 11);
  }

  /** Takes the queue pair back to a state in which it can be attacked; posts now and then. */
  private static void revive(
      HandFed hand, int type, EndpointPair.Wish wish, SplittableRandom random) {
    int state = hand.qp.state();
    if (state == QueuePairState.ERR && random.nextInt(4) != 0) {
      hand.qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
      hand.qp.toInit(wish.access);
      hand.qp.modify(
          EndpointPair.rtr(hand.qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.EXPECTED_PSN, wish));
    } else if (state == QueuePairState.RTR && random.nextInt(3) == 0) {
      hand.qp.modify(EndpointPair.rts(hand.qp, HandFed.SEND_PSN, wish));
    }
    int choice = random.nextInt(8);
    if (choice == 0) {
      hand.qp.postReceive(
          new ReceiveRequest()
              .wrId(1)
              .sge(hand.at(GRANT), random.nextInt(4096), hand.region.lkey()));
    } else if (choice == 1 && type == QueuePairType.RC) {
      hand.qp.postSend(
          hand.send(2, WorkRequestOpcode.RDMA_READ, GRANT, random.nextInt(3000))
              .remote(0x9000, 0x77));
    } else if (choice == 2) {
      hand.qp.postSend(hand.send(3, WorkRequestOpcode.SEND, GRANT, random.nextInt(3000)));
    }
    if (random.nextInt(50) == 0) {
      hand.advance(random.nextLong(100_000_000L));
    }
  }

  private static void attack(HandFed hand, int rkey, int type, SplittableRandom random) {
    int opcode = random.nextInt(0x1E) | (type == QueuePairType.UC ? 0x20 : 0);
    if (random.nextInt(20) == 0) {
      opcode = random.nextInt(256);
    }
    if (!Opcode.isDefined(opcode)) {
      hand.injectSealed(opcode, HandFed.QPN, psn(hand, random), random.nextInt(40));
      return;
    }
    HandFed.Packet packet =
        hand.packet(opcode, psn(hand, random))
            .bytes(payload(random), random.nextInt(100))
            .remote(address(hand, random), key(rkey, random), length(random))
            .atomic(random.nextLong(), random.nextLong())
            .original(random.nextLong())
            .aeth(random.nextInt(256), random.nextInt(1 << 24))
            .invalidate(key(rkey, random))
            .immediate(random.nextInt());
    if (random.nextBoolean()) {
      packet.ack();
    }
    packet.inject();
  }

  private static int psn(HandFed hand, SplittableRandom random) {
    int expected = hand.qp.query().rqPsn();
    return switch (random.nextInt(10)) {
      case 0 -> random.nextInt(1 << 24);
      case 1 -> (expected - random.nextInt(10)) & 0xFFFFFF;
      case 2 -> (expected + random.nextInt(10)) & 0xFFFFFF;
      case 3 -> HandFed.SEND_PSN + random.nextInt(20);
      default -> expected;
    };
  }

  private static int payload(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> 1024;
      case 1 -> 0;
      case 2 -> 8;
      default -> random.nextInt(1100);
    };
  }

  private static long address(HandFed hand, SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong();
      case 1 -> -random.nextLong(5000);
      case 2 -> hand.at(GRANT - random.nextInt(2000));
      case 3 -> hand.at(GRANT + GRANT_BYTES - random.nextInt(2000));
      case 4 -> hand.at(GRANT + GRANT_BYTES + random.nextInt(2000));
      default -> hand.at(GRANT + random.nextInt(GRANT_BYTES / 8) * 8L);
    };
  }

  private static int key(int rkey, SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt();
      case 1 -> rkey ^ (1 << random.nextInt(32));
      default -> rkey;
    };
  }

  private static long length(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextLong(1L << 32);
      case 1 -> 0xFFFF_FFFFL;
      case 2 -> 0;
      case 3 -> 1024;
      default -> random.nextLong(5000);
    };
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void unknownQueuePairsCostNoMemoryAndGiveNoAnswer(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (HandFed hand = new HandFed()) {
      hand.rts(new EndpointPair.Wish());
      long before = NativeMemory.liveBytes();
      for (int i = 0; i < 5000; i++) {
        hand.packet(Opcode.RC_SEND_ONLY, i).to(1000 + random.nextInt(1 << 23)).inject();
      }
      assertEquals(5000, hand.counter("drop_unknown_qp"));
      assertEquals(List.of(), hand.said());
      assertEquals(before, NativeMemory.liveBytes());
      assertTrue(hand.agent.nextDeadlineNs() == Long.MAX_VALUE);
    }
  }
}
