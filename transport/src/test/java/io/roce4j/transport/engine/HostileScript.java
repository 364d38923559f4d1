// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.sequence.Psn;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Any bytes as the doings of a hostile peer and a busy application: well-formed packets with wrong
 * sequence, keys, lengths and opcodes, in every state of the queue pair. Memory outside the grant
 * stays as it was, the endpoint stays live, another queue pair does not notice.
 */
final class HostileScript {

  private static final int GRANT = 262_144;
  private static final int GRANT_BYTES = 65_536;
  private static final int MTU = 1024;
  private static final int OTHER = 0x55;
  private static final int QKEY = 0x1234;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int[] TYPES = {QueuePairType.RC, QueuePairType.UC, QueuePairType.UD};
  private static final int[] LENGTHS = {0, 1, 8, MTU - 1, MTU, MTU + 1, 4096, 65_536, 1 << 31};
  private static final int[] SENDS = {
    WorkRequestOpcode.SEND,
    WorkRequestOpcode.SEND_WITH_INV,
    WorkRequestOpcode.RDMA_WRITE,
    WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
    WorkRequestOpcode.RDMA_READ,
    WorkRequestOpcode.ATOMIC_FETCH_AND_ADD,
    WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
    WorkRequestOpcode.LOCAL_INV
  };

  private static HandFed hand;
  private static UnsafeBuffer memory;
  private static UnsafeBuffer canaries;
  private static MemoryRegion grant;
  private static MemoryWindow window;
  private static QueuePair other;
  private static int otherPsn;

  private final byte[] data;
  private int at;
  private final int type;
  private final EndpointPair.Wish wish = new EndpointPair.Wish();

  private HostileScript(byte[] data) {
    this.data = data;
    this.type = TYPES[next() % TYPES.length];
  }

  /** Plays one input: a byte for the type of the queue pair, then a byte for each doing. */
  static void play(byte[] data) {
    if (hand == null) {
      open();
    }
    new HostileScript(data).run();
  }

  private static void open() {
    hand =
        new HandFed(
            EndpointSettings.defaults()
                .withSourcePacketsPerSecond(0)
                .withTransmitTrains(8)
                .withTrainPackets(16));
    for (int i = 0; i < HandFed.MEMORY_BYTES; i += Long.BYTES) {
      NativeMemory.putLong(hand.at(i), canary(i));
    }
    memory = new UnsafeBuffer(new byte[0]);
    hand.memory.window(memory, 0, HandFed.MEMORY_BYTES);
    canaries = new UnsafeBuffer(new byte[HandFed.MEMORY_BYTES]);
    canaries.putBytes(0, memory, 0, HandFed.MEMORY_BYTES);
    grant = hand.pd.register(hand.at(GRANT), GRANT_BYTES, EndpointPair.ALL_ACCESS);
    window = hand.pd.allocateWindow(MemoryWindow.TYPE_2);
    other = hand.pd.createQueuePair(hand.settings(QueuePairType.RC).qpNumWish(OTHER));
    EndpointPair.bring(
        other, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, 0, new EndpointPair.Wish());
  }

  /** Gives back what {@link #play} opened; other tests count live memory. */
  static void close() {
    if (hand != null) {
      hand.close();
      hand = null;
    }
  }

  private static long canary(int i) {
    return i * 0x9E3779B97F4A7C15L + 7;
  }

  private int next() {
    return at < data.length ? data[at++] & 0xFF : 0;
  }

  private int next16() {
    return next() << 8 | next();
  }

  private void run() {
    hand.discardsSent = true;
    hand.qp = hand.pd.createQueuePair(hand.settings(type));
    bring();
    while (at < data.length) {
      switch (next() & 7) {
        case 0 -> changeState();
        case 1 -> post();
        case 2 -> receive();
        case 3 -> hand.advance(next16() * 10_000L);
        default -> attack();
      }
    }
    hand.settle();
    hand.completions();
    hand.discardsSent = false;
    check();
    hand.discardsSent = true;
    hand.qp.close();
    // What is still to come of the input must not disturb the next one.
    hand.advance(SECOND_NS);
    hand.completions();
    hand.asyncEvents();
  }

  private void bring() {
    QueuePair qp = hand.qp;
    if (type == QueuePairType.UD) {
      qp.modify(
          new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
      qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
      qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(HandFed.SEND_PSN));
      return;
    }
    EndpointPair.bring(
        qp, HandFed.PEER_QPN, HandFed.PEER, HandFed.SEND_PSN, HandFed.EXPECTED_PSN, wish);
  }

  private void changeState() {
    int state = next() % 7;
    try {
      hand.qp.modify(new QueuePairAttributes().state(state));
      if (state == QueuePairState.RESET && next() % 4 != 0) {
        bring();
      }
    } catch (VerbsException refused) {
      assertEquals("EINVAL", refused.errno());
    }
    hand.settle();
  }

