// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.ip.Gid;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The active side against a peer played by hand: repetition, answers twice, strange answers. */
class CmActiveTest {
  private final CmNet net = new CmNet();
  private CmNet.Side side;
  private RdmaCmId id;
  private CmRecord req;

  @BeforeEach
  void open() {
    side = net.add("192.0.2.2");
  }

  @AfterEach
  void close() {
    net.close();
  }

  private void connect() {
    id = side.resolved(PortSpace.TCP, HandPeer.ADDRESS, HandPeer.PORT);
    id.connect(new ConnectionParameters().responderResources(1).initiatorDepth(1));
    net.settle();
    req = net.take(CmAttribute.REQ);
  }

  private void answer(CmRecord mad) {
    side.inject(HandPeer.ADDRESS, mad);
  }

  private CmRecord rep() {
    return HandPeer.rep(req);
  }

  @Test
  void aPeerThatNeverAnswers() { // [cm 8]
    connect();
    long first = net.nowNs;
    net.runFor(200_000 * CmNet.MS);
    assertEquals(15, net.sent.size());
    for (int i = 0; i < 15; i++) {
      assertEquals(req, net.sent.get(i).mad());
      assertEquals(first + (i + 1) * 4_608L * CmNet.MS, net.sent.get(i).atNs());
    }
    assertEquals(CmEvent.TIMED_OUT, side.expect(CmEventType.UNREACHABLE).status());
    side.expectNothing();
    assertEquals(0, side.cm.connections());
    assertEquals(QueuePairState.ERR, id.queuePair().state());
  }

  @Test
  void anMraMakesTheIntervalLongerAndTheCountGoesOn() { // [cm 8]
    connect();
    CmRecord mra = HandPeer.answer(CmAttribute.MRA, req).with("serviceTimeout", 19);
    answer(mra);
    long from = net.nowNs;
    answer(mra);
    assertEquals(1, side.count(CounterId.CM_RX_DUPLICATES_MRA));
    net.runFor(200_000 * CmNet.MS);
    assertEquals(15, net.sent.size());
    // 2^11 ms and, for the ACK timeout code 17 of the REQ, 2^9 ms.
    assertEquals(from + 2_560 * CmNet.MS, net.sent.get(0).atNs());
    assertEquals(from + 15 * 2_560L * CmNet.MS, net.sent.get(14).atNs());
    side.expect(CmEventType.UNREACHABLE);
  }

  @Test
  void anMraCannotMakeItWaitForHours() {
    connect();
    answer(HandPeer.answer(CmAttribute.MRA, req).with("serviceTimeout", 31));
    net.runFor(16 * 120_000L * CmNet.MS);
    assertEquals(15, net.sent.size());
    side.expect(CmEventType.UNREACHABLE);
  }

  @Test
  void aRepeatedReplyIsAnsweredEachTime() { // [cm 10]
    connect();
    answer(rep());
    CmRecord rtu = net.take(CmAttribute.RTU);
    for (int i = 0; i < 3; i++) {
      answer(rep().with("startingPsn", i)); // the two ids count, nothing else
      assertEquals(rtu, net.take(CmAttribute.RTU));
    }
    answer(rep().with("localCommId", 0x99));
    assertEquals(0, net.sent.size());
    side.expect(CmEventType.ESTABLISHED);
    side.expectNothing();
    assertEquals(0x123456, id.queuePair().query().sqPsn());
    assertEquals(3, side.count(CounterId.CM_RX_DUPLICATES_REP));
  }

  @Test
  void aReplyForSomebodyElseIsDropped() {
    connect();
    answer(rep().with("remoteCommId", req.get("localCommId") ^ 1));
    assertEquals(0, net.sent.size());
    side.expectNothing();
    answer(rep());
    side.expect(CmEventType.ESTABLISHED);
  }

  @ParameterizedTest
  @CsvSource({
    "localQpn, 0", "responderResources, 255", "initiatorDepth, 255", "endToEndFlowControl, 1",
    "targetAckDelay, 31", "targetAckDelay, 0", "localCaGuid, 0", "localCommId, 0",
    "rnrRetryCount, 0", "failoverAccepted, 3"
  })
  void repliesThatAreStrangeButUsable(String field, int value) { // [cm 10]
    connect();
    answer(rep().with(field, value));
    net.take(CmAttribute.RTU);
    side.expect(CmEventType.ESTABLISHED);
    QueuePairAttributes attributes = id.queuePair().query();
    assertTrue(attributes.maxRdAtomic() <= 1);
    assertTrue(attributes.maxDestRdAtomic() <= 1);
    assertTrue(attributes.timeout() >= 15 && attributes.timeout() <= 24);
  }

