// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
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
import org.junit.jupiter.params.provider.ValueSource;

/** The passive side against a peer played by hand: what is checked, answered, repeated, ignored. */
class CmPassiveTest {
  private final CmNet net = new CmNet();
  private CmNet.Side side;
  private RdmaCmId listener;

  @BeforeEach
  void open() {
    side = net.add("192.0.2.2");
    listener = side.listen(PortSpace.TCP, HandPeer.PORT, 8);
  }

  @AfterEach
  void close() {
    net.close();
  }

  private void req(CmRecord changed) {
    side.inject(HandPeer.ADDRESS, changed);
  }

  private CmRecord usual() {
    return HandPeer.req(side.address);
  }

  /** A header with bytes changed. */
  private CmRecord withHeader(String hexAtStart, int offset) {
    byte[] header = HandPeer.header(HandPeer.ADDRESS, side.address);
    byte[] patch = HexFormat.of().parseHex(hexAtStart);
    System.arraycopy(patch, 0, header, offset, patch.length);
    return usual().withPrivateData(header);
  }

  private void expectReject(int reason) {
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(reason, rej.get("reason"));
    assertEquals(0, rej.get("messageRejected"));
    assertEquals(0, rej.get("localCommId"));
    assertEquals(HandPeer.COMM_ID, rej.get("remoteCommId"));
    assertEquals(HandPeer.TID, rej.transactionId());
    side.expectNothing();
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aServiceNobodyServes() { // [cm 6.4]
    req(usual().with("serviceId", 0x0106_0001L));
    expectReject(8);
    side.inject(HandPeer.ADDRESS, HandPeer.sidrReq(side.address));
    assertEquals(1, net.take(CmAttribute.SIDR_REP).get("status"));
  }

  @Test
  void aForeignGidIsAnsweredWithOurs() { // [cm 6.5]
    req(usual().with("primaryRemoteGidLow", Gid.parse("192.0.2.77").low()));
    CmRecord rej = net.sent.get(0).mad();
    expectReject(12);
    assertEquals(16, rej.get("rejectedInfoLength"));
    byte[] own = new byte[72];
    System.arraycopy(HexFormat.of().parseHex("00000000000000000000ffffc0000202"), 0, own, 0, 16);
    assertArrayEquals(own, rej.additionalInfo());
  }

  @ParameterizedTest
  @CsvSource({
    "01, 0", // version [cm 6.6]
    "0050, 0", // IP version 5
    "0060, 0", // IPv6 to an IPv4 endpoint
    "e0000001, 16", // source is a group [cm 6.7]
    "ffffffff, 16",
    "00000000, 16",
    "7f000001, 16",
    "c0000263, 32", // destination is not the endpoint [cm 6.8]
  })
  void headersThatAreRefused(String hex, int offset) {
    req(withHeader(hex, offset));
    expectReject(28);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void onlyReliableConnectionsInPortSpaceTcp(int type) { // [cm 6.8]
    req(usual().with("transportServiceType", type));
    expectReject(28);
  }

  @Test
  void loopbackAddressesAreForLoopbackEndpoints() {
    CmNet.Side local = net.add("127.0.0.2");
    local.listen(PortSpace.TCP, HandPeer.PORT, 0);
    Gid peer = Gid.parse("127.0.0.1");
    local.inject(
        peer,
        HandPeer.req(local.address)
            .with("primaryLocalGidLow", peer.low())
            .withPrivateData(HandPeer.header(peer, local.address)));
    local.expect(CmEventType.CONNECT_REQUEST);
  }

  @ParameterizedTest
  @CsvSource({
    "pathMtu, 0",
    "pathMtu, 5",
    "pathMtu, 15",
    "localCommId, 0",
    "localCaGuid, 0",
    "localQpn, 0",
    "primaryLocalLid, 1",
    "primarySubnetLocal, 1",
    "primaryHopLimit, 0",
    "partitionKey, 32767",
    "endToEndFlowControl, 1",
    "responderResources, 255",
    "initiatorDepth, 255",
    "maxCmRetries, 0",
    "primaryLocalAckTimeout, 0",
    "primaryLocalAckTimeout, 31",
    "localCmResponseTimeout, 31"
  })
  void fieldsThatAreNotChecked(String field, int value) {
    req(usual().with(field, value));
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    id.queuePair(side.queuePair(QueuePairType.RC));
    id.accept(new ConnectionParameters());
    net.settle();
    CmRecord rep = net.take(CmAttribute.REP);
    assertTrue(rep.get("responderResources") <= 128);
    assertTrue(rep.get("initiatorDepth") <= 128);
    QueuePairAttributes attributes = id.queuePair().query();
    assertEquals(1_024, attributes.pathMtuBytes());
    assertEquals(!field.equals("endToEndFlowControl"), attributes.ignoresCredits()); // [rc 5-11]
    assertTrue(attributes.timeout() > 0 && attributes.timeout() <= 24, "" + attributes.timeout());
  }

  @Test
  void theReplyGoesToTheGidOfTheRequestWhateverTheSource() {
    side.inject(Gid.parse("192.0.2.50"), usual());
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    id.queuePair(side.queuePair(QueuePairType.RC));
    id.accept(new ConnectionParameters());
    net.settle();
    assertEquals(HandPeer.ADDRESS, net.sent.get(0).to());
    side.inject(Gid.parse("192.0.2.50"), usual().with("localCommId", 5).with("serviceId", 1));
    assertEquals(10, net.sent.get(1).mad().get("reason")); // the queue pair is known
    assertEquals(Gid.parse("192.0.2.50"), net.sent.get(1).to());
  }

  @Test
  void anAddressThatCannotBeReachedIsCountedAndForgotten() {
    side.port.unreachable.add(HandPeer.ADDRESS);
    req(usual());
    side.expectNothing();
    assertEquals(0, net.sent.size());
    assertEquals(0, side.cm.connections());
    assertTrue(side.count(CounterId.CM_TX_DROPPED) > 0);
    req(usual().with("primaryLocalGidHigh", 0).with("primaryLocalGidLow", 0));
    assertEquals(0, side.cm.connections());
  }

  @Test
  void repeatedRequestsAreDroppedInSilence() { // [cm 6.2] [FC-27]
    req(usual());
    req(usual());
    assertEquals(0, net.sent.size());
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    side.expectNothing();
    id.queuePair(side.queuePair(QueuePairType.RC));
    id.accept(new ConnectionParameters());
    net.settle();
    CmRecord rep = net.take(CmAttribute.REP);
    req(usual());
    assertEquals(0, net.sent.size());
    side.inject(HandPeer.ADDRESS, HandPeer.answer(CmAttribute.RTU, rep));
    side.expect(CmEventType.ESTABLISHED);
    req(usual());
    assertEquals(0, net.sent.size());
    assertEquals(3, side.count(CounterId.CM_RX_DUPLICATES_REQ));
    side.expectNothing();
  }

  @Test
  void anMraIsRepeatedForARepeatedRequest() { // [FC-27]
    req(usual());
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    id.needTime(22);
    net.settle();
    CmRecord mra = net.take(CmAttribute.MRA);
    assertEquals(0, mra.get("messageMraed"));
    assertEquals(22, mra.get("serviceTimeout"));
    assertEquals(HandPeer.COMM_ID, mra.get("remoteCommId"));
    req(usual());
    assertEquals(mra, net.take(CmAttribute.MRA));
    id.reject();
    net.settle();
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(mra.get("localCommId"), rej.get("localCommId"));
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aQueuePairThatIsStillConnectedIsStale() { // [FC-27]
    CmRecord rep = HandPeer.established(net, side);
    CmRecord other =
        usual().with("localCommId", 0x99).with("localQpn", 0x200); // another peer's, by GUID
    side.inject(HandPeer.ADDRESS, other.with("localCaGuid", 0x55).with("localQpn", HandPeer.QPN));
    RdmaCmId untouched = side.expect(CmEventType.CONNECT_REQUEST).id();
    untouched.queuePair(side.queuePair(QueuePairType.RC));
    untouched.accept(new ConnectionParameters());
    net.settle();
    CmRecord secondRep = net.take(CmAttribute.REP);
    side.inject(
        HandPeer.ADDRESS, HandPeer.answer(CmAttribute.RTU, secondRep).with("localCommId", 0x99));
    side.expect(CmEventType.ESTABLISHED);

    CmRecord restarted = usual().with("localCommId", 0x22);
    req(restarted);
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(10, rej.get("reason"));
    assertEquals(0x22, rej.get("remoteCommId"));
    CmRecord dreq = net.take(CmAttribute.DREQ);
    assertEquals(HandPeer.QPN, dreq.get("remoteQpn"));
    assertEquals(HandPeer.COMM_ID, dreq.get("remoteCommId"));
    // Repeated until it is answered, or often enough.
    net.runFor(20_000 * CmNet.MS);
    assertEquals(15, net.sent.size());
    for (CmNet.Message each : net.sent) {
      assertEquals(dreq, each.mad());
    }
    net.sent.clear();
    side.expect(CmEventType.DISCONNECTED);
    side.expect(CmEventType.TIMEWAIT_EXIT);
    req(restarted);
    side.expect(CmEventType.CONNECT_REQUEST);
    assertEquals(QueuePairState.RTS, untouched.queuePair().state());
    assertEquals(rep.get("localCaGuid"), side.cm.nodeGuid());
  }

  @Test
  void inTimeWaitTheQueuePairIsStaleAndTheRetryAfterwardsIsTaken() { // [FC-27]
    CmRecord rep = HandPeer.established(net, side);
    int qpn = (int) rep.get("localQpn");
    side.inject(HandPeer.ADDRESS, HandPeer.dreq(rep, qpn));
    net.take(CmAttribute.DREP);
    side.expect(CmEventType.DISCONNECTED);
    req(usual());
    assertEquals(10, net.take(CmAttribute.REJ).get("reason"));
    req(usual().with("localCommId", 0x22));
    assertEquals(10, net.take(CmAttribute.REJ).get("reason"));
    net.runFor(600 * CmNet.MS); // TIMEWAIT of code 17 lasts 512 ms
    side.expect(CmEventType.TIMEWAIT_EXIT);
    req(usual());
    side.expect(CmEventType.CONNECT_REQUEST);
  }

  @Test
  void staleWhileTheReplyIsUnderWayLeavesTheOldOneAlone() { // [cm 6.3]
    HandPeer.accepted(net, side);
    net.take(CmAttribute.REP);
    req(usual().with("localCommId", 0x22));
    assertEquals(10, net.take(CmAttribute.REJ).get("reason"));
    assertEquals(0, net.sent.size());
    assertEquals(1, side.cm.connections());
  }

  @Test
  void theReplyIsRepeatedAtTheIntervalThePeerChose() { // [cm 8]
    RdmaCmId id = HandPeer.accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    long first = net.nowNs;
    net.runFor(60_000 * CmNet.MS);
    assertEquals(15, net.sent.size());
    for (int i = 0; i < 15; i++) {
      assertEquals(rep, net.sent.get(i).mad());
      assertEquals(first + (i + 1) * 256L * CmNet.MS, net.sent.get(i).atNs());
    }
    CmEvent unreachable = side.expect(CmEventType.UNREACHABLE);
    assertEquals(CmEvent.TIMED_OUT, unreachable.status());
    assertEquals(QueuePairState.ERR, id.queuePair().state());
    side.expect(CmEventType.TIMEWAIT_EXIT);
    assertEquals(0, side.cm.connections());
  }

  @Test
  void anMraForTheReplyMakesTheIntervalLonger() { // [cm 8]
    HandPeer.accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    side.inject(
        HandPeer.ADDRESS,
        HandPeer.answer(CmAttribute.MRA, rep).with("messageMraed", 1).with("serviceTimeout", 18));
    long from = net.nowNs;
    net.runFor(3_200 * CmNet.MS);
    // 2^10 ms and, for the ACK timeout code 17, 2^9 ms.
    assertEquals(2, net.sent.size());
    assertEquals(from + 1_536 * CmNet.MS, net.sent.get(0).atNs());
    assertEquals(from + 3_072 * CmNet.MS, net.sent.get(1).atNs());
    side.inject(HandPeer.ADDRESS, HandPeer.answer(CmAttribute.RTU, rep));
    side.expect(CmEventType.ESTABLISHED);
  }

  @Test
  void aReadyThatNamesNobodyIsIgnored() {
    HandPeer.accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    side.inject(HandPeer.ADDRESS, HandPeer.answer(CmAttribute.RTU, rep).with("localCommId", 0x77));
    side.inject(
        HandPeer.ADDRESS,
        HandPeer.answer(CmAttribute.RTU, rep).with("remoteCommId", rep.get("localCommId") ^ 1));
    side.expectNothing();
    assertEquals(2, side.count(CounterId.CM_RX_IGNORED));
    side.inject(HandPeer.ADDRESS, HandPeer.answer(CmAttribute.RTU, rep));
    side.inject(HandPeer.ADDRESS, HandPeer.answer(CmAttribute.RTU, rep));
    side.expect(CmEventType.ESTABLISHED);
    side.expectNothing();
    assertEquals(1, side.count(CounterId.CM_RX_DUPLICATES_RTU));
  }

  @Test
  void dataFromThePeerMayStandForItsReady() {
    RdmaCmId id = HandPeer.accepted(net, side);
    id.notifyEstablished();
    side.expect(CmEventType.ESTABLISHED);
    id.notifyEstablished();
    net.sent.clear();
    net.runFor(10_000 * CmNet.MS);
    assertEquals(0, net.sent.size());
    side.expectNothing();
  }

  @Test
  void aDisconnectHasToNameOurQueuePair() { // [cm 10]
    CmRecord rep = HandPeer.established(net, side);
    int qpn = (int) rep.get("localQpn");
    side.inject(HandPeer.ADDRESS, HandPeer.dreq(rep, qpn + 1));
    assertEquals(0, net.sent.size());
    side.expectNothing();
    CmRecord dreq = HandPeer.dreq(rep, qpn);
    side.inject(HandPeer.ADDRESS, dreq);
    CmRecord drep = net.take(CmAttribute.DREP);
    assertEquals(dreq.transactionId(), drep.transactionId());
    assertEquals(rep.get("localCommId"), drep.get("localCommId"));
    assertEquals(HandPeer.COMM_ID, drep.get("remoteCommId"));
    side.inject(HandPeer.ADDRESS, dreq);
    assertEquals(drep, net.take(CmAttribute.DREP));
    side.expect(CmEventType.DISCONNECTED);
    side.expectNothing();
  }

  @Test
  void aDisconnectBeforeTheReady() { // [cm 10]
    RdmaCmId id = HandPeer.accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    side.inject(HandPeer.ADDRESS, HandPeer.dreq(rep, (int) rep.get("localQpn")));
    net.take(CmAttribute.DREP);
    side.expect(CmEventType.DISCONNECTED);
    assertEquals(QueuePairState.ERR, id.queuePair().state());
    net.runFor(10_000 * CmNet.MS);
    assertEquals(0, net.sent.size());
  }

  @Test
  void aDisconnectOfAnUnknownConnectionIsAnsweredWithTheIdsSwapped() { // [cm 10]
    CmRecord dreq =
        CmRecord.of(CmAttribute.DREQ, 77)
            .with("localCommId", 1)
            .with("remoteCommId", 2)
            .with("remoteQpn", 3);
    side.inject(HandPeer.ADDRESS, dreq);
    CmRecord drep = net.take(CmAttribute.DREP);
    assertEquals(2, drep.get("localCommId"));
    assertEquals(1, drep.get("remoteCommId"));
    assertEquals(77, drep.transactionId());
  }

  @Test
  void theClientGivesUpBeforeItIsAnswered() { // [cm 8]
    req(usual());
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    byte[] guid = HexFormat.of().parseHex("020000fffe000009");
    byte[] mad = new byte[256];
    CmRecord rej =
        CmRecord.of(CmAttribute.REJ, HandPeer.TID)
            .with("localCommId", HandPeer.COMM_ID)
            .with("messageRejected", 2)
            .with("rejectedInfoLength", 8)
            .with("reason", 4);
    rej.emit(new org.agrona.concurrent.UnsafeBuffer(mad), 0);
    System.arraycopy(guid, 0, mad, 24 + 12, 8);
    side.inject(HandPeer.ADDRESS, mad);
    assertEquals(4, side.expect(CmEventType.REJECTED).status());
    assertEquals(0, side.cm.connections());
    id.queuePair(side.queuePair(QueuePairType.RC));
    assertThrows(VerbsException.class, () -> id.accept(new ConnectionParameters()));
  }

  @Test
  void theClientRejectsTheReply() { // [FC-28]
    RdmaCmId id = HandPeer.accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    byte[] data = new byte[148];
    Arrays.fill(data, (byte) 0x31);
    side.inject(
        HandPeer.ADDRESS,
        HandPeer.answer(CmAttribute.REJ, rep)
            .with("messageRejected", 1)
            .with("reason", 28)
            .withPrivateData(data));
    CmEvent rejected = side.expect(CmEventType.REJECTED);
    assertEquals(28, rejected.status());
    assertArrayEquals(data, rejected.privateData());
    assertEquals(QueuePairState.ERR, id.queuePair().state());
    net.runFor(10_000 * CmNet.MS);
    assertEquals(0, net.sent.size());
    side.expect(CmEventType.TIMEWAIT_EXIT);
    assertEquals(0, side.cm.connections());
  }

  @Test
  void aServerThatGivesUpAfterItsReplySaysSo() { // [cm 8]
    RdmaCmId id = HandPeer.accepted(net, side);
    CmRecord rep = net.take(CmAttribute.REP);
    id.close();
    net.settle();
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(28, rej.get("reason"));
    assertEquals(2, rej.get("messageRejected"));
    assertEquals(rep.get("localCommId"), rej.get("localCommId"));
    assertEquals(HandPeer.COMM_ID, rej.get("remoteCommId"));
  }

  @Test
  void aListenerThatClosesRefusesWhatNobodySaw() {
    req(usual());
    req(usual().with("localCommId", 0x22).with("localQpn", 0x200));
    RdmaCmId seen = side.expect(CmEventType.CONNECT_REQUEST).id();
    listener.close();
    net.settle();
    CmRecord rej = net.take(CmAttribute.REJ);
    assertEquals(28, rej.get("reason"));
    assertEquals(0x22, rej.get("remoteCommId"));
    side.expectNothing();
    seen.reject();
    net.settle();
    assertEquals(HandPeer.COMM_ID, net.take(CmAttribute.REJ).get("remoteCommId"));
    assertEquals(0, side.cm.connections());
    req(usual());
    assertEquals(8, net.take(CmAttribute.REJ).get("reason"));
  }

  @Test
  void repeatedServiceRequestsAreDroppedUntilTheyAreAnswered() { // [cm 11]
    side.listen(PortSpace.UDP, HandPeer.PORT, 0);
    CmRecord sidr = HandPeer.sidrReq(side.address);
    side.inject(HandPeer.ADDRESS, sidr);
    side.inject(HandPeer.ADDRESS, sidr);
    assertEquals(1, side.count(CounterId.CM_RX_DUPLICATES_SIDR_REQ));
    RdmaCmId id = side.expect(CmEventType.CONNECT_REQUEST).id();
    side.expectNothing();
    id.queuePair(side.queuePair(QueuePairType.UD));
    id.accept(new ConnectionParameters());
    net.settle();
    CmRecord rep = net.take(CmAttribute.SIDR_REP);
    assertEquals(id.queuePair().qpNum(), rep.get("qpn"));
    assertEquals(0x01234567, rep.get("qkey"));
    assertEquals(HandPeer.COMM_ID, rep.get("requestId"));
    assertEquals(sidr.get("serviceId"), rep.get("serviceId"));
    assertEquals(HandPeer.TID, rep.transactionId());
  }
}