  private void post() {
    int opcode = SENDS[next() % SENDS.length];
    int length = next16() % 5000;
    boolean atomic =
        opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD
            || opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP;
    SendRequest request =
        hand.send(1, opcode, GRANT + next() * 8L, atomic ? 8 : length)
            .remote(0x9000, 0x77)
            .invalidate(window.rkey());
    int flags = next();
    if ((flags & 1) != 0) {
      request.fence();
    }
    if ((flags & 6) == 6 && type == QueuePairType.RC) {
      request.bind(
          window,
          window.nextRkey(),
          grant,
          hand.at(GRANT),
          1000,
          AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
    }
    assertTrue(hand.qp.postSend(request.signaled((flags & 8) != 0)) <= 0);
    hand.settle();
  }

  private void receive() {
    int lkey = next() % 8 == 0 ? 0xBAD01 : hand.region.lkey();
    int length = next16() % 5000;
    assertTrue(
        hand.qp.postReceive(
                new ReceiveRequest().wrId(2).sge(hand.at(GRANT + next() * 8L), length, lkey))
            <= 0);
    hand.settle();
  }

  private void attack() {
    int opcode = next();
    if (opcode < 0xE0) {
      int base = type == QueuePairType.UC ? 0x20 : type == QueuePairType.UD ? 0x64 : 0;
      opcode = base | opcode % (type == QueuePairType.UD ? 2 : 0x18);
    }
    int psn = psn();
    if (!Opcode.isDefined(opcode)) {
      hand.injectSealed(opcode, HandFed.QPN, psn, next() % 40);
      return;
    }
    HandFed.Packet packet =
        hand.packet(opcode, psn)
            .bytes(Math.min(2000, LENGTHS[next() % LENGTHS.length] & 0xFFFF), next())
            .remote(address(), key(), length())
            .atomic(next16(), next16())
            .original(next16())
            .aeth(next(), next16())
            .invalidate(key())
            .immediate(next16())
            .qkey(next() % 8 == 0 ? QKEY + 1 : QKEY, 0x99);
    int flags = next();
    if ((flags & 1) != 0) {
      packet.ack();
    }
    if ((flags & 2) != 0) {
      packet.solicited();
    }
    if ((flags & 0xF0) == 0xF0) {
      packet.pkey(next16());
    }
    if ((flags & 0xCC) == 0x4C) {
      packet.damaged();
    }
    if ((flags & 0xCC) == 0x8C) {
      packet.from(0x0A000001);
    }
    packet.inject();
  }

  private int psn() {
    int how = next();
    int expected = hand.qp.query().rqPsn();
    int near = (how >> 3) - 16;
    return switch (how & 7) {
      case 0 -> Psn.add(HandFed.SEND_PSN, near);
      case 1 -> Psn.add(hand.qp.query().sqPsn(), near);
      case 2 -> Psn.add(expected, near);
      case 3 -> Psn.add(expected, next16() << 8 | next());
      default -> expected;
    };
  }

  private long address() {
    int how = next();
    return switch (how & 7) {
      case 0 -> -next16();
      case 1 -> hand.at(GRANT) - next16();
      case 2 -> hand.at(GRANT + GRANT_BYTES) - next16();
      case 3 -> (long) next16() << 48 | next16();
      default -> hand.at(GRANT) + next16() % (GRANT_BYTES / 8) * 8L;
    };
  }

  private int key() {
    int how = next();
    return switch (how & 7) {
      case 0 -> next16() << 16 | next16();
      case 1 -> grant.rkey() ^ 1 << (how >> 3);
      case 2, 3 -> window.rkey();
      default -> grant.rkey();
    };
  }

  private long length() {
    int how = next();
    return (how & 1) == 0
        ? LENGTHS[(how >> 1) % LENGTHS.length] & 0xFFFF_FFFFL
        : (how & 2) == 0 ? next16() : 0xFFFF_FFFFL - next();
  }

  /** The canaries stand, and a message of the other queue pair arrives. */
  private static void check() {
    checkCanaries(0, GRANT);
    checkCanaries(GRANT + GRANT_BYTES, HandFed.MEMORY_BYTES);
    other.postReceive(new ReceiveRequest().wrId(77).sge(hand.at(GRANT), 16, hand.region.lkey()));
    hand.packet(Opcode.RC_SEND_ONLY, otherPsn).to(OTHER).bytes(4, 1).ack().inject();
    assertEquals(List.of("77 SUCCESS"), hand.completions());
    List<HandFed.Sent> sent = hand.sent();
    assertTrue(
        sent.stream().anyMatch(p -> p.opcode() == Opcode.RC_ACK && p.psn() == otherPsn),
        sent::toString);
    otherPsn = Psn.next(otherPsn);
    assertEquals(QueuePairState.RTS, other.state());
  }

  private static void checkCanaries(int from, int to) {
    UnsafeBuffer now = new UnsafeBuffer(memory, from, to - from);
    boolean untouched = now.equals(new UnsafeBuffer(canaries, from, to - from));
    assertTrue(untouched, "memory outside the grant was written");
  }
}
