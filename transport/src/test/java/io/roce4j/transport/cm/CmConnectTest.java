// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections between two of our own connection managers, from listen to the end of TIMEWAIT. */
class CmConnectTest {
  private static final int PORT = 7_174;

  private final CmNet net = new CmNet();
  private CmNet.Side client;
  private CmNet.Side server;

  @BeforeEach
  void open() {
    client = net.add("192.0.2.1");
    server = net.add("192.0.2.2");
  }

  @AfterEach
  void close() {
    net.close();
  }

  /** Both ids of a new connection, the client's first. */
  private List<RdmaCmId> connected() {
    return connected(new ConnectionParameters(), new ConnectionParameters());
  }

  private List<RdmaCmId> connected(ConnectionParameters asked, ConnectionParameters answered) {
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(asked);
    net.settle();
    RdmaCmId passive = server.expect(CmEventType.CONNECT_REQUEST).id();
    passive.queuePair(server.queuePair(QueuePairType.RC));
    passive.accept(answered);
    net.settle();
    client.expect(CmEventType.ESTABLISHED);
    server.expect(CmEventType.ESTABLISHED);
    return List.of(active, passive);
  }

  @Test
  void dataStandForALostReadyWhenTheReplyWouldBeRepeated() {
    server.listen(PortSpace.TCP, PORT, 16);
    net.loses = message -> message.attributeId() == CmAttribute.RTU;
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    RdmaCmId passive = server.expect(CmEventType.CONNECT_REQUEST).id();
    passive.queuePair(server.queuePair(QueuePairType.RC));
    passive.accept(new ConnectionParameters());
    net.settle();
    client.expect(CmEventType.ESTABLISHED);
    // A WRITE of nothing: the server's application does not see it.
    active.queuePair().postSend(new SendRequest().opcode(WorkRequestOpcode.RDMA_WRITE));
    net.settle();
    server.expectNothing();
    net.runFor(100_000 * CmNet.MS);
    server.expect(CmEventType.ESTABLISHED);
    assertEquals(1, net.count(message -> message.attributeId() == CmAttribute.REP));
    assertEquals(QueuePairState.RTS, passive.queuePair().state());
  }

  @Test
  void aLostReadyWithoutDataCostsARepetition() {
    server.listen(PortSpace.TCP, PORT, 16);
    net.loses =
        message -> message.attributeId() == CmAttribute.RTU && message.atNs() < 1_500_000_000L;
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    RdmaCmId passive = server.expect(CmEventType.CONNECT_REQUEST).id();
    passive.queuePair(server.queuePair(QueuePairType.RC));
    passive.accept(new ConnectionParameters());
    net.runFor(100_000 * CmNet.MS);
    server.expect(CmEventType.ESTABLISHED);
    assertEquals(2, net.count(message -> message.attributeId() == CmAttribute.REP));
  }

  @Test
  void bothSidesTellWhetherTheirCreditsMeanAnything() { // [rc 5-11]
    server.listen(PortSpace.TCP, PORT, 16);
    List<RdmaCmId> ids = connected();
    assertEquals(1, said(CmAttribute.REQ).get("endToEndFlowControl"));
    assertEquals(1, said(CmAttribute.REP).get("endToEndFlowControl"));
    ids.forEach(id -> assertFalse(id.queuePair().query().ignoresCredits()));
  }

  private CmRecord said(int attributeId) {
    return net.overheard.stream()
        .filter(message -> message.attributeId() == attributeId)
        .findFirst()
        .orElseThrow()
        .mad();
  }

  @Test
  void anotherConnectionManagerMayFollowWhenTheOneBeforeHasParted() {
    server.listen(PortSpace.TCP, PORT, 16);
    connected();
    server.cm.close();
    VerbsException parting =
        assertThrows(VerbsException.class, () -> server.reopen(CmSettings.defaults(), 5));
    assertEquals("EBUSY", parting.errno());
    assertTrue(parting.getMessage().contains("1 connections"), parting.getMessage());
    net.runFor(2_000 * CmNet.MS);
    client.expect(CmEventType.DISCONNECTED);
    client.expect(CmEventType.TIMEWAIT_EXIT);
    RdmaCm before = server.cm;
    server.reopen(CmSettings.defaults(), 5);
    assertEquals(0, before.connections());
    assertThrows(
        VerbsException.class, () -> before.createId(server.channel, PortSpace.TCP).listen(1));
    server.listen(PortSpace.TCP, PORT, 16);
    connected();
    assertEquals(1, server.cm.connections());
  }

