// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static io.roce4j.transport.verbs.Bench.assertErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.roce4j.transport.memory.AccessFlags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The state table [rc 1.1], written a second time as text and compared cell by cell. */
class QueuePairTransitionsTest {
  private static final int[] TYPES = {QueuePairType.RC, QueuePairType.UC, QueuePairType.UD};
  private static final int[] STATES = {0, 1, 2, 3, 4, 5, 6};

  /** "type from to": "required / optional"; RESET and ERR as targets are added by rule. */
  private static final Map<String, String> TABLE = new HashMap<>();

  static {
    TABLE.put("RC RESET INIT", "PKEY_INDEX PORT ACCESS_FLAGS /");
    TABLE.put("RC INIT INIT", "/ PKEY_INDEX PORT ACCESS_FLAGS");
    TABLE.put(
        "RC INIT RTR",
        "AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER"
            + " / ALT_PATH ACCESS_FLAGS PKEY_INDEX");
    TABLE.put(
        "RC RTR RTS",
        "TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_RD_ATOMIC"
            + " / CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE");
    TABLE.put("RC RTS RTS", "/ CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER");
    TABLE.put("RC RTS SQD", "/ EN_SQD_ASYNC_NOTIFY");
    TABLE.put(
        "RC SQD SQD",
        "/ PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_RD_ATOMIC MAX_DEST_RD_ATOMIC ALT_PATH"
            + " ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE");
    TABLE.put("RC SQD RTS", "/ CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE");
    TABLE.put("UC RESET INIT", "PKEY_INDEX PORT ACCESS_FLAGS /");
    TABLE.put("UC INIT INIT", "/ PKEY_INDEX PORT ACCESS_FLAGS");
    TABLE.put("UC INIT RTR", "AV PATH_MTU DEST_QPN RQ_PSN / ALT_PATH ACCESS_FLAGS PKEY_INDEX");
    TABLE.put("UC RTR RTS", "SQ_PSN / CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE");
    TABLE.put("UC RTS RTS", "/ CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE");
    TABLE.put("UC RTS SQD", "/ EN_SQD_ASYNC_NOTIFY");
    TABLE.put("UC SQD SQD", "/ AV ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE");
    TABLE.put("UC SQD RTS", "/ CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE");
    TABLE.put("UC SQE RTS", "/ CUR_STATE ACCESS_FLAGS");
    TABLE.put("UD RESET INIT", "PKEY_INDEX PORT QKEY /");
    TABLE.put("UD INIT INIT", "/ PKEY_INDEX PORT QKEY");
    TABLE.put("UD INIT RTR", "/ PKEY_INDEX QKEY");
    TABLE.put("UD RTR RTS", "SQ_PSN / CUR_STATE QKEY");
    TABLE.put("UD RTS RTS", "/ CUR_STATE QKEY");
    TABLE.put("UD RTS SQD", "/ EN_SQD_ASYNC_NOTIFY");
    TABLE.put("UD SQD SQD", "/ PKEY_INDEX QKEY");
    TABLE.put("UD SQD RTS", "/ CUR_STATE QKEY");
    TABLE.put("UD SQE RTS", "/ CUR_STATE QKEY");
    for (int type : TYPES) {
      for (int from : STATES) {
        TABLE.put(key(type, from, QueuePairState.RESET), "/");
        if (from != QueuePairState.RESET) {
          TABLE.put(key(type, from, QueuePairState.ERR), "/");
        }
      }
    }
  }

  private final Bench bench = new Bench();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  private static String key(int type, int from, int to) {
    return QueuePairType.name(type)
        + " "
        + QueuePairState.name(from)
        + " "
        + QueuePairState.name(to);
  }

  static Stream<Arguments> cells() {
    List<Arguments> cells = new ArrayList<>();
    for (int type : TYPES) {
      for (int from : STATES) {
        for (int to : STATES) {
          if (from != QueuePairState.SQE || type != QueuePairType.RC) {
            cells.add(Arguments.of(key(type, from, to), type, from, to));
          }
        }
      }
    }
    return cells.stream();
  }

  private static int mask(String names) {
    int mask = 0;
    for (String name : names.trim().split(" ", -1)) {
      for (int bit = 0; bit < 26 && !name.isEmpty(); bit++) {
        if (AttributeMask.names(1 << bit).equals(name)) {
          mask |= 1 << bit;
        }
      }
    }
    return mask;
  }

  // [rc 1-14] [rc 1.1-1..10]
  @ParameterizedTest(name = "[rc 1] {0}")
  @MethodSource("cells")
  void everyTransitionTakesExactlyTheAttributesOfTheTable(String key, int type, int from, int to) {
    String row = TABLE.get(key);
    QueuePair qp = bench.queuePair(type, from);
    assertEquals(from, qp.state());
    if (row == null) {
      int everything = 0x1F_FFFF & ~AttributeMask.CUR_STATE & ~(1 << 19);
      assertRefused(qp, Bench.withMask(everything, from, to));
      assertRefused(qp, Bench.withMask(AttributeMask.STATE, from, to));
      return;
    }
    int slash = row.indexOf('/');
    int required = mask(row.substring(0, slash)) | AttributeMask.STATE;
    int optional = mask(row.substring(slash + 1));
    for (int bit = 0; bit <= 20; bit++) {
      int one = 1 << bit;
      if ((required & one) != 0) {
        assertRefused(qp, Bench.withMask(required & ~one, from, to));
        assertRefused(qp, Bench.withMask((required | optional) & ~one, from, to));
      } else if ((optional & one) == 0 && one != AttributeMask.CAP) {
        assertRefused(qp, Bench.withMask(required | one, from, to));
      }
    }
    assertTaken(qp, Bench.withMask(required, from, to), to);
    for (int bit = 0; bit <= 20; bit++) {
      if ((optional & 1 << bit) != 0) {
        QueuePair other = bench.queuePair(type, from);
        assertTaken(other, Bench.withMask(required | 1 << bit, from, to), to);
      }
    }
    assertTaken(bench.queuePair(type, from), Bench.withMask(required | optional, from, to), to);
  }

