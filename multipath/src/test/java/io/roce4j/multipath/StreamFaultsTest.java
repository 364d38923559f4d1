// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.packet.Bth;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several queue pairs as streams of one connection over four lossy paths: what happens to one
 * stream is nothing to the others [mx B.11-11].
 */
class StreamFaultsTest {
  private static final int STREAMS = 4;
  private static final int SICK = 2;
  private static final int MESSAGES = 60;
  private static final int SLICE = 3_000;
  private static final int SENDS = MESSAGES * SLICE;
  private static final long LIMIT_NS = 400_000_000;
  private static final long ONE_WAY_NS = 5_000;

  /** Loses packets of everybody, and on demand all of one stream. */
  private static final class StreamWeather extends RandomLoss {
    private int silenced = -1;

    StreamWeather() {
      super(ONE_WAY_NS, 61, 0.03, 0.03);
    }

    @Override
    int fate(Packet packet) {
      boolean own = packet.isNumbered() && Mxth.streamId(packet.bytes, Bth.LENGTH) == silenced;
      return own && packet.from == 0 ? DROP : super.fate(packet);
    }
  }

  private final StreamWeather weather = new StreamWeather();
  private final ModelNet net =
      new ModelNet(
          10_000_000_000L, weather, 8, 256, EndpointSettings.defaults().withBaseRttNs(20_000));
  private final ModelSide[] a = new ModelSide[STREAMS];
  private final ModelSide[] b = new ModelSide[STREAMS];

  private void connect() {
    MxSettings mx = RandomLossTest.settings(4).withStreams(8).withTrackerUnits(1);
    for (int i = 0; i < STREAMS; i++) {
      a[i] = side(0, mx, i);
      b[i] = side(1, mx, i + 50);
      if (i == 0) {
        ModelSide.connect(a[0], b[0], 1024, 18, 7);
      } else {
        ModelSide.join(a[i], b[i], a[0], b[0], i);
      }
    }
  }

  private ModelSide side(int index, MxSettings mx, int salt) {
    ModelSide side = new ModelSide(net, index, mx, "none", 2L * SENDS + SLICE, 0xFFFF80 + index);
    for (int i = 0; i < SENDS; i += 4) {
      NativeMemory.putInt(side.memory.address() + i, (salt * SENDS + i) * 0x9E3779B1);
    }
    return side;
  }

  @AfterEach
  void close() {
    net.close();
    for (int i = 0; i < STREAMS; i++) {
      a[i].memory.close();
      b[i].memory.close();
    }
  }

  /** WRITEs of every length in both directions of every stream but some. */
  private void postAll(int from, int to, int without) {
    for (int n = from; n < to; n++) {
      for (int i = 0; i < STREAMS; i++) {
        if (i != without) {
          write(a[i], b[i], n);
          write(b[i], a[i], n);
        }
      }
    }
  }

  private static int length(int n) {
    return n * 997 % SLICE;
  }

  private static void write(ModelSide from, ModelSide to, int n) {
    long at = (long) n * SLICE;
    assertEquals(0, from.write(n, at, to, SENDS + at, length(n)));
  }

  private void poll() {
    for (int i = 0; i < STREAMS; i++) {
      a[i].poll();
      b[i].poll();
    }
  }

  private boolean isDone(int without) {
    poll();
    for (int i = 0; i < STREAMS; i++) {
      if (i != without && (a[i].sent.size() < MESSAGES || b[i].sent.size() < MESSAGES)) {
        return false;
      }
    }
    return true;
  }

  /** The streams that nothing was done to have finished, in order, with the right bytes. */
  private void checkOthers() {
    for (int i = 0; i < STREAMS; i++) {
      if (i != SICK) {
        check(a[i], b[i]);
        check(b[i], a[i]);
        assertEquals(QueuePairState.RTS, a[i].queuePair.state(), "stream " + i);
        assertEquals(QueuePairState.RTS, b[i].queuePair.state(), "stream " + i);
      }
    }
  }

  private static void check(ModelSide from, ModelSide to) {
    for (int n = 0; n < MESSAGES; n++) {
      assertEquals(n, from.sent.get(n).wrId());
      assertEquals(WorkCompletionStatus.SUCCESS, from.sent.get(n).status());
      long at = (long) n * SLICE;
      for (int k = 0; k < length(n); k++) {
        assertEquals(
            NativeMemory.getByte(from.memory.address() + at + k),
            NativeMemory.getByte(to.memory.address() + SENDS + at + k));
      }
    }
  }

  private static void toError(ModelSide side) {
    side.queuePair.modify(new QueuePairAttributes().state(QueuePairState.ERR));
  }