  @Test
  void connectsAndParts() {
    server.listen(PortSpace.TCP, PORT, 0);
    List<RdmaCmId> ids = connected();
    QueuePair a = ids.get(0).queuePair();
    QueuePair b = ids.get(1).queuePair();
    assertEquals(QueuePairState.RTS, a.state());
    assertEquals(QueuePairState.RTS, b.state());
    QueuePairAttributes qa = a.query();
    QueuePairAttributes qb = b.query();
    assertEquals(b.qpNum(), qa.destQpNum());
    assertEquals(a.qpNum(), qb.destQpNum());
    assertEquals(qa.sqPsn(), qb.rqPsn());
    assertEquals(qb.sqPsn(), qa.rqPsn());
    ids.get(0).disconnect();
    assertEquals(QueuePairState.ERR, a.state());
    net.settle();
    client.expect(CmEventType.DISCONNECTED);
    server.expect(CmEventType.DISCONNECTED);
    assertEquals(QueuePairState.ERR, b.state());
    net.runFor(2_000 * CmNet.MS);
    client.expect(CmEventType.TIMEWAIT_EXIT);
    server.expect(CmEventType.TIMEWAIT_EXIT);
    assertEquals(0, client.cm.connections());
    assertEquals(0, server.cm.connections());
  }

  // [rc 1-10] [rc 6-16]
  @Test
  void everyAttributeComesFromTheMessageTheSpecificationNames() {
    server.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = client.cm.createId(client.channel, PortSpace.TCP);
    active.trafficClass(0x68);
    active.flowLabel(0x12345);
    active.resolveAddress(server.address, PORT);
    active.resolveRoute();
    client.expect(CmEventType.ADDR_RESOLVED);
    client.expect(CmEventType.ROUTE_RESOLVED);
    active.queuePair(client.queuePair(QueuePairType.RC));
    active.connect(
        new ConnectionParameters()
            .responderResources(4)
            .initiatorDepth(2)
            .retryCount(5)
            .rnrRetryCount(3)
            .privateData((byte) 9));
    net.settle();
    CmEvent request = server.expect(CmEventType.CONNECT_REQUEST);
    assertEquals(2, request.parameters().responderResources());
    assertEquals(4, request.parameters().initiatorDepth());
    assertEquals(5, request.parameters().retryCount());
    assertEquals(1_024, request.parameters().pathMtuBytes());
    assertEquals(56, request.privateData().length);
    assertEquals(9, request.privateData()[0]);
    assertEquals(client.address, request.id().remoteAddress());
    assertEquals(active.localPort(), request.id().remotePort());
    RdmaCmId passive = request.id();
    passive.queuePair(server.queuePair(QueuePairType.RC));
    passive.accept(
        new ConnectionParameters().rnrRetryCount(6).initiatorDepth(3).privateData((byte) 7));
    assertEquals(QueuePairState.RTS, passive.queuePair().state());
    assertEquals(QueuePairState.INIT, active.queuePair().state()); // the reply is still to come
    net.settle();
    CmEvent established = client.expect(CmEventType.ESTABLISHED);
    assertEquals(196, established.privateData().length);
    assertEquals(7, established.privateData()[0]);
    QueuePairAttributes a = active.queuePair().query();
    QueuePairAttributes p = passive.queuePair().query();
    assertEquals(3, a.maxDestRdAtomic()); // own 4, REP's initiator depth 3
    assertEquals(2, a.maxRdAtomic());
    assertEquals(2, p.maxDestRdAtomic());
    assertEquals(3, p.maxRdAtomic());
    assertEquals(5, a.retryCnt());
    assertEquals(5, p.retryCnt());
    assertEquals(6, a.rnrRetry());
    assertEquals(3, p.rnrRetry());
    assertEquals(17, a.timeout());
    assertEquals(17, p.timeout());
    assertEquals(12, a.minRnrTimer());
    assertEquals(12, p.minRnrTimer());
    assertEquals(1_024, a.pathMtuBytes());
    assertEquals(1_024, p.pathMtuBytes());
    assertEquals(0x68, p.addressVector().trafficClass());
    assertEquals(0x12345, p.addressVector().flowLabel());
    assertEquals(61, p.addressVector().hopLimit()); // of the received datagram
    assertEquals(64, a.addressVector().hopLimit());
    int all = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
    assertEquals(all, a.accessFlags());
    assertEquals(all, p.accessFlags());
  }

  @Test
  void withoutReadsThePeerMayOnlyWrite() {
    server.listen(PortSpace.TCP, PORT, 0);
    List<RdmaCmId> ids =
        connected(
            new ConnectionParameters().responderResources(0).initiatorDepth(0),
            new ConnectionParameters());
    for (RdmaCmId id : ids) {
      QueuePairAttributes attributes = id.queuePair().query();
      assertEquals(AccessFlags.REMOTE_WRITE, attributes.accessFlags());
      assertEquals(0, attributes.maxRdAtomic());
      assertEquals(0, attributes.maxDestRdAtomic());
    }
  }

