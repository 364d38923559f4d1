// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static io.roce4j.transport.verbs.Bench.assertErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AttributeRangesTest {
  private final Bench bench = new Bench();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  private void refused(int from, int to, String part, Consumer<QueuePairAttributes> spoil) {
    QueuePair qp = bench.queuePair(QueuePairType.RC, from);
    QueuePairAttributes change = Bench.complete(QueuePairType.RC, from, to);
    spoil.accept(change);
    assertErrno("EINVAL", part, () -> qp.modify(change));
    assertEquals(from, qp.state());
  }

  private void refusedToRtr(String part, Consumer<QueuePairAttributes> spoil) {
    refused(QueuePairState.INIT, QueuePairState.RTR, part, spoil);
  }

  private void refusedToRts(String part, Consumer<QueuePairAttributes> spoil) {
    refused(QueuePairState.RTR, QueuePairState.RTS, part, spoil);
  }

  // [rc 1.1-11]
  @ParameterizedTest(name = "[FC-10] {0}")
  @ValueSource(ints = {0x0100_0000, 0x01FF_FFFF, 0xFF00_0000, -1})
  void numbersWiderThan24BitsAreRefused(int value) {
    String shown = Integer.toUnsignedString(value);
    refusedToRts("sqPsn " + shown, a -> a.sqPsn(value));
    refusedToRtr("rqPsn " + shown, a -> a.rqPsn(value));
    refusedToRtr("destQpNum " + shown, a -> a.destQpNum(value));
    assertErrno(
        "EINVAL",
        "qpn",
        () -> bench.pd.createQueuePair(bench.settings(QueuePairType.RC).qpNumWish(value)));
  }

  // [rc 1.1-13]
  @ParameterizedTest(name = "[FC-15] {0}")
  @ValueSource(ints = {8, 255, -1})
  void rnrRetryAboveSevenIsRefused(int value) {
    refusedToRts("rnrRetry", a -> a.rnrRetry(value));
    refusedToRts("retryCnt", a -> a.retryCnt(value));
  }

  // [rc 1.1-13]
  @ParameterizedTest(name = "[FC-15] {0}")
  @ValueSource(ints = {0, 1, 6, 7})
  void rnrRetryUpToSevenIsTaken(int value) {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.RTR);
    qp.modify(
        Bench.complete(QueuePairType.RC, QueuePairState.RTR, QueuePairState.RTS).rnrRetry(value));
    assertEquals(value, qp.query().rnrRetry());
  }

  // [rc 1.1-12]
  @Test
  void timerCodesHaveFiveBits() {
    refusedToRts("timeout 32: allowed 0..31", a -> a.timeout(32));
    refusedToRtr("minRnrTimer 32: allowed 0..31", a -> a.minRnrTimer(32));
  }

  // [rc 1.1-14] [rc 23-2]
  @Test
  void readDepthIsBoundByTheDevice() {
    refusedToRts("maxRdAtomic 129: allowed 0..128", a -> a.maxRdAtomic(129));
    refusedToRtr("maxDestRdAtomic 129: allowed 0..128", a -> a.maxDestRdAtomic(129));
  }

  // [rc 1.1-15]
  @ParameterizedTest(name = "{0}")
  @ValueSource(ints = {0, 1, 255, 257, 1023, 8192, 9000, -1})
  void pathMtuIsOneOfFive(int mtu) {
    refusedToRtr("pathMtu " + mtu + ": allowed 256 512 1024 2048 4096", a -> a.pathMtuBytes(mtu));
  }

  // [rc 1.1-15]
  @Test
  void pathMtuAboveTheActiveMtuIsRefusedWithTheCure() {
    // [FC-55] 4096 on a link of 1500.
    refusedToRtr(
        "pathMtu 4096 is above the port's active MTU 1024 (interface MTU 1500)",
        a -> a.pathMtuBytes(4096));
    refusedToRtr("raise the interface MTU", a -> a.pathMtuBytes(2048));
  }

  @ParameterizedTest(name = "[FC-55] interface MTU {0} carries {1}")
  @CsvSource({
    "1500, 1024",
    "2200, 2048",
    "4200, 4096",
    "9000, 4096",
    "65536, 4096",
    "1279, 1024",
    "1119, 512",
    "300, 256",
    "351, 256",
    "352, 256"
  })
  void bestPathMtuFitsTheInterface(int interfaceMtu, int best) {
    assertEquals(best, PathMtu.best(interfaceMtu));
  }

  @Test
  void pathMtuCodesAreLibibverbs() {
    int[] bytes = {256, 512, 1024, 2048, 4096};
    for (int i = 0; i < bytes.length; i++) {
      assertEquals(i + 1, PathMtu.code(bytes[i]));
      assertEquals(bytes[i], PathMtu.bytes(i + 1));
    }
  }

  @Test
  void portPkeyAndAccessAreChecked() {
    refused(QueuePairState.RESET, QueuePairState.INIT, "portNum 2: allowed 1", a -> a.portNum(2));
    refused(
        QueuePairState.RESET,
        QueuePairState.INIT,
        "pkeyIndex 1: allowed 0..0",
        a -> a.pkeyIndex(1));
    refused(
        QueuePairState.RESET,
        QueuePairState.INIT,
        "MW_BIND",
        a -> a.accessFlags(AccessFlags.REMOTE_READ | AccessFlags.MW_BIND));
  }

  @Test
  void pathMigrationStateAndAlternatePathAreChecked() {
    refusedToRts("pathMigState 3", a -> a.pathMigState(3));
    refusedToRts("alternate timeout 32", a -> a.alternatePath(Bench.PEER, 32));
    refusedToRts("address vector", a -> a.alternatePath(null, 3));
    refusedToRtr("address vector", a -> a.addressVector(null));
  }

  @Test
  void addressVectorNamesWhatIsOutOfRange() {
    AddressVector good = Bench.PEER;
    assertErrno("EINVAL", "hopLimit 0: allowed 1..255", () -> good.withHopLimit(0));
    assertErrno("EINVAL", "trafficClass 256", () -> good.withTrafficClass(256));
    assertErrno("EINVAL", "flowLabel 1048576", () -> good.withFlowLabel(1 << 20));
    assertErrno("EINVAL", "udpPort 0", () -> good.withUdpPort(0));
    assertErrno("EINVAL", "udpSourcePort 65536", () -> good.withUdpSourcePort(65536));
    assertErrno("EINVAL", "destination ::", () -> AddressVector.of(0, 0));
    assertEquals(4791, good.udpPort());
    assertEquals(64, good.hopLimit());
    assertEquals(
        AddressVector.ANY_SOURCE_PORT,
        good.withUdpSourcePort(50000).withUdpSourcePort(-1).udpSourcePort());
  }
}