  private void fault(String kind) {
    SendRequest request = new SendRequest().wrId(1_000).signaled(true);
    switch (kind) {
      case "key" -> {
        request.opcode(WorkRequestOpcode.RDMA_WRITE);
        request.sge(a[SICK].memory.address(), SLICE, a[SICK].region.lkey());
        request.remote(b[SICK].region.address(), b[SICK].region.rkey() + 1);
        a[SICK].post(request);
      }
      case "length" -> {
        b[SICK].receive(1, SENDS, 10);
        a[SICK].post(WorkRequestOpcode.SEND, 1_000, 0, b[SICK], 0, SLICE);
      }
      case "local memory" -> {
        request.opcode(WorkRequestOpcode.RDMA_WRITE);
        request.sge(a[SICK].memory.address(), SLICE, a[SICK].region.lkey() + 1);
        request.remote(b[SICK].region.address(), b[SICK].region.rkey());
        a[SICK].post(request);
      }
      case "read" -> {
        request.opcode(WorkRequestOpcode.RDMA_READ);
        request.sge(a[SICK].memory.address(), SLICE, a[SICK].region.lkey());
        request.remote(b[SICK].region.address() + b[SICK].region.length(), b[SICK].region.rkey());
        a[SICK].post(request);
      }
      case "flush here" -> toError(a[SICK]);
      case "flush there" -> toError(b[SICK]);
      default -> throw new IllegalArgumentException(kind);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"key", "length", "local memory", "read", "flush here", "flush there"})
  void aStreamThatFailsFailsAlone(String kind) {
    connect();
    postAll(0, MESSAGES / 2, -1);
    assertTrue(
        net.run(
            LIMIT_NS,
            () -> {
              poll();
              return a[SICK].sent.size() > 5;
            }));
    fault(kind);
    postAll(MESSAGES / 2, MESSAGES, SICK);
    int owed = MESSAGES / 2 + (kind.startsWith("flush") ? 0 : 1);
    assertTrue(
        net.run(LIMIT_NS, () -> isDone(SICK) && a[SICK].sent.size() == owed && isInError(a[SICK])),
        "every request of the stream that failed completes, too");
    boolean protocol = kind.equals("key") || kind.equals("length") || kind.equals("read");
    assertTrue(
        !protocol || net.run(LIMIT_NS, () -> isInError(b[SICK])), "the peer learns of the end");
    checkOthers();
    int good = 0;
    while (good < owed && a[SICK].sent.get(good).status() == WorkCompletionStatus.SUCCESS) {
      assertEquals(good, a[SICK].sent.get(good).wrId());
      good++;
    }
    assertTrue(good >= 5, "what was before the fault finished");
    for (int n = good + 1; n < owed; n++) {
      assertEquals(WorkCompletionStatus.WR_FLUSH_ERR, a[SICK].sent.get(n).status());
    }
    // Where nothing was wrong at the peer its queue pair ends when its own application ends it.
    if (!isInError(b[SICK])) {
      toError(b[SICK]);
    }
    assertTrue(
        net.run(
            LIMIT_NS, () -> streams(a[0]).ofId(SICK) == null && streams(b[0]).ofId(SICK) == null),
        "the number of the stream is free again");
  }

  private static boolean isInError(ModelSide... sides) {
    for (ModelSide side : sides) {
      if (side.queuePair.state() != QueuePairState.ERR) {
        return false;
      }
    }
    return true;
  }

  private static StreamSet streams(ModelSide owner) {
    return OperationsTest.connection(owner).streams;
  }

  /** More than four trackers of data of others pass a stream that has no receives. */
  @Test
  void aStreamWithoutReceivesStandsStillAlone() {
    connect();
    for (int n = 0; n < MESSAGES; n++) {
      long at = (long) n * SLICE;
      assertEquals(
          0, a[SICK].post(WorkRequestOpcode.SEND, n, at, b[SICK], 0, Math.max(1, length(n))));
    }
    postAll(0, MESSAGES, SICK);
    assertTrue(net.run(LIMIT_NS, () -> isDone(SICK)));
    checkOthers();
    assertTrue(a[SICK].sent.isEmpty());
    for (int n = 0; n < MESSAGES; n++) {
      b[SICK].receive(n, SENDS + (long) n * SLICE, SLICE);
    }
    assertTrue(net.run(LIMIT_NS, () -> isDone(SICK) && b[SICK].received.size() == MESSAGES));
    assertTrue(net.run(LIMIT_NS, () -> a[SICK].sent.size() == MESSAGES || pollOnce()));
    for (int n = 0; n < MESSAGES; n++) {
      assertEquals(n, b[SICK].received.get(n).wrId());
      assertEquals(Math.max(1, length(n)), b[SICK].received.get(n).bytes());
    }
  }

  private boolean pollOnce() {
    poll();
    return a[SICK].sent.size() == MESSAGES;
  }