  @Test
  void rightsSetInInitStay() {
    server.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    QueuePair own = client.queuePair(QueuePairType.RC);
    own.toInit(AccessFlags.REMOTE_READ);
    active.queuePair(own);
    active.connect(new ConnectionParameters());
    net.settle();
    RdmaCmId passive = server.expect(CmEventType.CONNECT_REQUEST).id();
    passive.queuePair(server.queuePair(QueuePairType.RC));
    passive.accept(new ConnectionParameters());
    net.settle();
    assertEquals(QueuePairState.RTS, own.state());
    assertEquals(AccessFlags.REMOTE_READ, own.query().accessFlags());
  }

  @Test
  void connectsOverIpv6() {
    CmNet.Side a = net.add("fd00::1");
    CmNet.Side b = net.add("fd00::2");
    b.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = a.resolved(PortSpace.TCP, b.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    RdmaCmId passive = b.expect(CmEventType.CONNECT_REQUEST).id();
    assertEquals(a.address, passive.remoteAddress());
    passive.queuePair(b.queuePair(QueuePairType.RC));
    passive.accept(new ConnectionParameters());
    net.settle();
    a.expect(CmEventType.ESTABLISHED);
    b.expect(CmEventType.ESTABLISHED);
  }

  @Test
  void theSmallerActiveMtuWins() {
    CmNet.Side wide = net.add("192.0.2.3", CmSettings.defaults(), 9_000);
    server.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = wide.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    CmEvent request = server.expect(CmEventType.CONNECT_REQUEST);
    assertEquals(4_096, request.parameters().pathMtuBytes());
    request.id().queuePair(server.queuePair(QueuePairType.RC));
    request.id().accept(new ConnectionParameters());
    net.settle();
    assertEquals(1_024, request.id().queuePair().query().pathMtuBytes());
  }

  @Test
  void nobodyListening() {
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    assertEquals(8, client.expect(CmEventType.REJECTED).status());
    assertEquals(0, client.cm.connections());
    assertEquals(QueuePairState.ERR, active.queuePair().state());
  }

  @Test
  void rejectReachesTheCallerOnceWithReasonAndData() { // [FC-28]
    server.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    byte[] data = new byte[16];
    Arrays.fill(data, (byte) 0x5A);
    server.expect(CmEventType.CONNECT_REQUEST).id().reject(data);
    net.settle();
    CmEvent rejected = client.expect(CmEventType.REJECTED);
    assertEquals(28, rejected.status());
    assertArrayEquals(Arrays.copyOf(data, 148), rejected.privateData());
    CmNet.Message reject =
        net.overheard.stream().filter(m -> m.attributeId() == CmAttribute.REJ).findFirst().get();
    assertEquals(0, reject.mad().get("messageRejected"));
    assertEquals(0, reject.mad().get("localCommId"));
    net.runFor(200_000 * CmNet.MS);
    client.expectNothing();
    server.expectNothing();
    assertEquals(0, client.cm.connections() + server.cm.connections());
    assertEquals(1, client.count(CounterId.CM_TX_MSGS_REQ));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 56, 57, 92})
  void privateDataOfConnect(int length) { // [FC-30]
    server.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    byte[] data = new byte[length];
    Arrays.fill(data, (byte) 3);
    ConnectionParameters parameters = new ConnectionParameters().privateData(data);
    if (length > 56) {
      VerbsException refused = assertThrows(VerbsException.class, () -> active.connect(parameters));
      assertEquals("EINVAL", refused.errno());
      assertTrue(refused.getMessage().contains("at most 56"), refused.getMessage());
      net.runFor(10_000 * CmNet.MS);
      assertEquals(0, net.overheard.size());
      assertEquals(0, client.cm.connections());
      return;
    }
    active.connect(parameters);
    net.settle();
    CmEvent request = server.expect(CmEventType.CONNECT_REQUEST);
    assertArrayEquals(Arrays.copyOf(data, 56), request.privateData());
  }

  @Test
  void privateDataOfAcceptAndReject() { // [FC-30]
    server.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.TCP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    RdmaCmId passive = server.expect(CmEventType.CONNECT_REQUEST).id();
    passive.queuePair(server.queuePair(QueuePairType.RC));
    VerbsException tooLong =
        assertThrows(VerbsException.class, () -> passive.reject(new byte[149]));
    assertTrue(tooLong.getMessage().contains("at most 148"), tooLong.getMessage());
    tooLong =
        assertThrows(
            VerbsException.class,
            () -> passive.accept(new ConnectionParameters().privateData(new byte[197])));
    assertTrue(tooLong.getMessage().contains("at most 196"), tooLong.getMessage());
    assertEquals(1, net.overheard.size()); // the REQ alone
    byte[] data = new byte[196];
    Arrays.fill(data, (byte) 4);
    passive.accept(new ConnectionParameters().privateData(data));
    net.settle();
    assertArrayEquals(data, client.expect(CmEventType.ESTABLISHED).privateData());
  }

