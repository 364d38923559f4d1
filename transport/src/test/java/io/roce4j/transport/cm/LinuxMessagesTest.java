// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.PacketView;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Captures of Linux's connection manager replayed into ours: in the place of either side it says
 * the same, field by field, but for the numbers a side draws.
 */
class LinuxMessagesTest {
  private static final Gid SERVER = Gid.parse("10.77.0.2");
  private static final Gid CLIENT = Gid.parse("10.77.0.3");

  /** Drawn by each side for itself. */
  private static final Set<String> DRAWN = Set.of("localCommId", "remoteCommId", "startingPsn");

  /** What kernel 6.1 takes for the packet life. */
  private static final CmSettings LIKE_LINUX = CmSettings.defaults().withPacketLifeCode(18);

  /** The driver of the captures sends no credits. */
  private final CmNet net = new CmNet(EndpointSettings.defaults().withEndToEndCredits(false));

  @AfterEach
  void close() {
    net.close();
  }

  private static List<CmRecord> messages(String capture) throws IOException {
    List<CmRecord> messages = new ArrayList<>();
    try (InputStream stream = LinuxMessagesTest.class.getResourceAsStream("/captures/" + capture);
        CaptureReader reader = CaptureReader.open(stream, capture)) {
      CapturedPacket captured = new CapturedPacket();
      FrameDissector frame = new FrameDissector();
      PacketView view = new PacketView();
      CmView cm = new CmView();
      while (reader.next(captured)) {
        if (frame.dissect(captured) == 0
            && view.wrap(frame.buffer(), frame.bthOffset(), frame.length()) == 0
            && CmView.isForGsi(view)
            && cm.wrap(view) == 0) {
          messages.add(CmRecord.parse(cm));
        }
      }
    }
    return messages;
  }

  private static void assertSame(CmRecord linux, CmRecord ours) {
    assertEquals(linux.attributeId(), ours.attributeId());
    for (int i = 0; i < linux.fieldCount(); i++) {
      String name = linux.fieldName(i);
      if (!DRAWN.contains(name)) {
        assertEquals(
            linux.fieldValue(i),
            ours.fieldValue(i),
            CmAttribute.name(linux.attributeId()) + " " + name);
      }
    }
    assertArrayEquals(linux.privateData(), ours.privateData());
    assertArrayEquals(linux.additionalInfo(), ours.additionalInfo());
  }

  private CmNet.Side side(Gid address, long guid) {
    return net.add(address.toString(), LIKE_LINUX.withNodeGuid(guid));
  }

  private static QueuePair queuePair(CmNet.Side side, int type, long qpn) {
    return side.pd.createQueuePair(
        new QueuePairSettings().type(type).sendCq(side.cq).recvCq(side.cq).qpNumWish((int) qpn));
  }

  @Test
  void inThePlaceOfLinuxsServer() throws IOException {
    List<CmRecord> linux = messages("cm-rping-v4.pcap");
    CmRecord req = linux.get(0);
    CmRecord rep = linux.get(1);
    CmNet.Side server = side(SERVER, rep.get("localCaGuid"));
    server.listen(PortSpace.TCP, 7_174, 0);
    server.inject(CLIENT, req);
    RdmaCmId id = server.expect(CmEventType.CONNECT_REQUEST).id();
    id.queuePair(queuePair(server, QueuePairType.RC, rep.get("localQpn")));
    id.accept(new ConnectionParameters());
    net.settle();
    CmRecord ours = net.take(CmAttribute.REP);
    assertSame(rep, ours);
    assertEquals(req.transactionId(), ours.transactionId());
    assertEquals(rep.get("remoteCommId"), ours.get("remoteCommId"));

    server.inject(CLIENT, linux.get(2).with("remoteCommId", ours.get("localCommId")));
    server.expect(CmEventType.ESTABLISHED);
    CmRecord dreq = linux.get(3).with("remoteCommId", ours.get("localCommId"));
    server.inject(CLIENT, dreq);
    CmRecord drep = net.take(CmAttribute.DREP);
    assertSame(linux.get(4), drep);
    assertEquals(dreq.transactionId(), drep.transactionId());
    server.expect(CmEventType.DISCONNECTED);
    assertEquals(QueuePairState.ERR, id.queuePair().state());
  }