  private void assertRefused(QueuePair qp, QueuePairAttributes change) {
    int state = qp.state();
    bench.plane.calls.clear();
    VerbsException e = assertThrows(VerbsException.class, () -> qp.modify(change));
    assertEquals("EINVAL", e.errno());
    assertEquals(state, qp.state(), "queue pair unchanged");
    assertEquals(List.of(), bench.plane.calls);
  }

  private void assertTaken(QueuePair qp, QueuePairAttributes change, int to) {
    bench.plane.calls.clear();
    qp.modify(change);
    assertEquals(to, qp.state());
    assertEquals(1, bench.plane.calls.size());
  }

  @Test
  void currentStateMustBeTrue() {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.RTS);
    assertErrno(
        "EINVAL",
        "curQpState SQD is not the state: RTS",
        () ->
            qp.modify(
                new QueuePairAttributes().state(QueuePairState.RTS).curState(QueuePairState.SQD)));
  }

  @Test
  void refusalsNameTransitionAndAttributes() {
    QueuePair qp = bench.queuePair(QueuePairType.RC);
    assertErrno(
        "EINVAL",
        "RC RESET to INIT needs PORT",
        () ->
            qp.modify(
                new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).accessFlags(0)));
    assertErrno(
        "EINVAL",
        "RC RESET to RTS is not a transition",
        () -> qp.modify(new QueuePairAttributes().state(QueuePairState.RTS)));
    assertErrno(
        "EINVAL",
        "RC RESET to RESET takes no QKEY",
        () -> qp.modify(new QueuePairAttributes().state(QueuePairState.RESET).qkey(1)));
  }

  @Test
  void refusalByTheEngineUndoesTheModify() {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.INIT);
    bench.plane.refusal = new IllegalArgumentException("no route to 192.0.2.1");
    assertErrno(
        "EINVAL",
        "no route",
        () -> qp.modify(Bench.complete(QueuePairType.RC, QueuePairState.INIT, QueuePairState.RTR)));
    assertEquals(QueuePairState.INIT, qp.state());
    assertEquals(0, qp.attributes().destQpNum());
    bench.plane.refusal = new VerbsException("ENOMEM", "no more");
    assertErrno(
        "ENOMEM",
        "no more",
        () -> qp.modify(Bench.complete(QueuePairType.RC, QueuePairState.INIT, QueuePairState.RTR)));
    assertEquals(QueuePairState.INIT, qp.state());
    bench.plane.refusal = null;
    qp.modify(Bench.complete(QueuePairType.RC, QueuePairState.INIT, QueuePairState.RTR));
    assertEquals(34, qp.attributes().destQpNum());
  }

  // [rc 1-11] [rc 16-9]
  @Test
  void resetForgetsAttributesAndEmptiesBothQueues() {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.RTS);
    assertEquals(PostResult.OK, qp.postSend(bench.send()));
    assertEquals(PostResult.OK, qp.postReceive(new ReceiveRequest()));
    qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    assertEquals(qp.sendQueue().publishedTail(), qp.sendQueue().head());
    assertEquals(0, qp.receiveQueue().available());
    assertEquals(0, qp.attributes().destQpNum());
    assertEquals(false, bench.cq.poll(new WorkCompletion()));
  }

  @Test
  void connectTakesTwoQueuePairsToRts() {
    QueuePair a = bench.queuePair(QueuePairType.RC);
    QueuePair b = bench.queuePair(QueuePairType.RC);
    QueuePairs.connect(a, b, new QueuePairAttributes().timeout(8).pathMtuBytes(512));
    assertEquals(QueuePairState.RTS, a.state());
    assertEquals(QueuePairState.RTS, b.state());
    assertEquals(b.qpNum(), a.attributes().destQpNum());
    assertEquals(8, a.attributes().timeout());
    assertEquals(7, a.attributes().retryCnt());
    assertEquals(512, b.attributes().pathMtuBytes());
    QueuePair walker = bench.queuePair(QueuePairType.RC);
    walker.toInit(AccessFlags.REMOTE_READ);
    walker.toRtr(Bench.PEER, 9, 10);
    walker.toRts(11);
    assertEquals(QueuePairState.RTS, walker.state());
    assertEquals(AccessFlags.REMOTE_READ, walker.attributes().accessFlags());
    assertEquals(10, walker.attributes().rqPsn());
    QueuePair datagram = bench.queuePair(QueuePairType.UD);
    QueuePairs.readyDatagram(datagram, 0x1234, 77);
    assertEquals(QueuePairState.RTS, datagram.state());
    assertEquals(0x1234, datagram.attributes().qkey());
    QueuePair c = bench.queuePair(QueuePairType.UC);
    QueuePair d = bench.queuePair(QueuePairType.UC);
    QueuePairs.connect(c, d, null);
    assertEquals(QueuePairState.RTS, c.state());
    assertEquals(1024, d.attributes().pathMtuBytes());
  }
}