  @Test
  void privateDataWithoutHeader() { // [FC-30]
    server.listen(PortSpace.IB, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.IB, server.address, PORT);
    byte[] data = new byte[92];
    Arrays.fill(data, (byte) 6);
    VerbsException tooLong =
        assertThrows(
            VerbsException.class,
            () -> active.connect(new ConnectionParameters().privateData(new byte[93])));
    assertTrue(tooLong.getMessage().contains("at most 92"), tooLong.getMessage());
    active.connect(new ConnectionParameters().privateData(data));
    net.settle();
    assertArrayEquals(data, server.expect(CmEventType.CONNECT_REQUEST).privateData());
  }

  @Test
  void manyConnectionsAtOneListener() {
    server.listen(PortSpace.TCP, PORT, 0);
    for (int i = 0; i < 20; i++) {
      connected();
    }
    assertEquals(20, client.cm.connections());
    client.cm.close();
    net.settle();
    for (int i = 0; i < 20; i++) {
      server.expect(CmEventType.DISCONNECTED);
    }
    net.runFor(2_000 * CmNet.MS);
    assertEquals(0, client.cm.connections());
    assertEquals(0, server.cm.connections());
  }

  @Test
  void anEndpointConnectsToItself() {
    client.listen(PortSpace.TCP, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.TCP, client.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    RdmaCmId passive = client.expect(CmEventType.CONNECT_REQUEST).id();
    passive.queuePair(client.queuePair(QueuePairType.RC));
    passive.accept(new ConnectionParameters());
    net.settle();
    client.expect(CmEventType.ESTABLISHED);
    client.expect(CmEventType.ESTABLISHED);
    passive.disconnect();
    net.settle();
    client.expect(CmEventType.DISCONNECTED);
    client.expect(CmEventType.DISCONNECTED);
    net.runFor(2_000 * CmNet.MS);
    assertEquals(0, client.cm.connections());
  }

  @Test
  void bothSidesDisconnectAtOnce() {
    server.listen(PortSpace.TCP, PORT, 0);
    List<RdmaCmId> ids = connected();
    ids.get(0).disconnect();
    ids.get(1).disconnect();
    net.settle();
    client.expect(CmEventType.DISCONNECTED);
    server.expect(CmEventType.DISCONNECTED);
    net.runFor(2_000 * CmNet.MS);
    client.expect(CmEventType.TIMEWAIT_EXIT);
    server.expect(CmEventType.TIMEWAIT_EXIT);
    client.expectNothing();
    server.expectNothing();
  }

  @Test
  void aDatagramServiceNamesItsQueuePair() {
    server.listen(PortSpace.UDP, PORT, 0);
    RdmaCmId active = client.resolved(PortSpace.UDP, server.address, PORT);
    byte[] data = new byte[180];
    data[179] = 1;
    active.connect(new ConnectionParameters().privateData(data));
    net.settle();
    CmEvent request = server.expect(CmEventType.CONNECT_REQUEST);
    assertArrayEquals(data, request.privateData());
    QueuePair served = server.queuePair(QueuePairType.UD);
    request.id().queuePair(served);
    request.id().accept(new ConnectionParameters().privateData(new byte[] {5}));
    net.settle();
    CmEvent established = client.expect(CmEventType.ESTABLISHED);
    assertEquals(served.qpNum(), established.parameters().qpNum());
    assertEquals(0x01234567, established.parameters().qkey());
    assertEquals(136, established.privateData().length);
    assertEquals(server.address.low(), established.peer().gidLo());
    assertEquals(QueuePairState.RTS, served.state());
    assertEquals(QueuePairState.RTS, active.queuePair().state());
    assertEquals(0x01234567, served.query().qkey());
    assertEquals(0, client.cm.connections() + server.cm.connections());
  }

  @Test
  void aDatagramServiceRefuses() {
    RdmaCmId active = client.resolved(PortSpace.UDP, server.address, PORT);
    active.connect(new ConnectionParameters());
    net.settle();
    assertEquals(1, client.expect(CmEventType.UNREACHABLE).status());
    server.listen(PortSpace.UDP, PORT, 0);
    RdmaCmId again = client.resolved(PortSpace.UDP, server.address, PORT);
    again.connect(new ConnectionParameters());
    net.settle();
    server.expect(CmEventType.CONNECT_REQUEST).id().reject((byte) 8);
    net.settle();
    CmEvent refused = client.expect(CmEventType.UNREACHABLE);
    assertEquals(2, refused.status());
    assertEquals(8, refused.privateData()[0]);
  }
}