  @Test
  void aRejectionIsReportedOnceAndEndsIt() { // [FC-28]
    connect();
    byte[] data = new byte[148];
    Arrays.fill(data, (byte) 5);
    CmRecord rej =
        CmRecord.of(CmAttribute.REJ, req.transactionId())
            .with("remoteCommId", req.get("localCommId"))
            .with("reason", 28)
            .withPrivateData(data);
    answer(rej);
    answer(rej);
    CmEvent rejected = side.expect(CmEventType.REJECTED);
    assertEquals(28, rejected.status());
    assertEquals(5, rejected.privateData()[147]);
    side.expectNothing();
    assertEquals(QueuePairState.ERR, id.queuePair().state());
    assertEquals(0, side.cm.connections());
    net.runFor(200_000 * CmNet.MS);
    assertEquals(0, net.sent.size());
  }

  @Test
  void aStaleRejectionKeepsTheNumbersForAWhile() { // [cm 10]
    connect();
    answer(
        CmRecord.of(CmAttribute.REJ, req.transactionId())
            .with("remoteCommId", req.get("localCommId"))
            .with("reason", 10));
    assertEquals(10, side.expect(CmEventType.REJECTED).status());
    assertEquals(1, side.cm.connections());
    net.runFor(1_000 * CmNet.MS);
    side.expect(CmEventType.TIMEWAIT_EXIT);
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aRejectOfSomethingElseIsIgnored() {
    connect();
    CmRecord rej =
        HandPeer.answer(CmAttribute.REJ, req).with("reason", 28).with("messageRejected", 1);
    answer(rej);
    side.expectNothing();
    answer(rep());
    side.expect(CmEventType.ESTABLISHED);
    answer(rej);
    answer(rej.with("messageRejected", 0));
    answer(rej.with("messageRejected", 2).with("localCommId", 0x77));
    side.expectNothing();
    assertEquals(QueuePairState.RTS, id.queuePair().state());
    // The peer takes its REP back because no RTU came.
    answer(rej.with("messageRejected", 2));
    side.expect(CmEventType.DISCONNECTED);
    assertEquals(QueuePairState.ERR, id.queuePair().state());
  }

  @Test
  void aReplyWithAQueuePairStillConnectedIsStale() { // [FC-27] [FC-28]
    connect();
    answer(rep());
    net.take(CmAttribute.RTU);
    side.expect(CmEventType.ESTABLISHED);
    connect();
    answer(rep().with("localCommId", 0x22));
    CmRecord dreq = net.take(CmAttribute.DREQ);
    assertEquals(HandPeer.COMM_ID, dreq.get("remoteCommId"));
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(10, rej.get("reason"));
    assertEquals(1, rej.get("messageRejected"));
    assertEquals(0x22, rej.get("remoteCommId"));
    assertEquals(CmEvent.STALE, side.expect(CmEventType.CONNECT_ERROR).status());
    assertEquals(QueuePairState.ERR, id.queuePair().state());
  }

  @Test
  void aReplyTheQueuePairCannotTakeIsRejected() { // [FC-28]
    connect();
    id.queuePair().close();
    answer(rep());
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(1, rej.get("messageRejected"));
    assertEquals(28, rej.get("reason"));
    assertEquals(CmEvent.INVALID, side.expect(CmEventType.CONNECT_ERROR).status());
    net.runFor(1_000 * CmNet.MS);
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aClientThatGivesUpSaysSo() { // [cm 8]
    connect();
    id.close();
    net.settle();
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(4, rej.get("reason"));
    assertEquals(2, rej.get("messageRejected"));
    assertEquals(req.get("localCommId"), rej.get("localCommId"));
    assertEquals(0, rej.get("remoteCommId"));
    assertEquals(8, rej.get("rejectedInfoLength"));
    assertEquals(
        HexFormat.of().toHexDigits(side.cm.nodeGuid()),
        HexFormat.of().formatHex(rej.additionalInfo(), 0, 8));
    assertEquals(0, side.cm.connections());
    net.runFor(200_000 * CmNet.MS);
    assertEquals(0, net.sent.size());
    answer(rep());
    side.expectNothing();
  }

  @Test
  void aDisconnectNobodyAnswersEndsAllTheSame() { // [cm 8]
    connect();
    answer(rep());
    net.take(CmAttribute.RTU);
    side.expect(CmEventType.ESTABLISHED);
    id.disconnect();
    net.runFor(200_000 * CmNet.MS);
    assertEquals(16, net.sent.size());
    side.expect(CmEventType.DISCONNECTED);
    side.expect(CmEventType.TIMEWAIT_EXIT);
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aClosedIdsDisconnectIsRepeatedUntilItIsAnswered() {
    connect();
    answer(rep());
    net.take(CmAttribute.RTU);
    side.expect(CmEventType.ESTABLISHED);
    id.close();
    net.runFor(10_000 * CmNet.MS);
    assertEquals(3, net.sent.size());
    CmRecord dreq = net.sent.get(2).mad();
    net.sent.clear();
    answer(HandPeer.answer(CmAttribute.DREP, dreq));
    net.runFor(200_000 * CmNet.MS);
    assertEquals(0, net.sent.size());
    side.expectNothing();
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aDatagramServiceThatNeverAnswers() { // [cm 11]
    id = side.resolved(PortSpace.UDP, HandPeer.ADDRESS, HandPeer.PORT);
    id.connect(new ConnectionParameters());
    long first = net.nowNs;
    net.runFor(200_000 * CmNet.MS);
    assertEquals(16, net.sent.size());
    assertEquals(first + 4_096 * CmNet.MS, net.sent.get(1).atNs());
    assertEquals(CmEvent.TIMED_OUT, side.expect(CmEventType.UNREACHABLE).status());
    assertEquals(0, side.cm.connections());
  }

  @ParameterizedTest
  @CsvSource({"0, 16, 17", "1, 0, 15", "14, 13, 16", "19, 18, 19", "31, 30, 31"})
  void ackTimeoutByHand(int code, int life, int inReq) { // [FC-29]
    assertEquals(life, CmTimes.packetLifeCode(code, side.cm.settings().packetLifeCode()));
    id = side.cm.createId(side.channel, PortSpace.TCP);
    id.ackTimeoutCode(code);
    id.resolveAddress(HandPeer.ADDRESS, HandPeer.PORT);
    id.resolveRoute();
    id.queuePair(side.queuePair(io.roce4j.transport.verbs.QueuePairType.RC));
    id.connect(new ConnectionParameters());
    net.settle();
    req = net.take(CmAttribute.REQ);
    assertEquals(inReq, req.get("primaryLocalAckTimeout"));
    answer(rep());
    assertEquals(code, id.queuePair().query().timeout());
  }

  @Test
  void theFormulaForTheAckTimeout() { // [cm 8]
    assertEquals(17, CmTimes.ackTimeoutCode(16, 15));
    assertEquals(19, CmTimes.ackTimeoutCode(18, 15));
    assertEquals(31, CmTimes.ackTimeoutCode(31, 31));
    assertEquals(2, CmTimes.ackTimeoutCode(0, 0));
    assertEquals(21, CmTimes.ackTimeoutCode(3, 21));
  }

  @Test
  void addressesAndStepsOutOfOrder() {
    RdmaCmId fresh = side.cm.createId(side.channel, PortSpace.TCP);
    Gid peer = HandPeer.ADDRESS;
    assertEquals(
        "EINVAL",
        assertThrows(VerbsException.class, () -> fresh.connect(new ConnectionParameters()))
            .errno());
    assertThrows(VerbsException.class, fresh::resolveRoute);
    assertThrows(VerbsException.class, fresh::disconnect);
    assertThrows(VerbsException.class, () -> fresh.accept(new ConnectionParameters()));
    assertThrows(VerbsException.class, () -> fresh.resolveAddress(Gid.parse("fd00::1"), 1));
    assertThrows(VerbsException.class, () -> fresh.resolveAddress(peer, 0));
    assertThrows(VerbsException.class, () -> fresh.bindAddress(peer, 1));
    side.port.unreachable.add(peer);
    fresh.resolveAddress(peer, 1);
    assertEquals(-113, side.expect(CmEventType.ADDR_ERROR).status());
    side.port.unreachable.clear();
    fresh.resolveAddress(peer, 1);
    fresh.resolveRoute();
    VerbsException without =
        assertThrows(VerbsException.class, () -> fresh.connect(new ConnectionParameters()));
    assertTrue(without.getMessage().contains("queue pair"), without.getMessage());
    fresh.close();
    fresh.close();
    assertThrows(VerbsException.class, () -> fresh.listen(0));
    side.expectNothing();
    assertEquals(0, net.sent.size());
  }
}