  @Test
  void inThePlaceOfLinuxsClient() throws IOException {
    List<CmRecord> linux = messages("cm-rping-v4.pcap");
    CmRecord req = linux.get(0);
    CmNet.Side client = side(CLIENT, req.get("localCaGuid"));
    RdmaCmId id = client.cm.createId(client.channel, PortSpace.TCP);
    int sourcePort = (req.privateData()[2] & 0xFF) << 8 | (req.privateData()[3] & 0xFF);
    id.bindAddress(null, sourcePort);
    id.resolveAddress(SERVER, 7_174);
    id.resolveRoute();
    client.expect(CmEventType.ADDR_RESOLVED);
    client.expect(CmEventType.ROUTE_RESOLVED);
    id.queuePair(queuePair(client, QueuePairType.RC, req.get("localQpn")));
    id.connect(new ConnectionParameters().responderResources(1).initiatorDepth(1));
    net.settle();
    CmRecord ours = net.take(CmAttribute.REQ);
    assertSame(req, ours);

    CmRecord rep = linux.get(1).with("remoteCommId", ours.get("localCommId"));
    client.inject(SERVER, rep);
    client.expect(CmEventType.ESTABLISHED);
    CmRecord rtu = net.take(CmAttribute.RTU);
    assertSame(linux.get(2), rtu);
    assertEquals(ours.transactionId(), rtu.transactionId());
    assertEquals(rep.get("localCommId"), rtu.get("remoteCommId"));
    assertEquals(19, id.queuePair().query().timeout()); // as rping's queue pair was seen to have
    assertEquals(64, id.queuePair().query().addressVector().hopLimit());

    id.disconnect();
    net.settle();
    CmRecord dreq = net.take(CmAttribute.DREQ);
    assertSame(linux.get(3), dreq);
    assertEquals(ours.transactionId(), dreq.transactionId()); // as Linux's active side repeats it
    client.inject(SERVER, linux.get(4).with("remoteCommId", ours.get("localCommId")));
    client.expect(CmEventType.DISCONNECTED);
  }

  @Test
  void whereNobodyListens() throws IOException {
    List<CmRecord> linux = messages("cm-reject-v4.pcap");
    CmNet.Side server = side(SERVER, 1);
    for (int i = 0; i < linux.size(); i += 2) {
      server.inject(CLIENT, linux.get(i));
      CmRecord rej = net.take(CmAttribute.REJ);
      assertSame(linux.get(i + 1), rej);
      assertEquals(linux.get(i + 1).transactionId(), rej.transactionId());
      assertEquals(linux.get(i + 1).get("remoteCommId"), rej.get("remoteCommId"));
    }
  }

  @Test
  void aDatagramServiceOfEitherSide() throws IOException {
    List<CmRecord> linux = messages("cm-udaddy-v4.pcap");
    CmNet.Side server = side(SERVER, 1);
    server.listen(PortSpace.UDP, 7_174, 0);
    for (int i = 0; i < 2; i++) {
      server.inject(CLIENT, linux.get(i));
      RdmaCmId id = server.expect(CmEventType.CONNECT_REQUEST).id();
      id.queuePair(queuePair(server, QueuePairType.UD, linux.get(i + 2).get("qpn")));
      id.accept(new ConnectionParameters());
      net.settle();
      assertSame(linux.get(i + 2), net.take(CmAttribute.SIDR_REP));
    }
    CmNet.Side client = side(CLIENT, 2);
    RdmaCmId id = client.cm.createId(client.channel, PortSpace.UDP);
    byte[] header = linux.get(0).privateData();
    id.bindAddress(null, (header[2] & 0xFF) << 8 | (header[3] & 0xFF));
    id.resolveAddress(SERVER, 7_174);
    id.resolveRoute();
    id.queuePair(queuePair(client, QueuePairType.UD, 40));
    id.connect(new ConnectionParameters());
    net.settle();
    CmRecord ours = net.overheard.get(0).mad();
    assertSame(linux.get(0).with("requestId", 0), ours.with("requestId", 0)); // the number is drawn
  }
}