  /** Nothing of one stream arrives for a while: the others finish long before it. */
  @Test
  void aMessageThatIsMissingHoldsUpItsOwnStreamOnly() {
    connect();
    assertTrue(net.run(LIMIT_NS, () -> streams(a[0]).ofId(SICK).open));
    weather.silenced = SICK;
    write(a[SICK], b[SICK], 1);
    for (int n = 0; n < MESSAGES; n++) {
      for (int i = 0; i < STREAMS; i++) {
        if (i != SICK) {
          write(a[i], b[i], n);
        }
      }
    }
    // Its one fragment keeps the tracker from moving on: 128 fragments may be in beyond it.
    assertTrue(
        net.run(
            LIMIT_NS,
            () -> {
              poll();
              return a[0].sent.size() > 5 && a[1].sent.size() > 5 && a[3].sent.size() > 5;
            }));
    assertTrue(a[SICK].sent.isEmpty());
    weather.silenced = -1;
    assertTrue(
        net.run(
            LIMIT_NS,
            () -> {
              poll();
              return a[SICK].sent.size() == 1
                  && a[0].sent.size() == MESSAGES
                  && a[1].sent.size() == MESSAGES
                  && a[3].sent.size() == MESSAGES;
            }));
    check(a[0], b[0]);
    check(a[1], b[1]);
    check(a[3], b[3]);
  }

  /**
   * The peer promises receives of one stream that it has not posted. What was begun on its word is
   * refused, holds the tracker, and is given up before the others stand still.
   */
  @Test
  void aStreamThatWasPromisedReceivesThereAreNotIsGivenUpForTheOthers() {
    Weather liar =
        new RandomLoss(ONE_WAY_NS, 62, 0.01, 0.01) {
          @Override
          int fate(Packet packet) {
            boolean speaksOfIt =
                packet.isSack()
                    && packet.from == 1
                    && packet.bytes.getByte(Bth.LENGTH + 39) == SICK;
            if (speaksOfIt) {
              packet.bytes.putByte(Bth.LENGTH + 37, (byte) 100); // rq_limit
            }
            return super.fate(packet);
          }
        };
    net.weather(liar);
    connect();
    write(a[SICK], b[SICK], 0);
    assertTrue(
        net.run(
            LIMIT_NS,
            () -> {
              poll();
              return a[SICK].sent.size() == 1;
            }));
    for (int n = 1; n < MESSAGES; n++) {
      a[SICK].post(WorkRequestOpcode.SEND, n, 0, b[SICK], 0, SLICE);
    }
    postAll(0, MESSAGES, SICK);
    assertTrue(net.run(LIMIT_NS, () -> isDone(SICK)), "the others go on");
    checkOthers();
    assertTrue(OperationsTest.counters(b[0]).rxRefused > 0, "the case did not come up");
    assertTrue(net.run(LIMIT_NS, () -> pollOnce()));
    assertEquals(WorkCompletionStatus.RNR_RETRY_EXC_ERR, a[SICK].sent.get(1).status());
    assertFalse(isInError(a[0]));
  }

  /** Stream numbers come round: each is used again as soon as both sides have let it go. */
  @Test
  void numbersOfStreamsAreUsedAgainAcrossTheirWrap() {
    connect();
    int[] numbers = {65_534, 65_535, 1, 65_535, 65_534, 1};
    for (int i = 1; i < STREAMS; i++) {
      toError(a[i]);
      toError(b[i]);
    }
    assertTrue(net.run(LIMIT_NS, () -> streams(a[0]).count() == 1 && streams(b[0]).count() == 1));
    MxSettings mx = RandomLossTest.settings(4).withStreams(8).withTrackerUnits(1);
    for (int number : numbers) {
      assertNull(streams(a[0]).ofId(number));
      ModelSide from = side(0, mx, number);
      ModelSide to = side(1, mx, number + 1);
      ModelSide.join(from, to, a[0], b[0], number);
      for (int n = 0; n < MESSAGES; n++) {
        write(from, to, n);
        write(to, from, n);
      }
      List<ModelSide> both = List.of(from, to);
      assertTrue(
          net.run(
              LIMIT_NS,
              () -> {
                both.forEach(ModelSide::poll);
                return from.sent.size() == MESSAGES && to.sent.size() == MESSAGES;
              }),
          "stream " + number);
      check(from, to);
      check(to, from);
      assertNotNull(streams(b[0]).ofId(number));
      toError(from);
      toError(to);
      assertTrue(
          net.run(
              LIMIT_NS,
              () -> streams(a[0]).ofId(number) == null && streams(b[0]).ofId(number) == null),
          "stream " + number + " is free again");
      from.close();
      to.close();
    }
    assertEquals(1, streams(a[0]).count());
    assertEquals(1, streams(b[0]).count());
  }
}
