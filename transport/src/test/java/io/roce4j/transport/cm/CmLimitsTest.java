// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Floods and rubbish: state stays bounded, what is dropped is counted, service goes on. */
class CmLimitsTest {
  private final CmNet net = new CmNet();

  @AfterEach
  void close() {
    net.close();
  }

  private static CmRecord req(CmNet.Side side, int number) {
    return HandPeer.req(side.address).with("localCommId", number).with("localQpn", number);
  }

  @Test
  void aFloodOfRequestsFillsTheBacklogAndNoMore() {
    CmNet.Side side = net.add("192.0.2.2");
    side.listen(PortSpace.TCP, HandPeer.PORT, 10);
    for (int i = 1; i <= 1_000; i++) {
      side.inject(HandPeer.ADDRESS, req(side, i));
    }
    assertEquals(10, side.cm.connections());
    assertEquals(990, net.sent.size());
    for (CmNet.Message each : net.sent) {
      assertEquals(3, each.mad().get("reason"));
    }
    assertEquals(990, side.count(CounterId.CM_REFUSED_NO_ROOM));
    // Room comes back as requests are answered.
    net.sent.clear();
    side.expect(CmEventType.CONNECT_REQUEST).id().reject();
    net.settle();
    net.take(CmAttribute.REJ);
    side.inject(HandPeer.ADDRESS, req(side, 5_000));
    assertEquals(0, net.sent.size());
    assertEquals(10, side.cm.connections());
  }

  @Test
  void theTableOfConnectionsIsBounded() {
    CmNet.Side side = net.add("192.0.2.2", CmSettings.defaults().withMaxConnections(4));
    side.listen(PortSpace.TCP, HandPeer.PORT, 0);
    List<RdmaCmId> ids = new ArrayList<>();
    for (int i = 1; i <= 6; i++) {
      side.inject(HandPeer.ADDRESS, req(side, i));
    }
    assertEquals(4, side.cm.connections());
    assertEquals(2, net.sent.size());
    for (int i = 0; i < 4; i++) {
      ids.add(side.expect(CmEventType.CONNECT_REQUEST).id());
    }
    RdmaCmId own = side.resolved(PortSpace.TCP, HandPeer.ADDRESS, 1);
    VerbsException full =
        assertThrows(VerbsException.class, () -> own.connect(new ConnectionParameters()));
    assertEquals("ENOMEM", full.errno());
    assertTrue(full.getMessage().contains("limit 4"), full.getMessage());
    ids.forEach(RdmaCmId::close);
    net.settle();
    assertEquals(0, side.cm.connections());
    own.connect(new ConnectionParameters());
  }

  @Test
  void eventsNobodyPollsKeepNewOnesOut() {
    CmNet.Side side = net.add("192.0.2.2", CmSettings.defaults().withMaxEvents(3));
    side.listen(PortSpace.TCP, HandPeer.PORT, 0);
    for (int i = 1; i <= 5; i++) {
      side.inject(HandPeer.ADDRESS, req(side, i));
    }
    assertEquals(3, side.channel.waiting());
    assertEquals(2, net.sent.size());
    RdmaCmId own = side.cm.createId(side.channel, PortSpace.TCP);
    VerbsException busy =
        assertThrows(VerbsException.class, () -> own.resolveAddress(HandPeer.ADDRESS, 1));
    assertEquals("EAGAIN", busy.errno());
    side.expect(CmEventType.CONNECT_REQUEST);
    own.resolveAddress(HandPeer.ADDRESS, 1);
  }

  @Test
  void listenersAreBoundedAndPortsAreSomebodys() {
    CmNet.Side side = net.add("192.0.2.2", CmSettings.defaults().withMaxListeners(2));
    RdmaCmId first = side.listen(PortSpace.TCP, 1, 0);
    side.listen(PortSpace.UDP, 1, 0);
    assertEquals(
        "ENOMEM",
        assertThrows(VerbsException.class, () -> side.listen(PortSpace.TCP, 2, 0)).errno());
    first.close();
    side.listen(PortSpace.TCP, 2, 0).close();
    side.listen(PortSpace.TCP, 1, 0);
    assertEquals(
        "EBUSY",
        assertThrows(
                VerbsException.class,
                () -> RdmaCm.open(side.agent.context(), CmSettings.defaults(), 1))
            .errno());
  }

  @Test
  void whatThePortRefusesLeavesLaterAndTheQueueIsBounded() {
    CmNet.Side side = net.add("192.0.2.2", CmSettings.defaults().withMaxOutbound(8));
    side.port.refuses = true;
    for (int i = 1; i <= 20; i++) {
      side.port.in.add(
          new MadPort.Packet(
              HandPeer.ADDRESS, side.address, 0, CmNet.packetOf(bytes(req(side, i)))));
    }
    side.agent.doWork();
    assertEquals(12, side.count(CounterId.CM_TX_DROPPED));
    side.port.refuses = false;
    net.settle();
    assertEquals(8, net.sent.size());
  }

  @Test
  void aRequestThePortRefusedIsSentOnceWhenItTakesIt() {
    CmNet.Side side = net.add("192.0.2.2");
    side.port.refuses = true;
    RdmaCmId id = side.resolved(PortSpace.TCP, HandPeer.ADDRESS, HandPeer.PORT);
    id.connect(new ConnectionParameters());
    side.agent.doWork();
    net.nowNs += 10_000 * CmNet.MS;
    side.agent.doWork();
    assertEquals(0, net.sent.size());
    side.port.refuses = false;
    net.settle();
    assertEquals(1, net.sent.size());
    net.runFor(4_607 * CmNet.MS);
    assertEquals(1, net.sent.size()); // the wait begins when it leaves
    net.runFor(1 * CmNet.MS);
    assertEquals(2, net.sent.size());
  }

  private static byte[] bytes(CmRecord record) {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
    record.emit(buffer, 0);
    return buffer.byteArray();
  }

  @Test
  void otherMadsAreCountedAndDropped() {
    CmNet.Side side = net.add("192.0.2.2");
    side.listen(PortSpace.TCP, HandPeer.PORT, 0);
    byte[] good = bytes(req(side, 1));
    for (int at = 0; at < 4; at++) { // base version, class, class version, method
      byte[] bad = good.clone();
      bad[at] ^= 1;
      side.inject(HandPeer.ADDRESS, bad);
    }
    byte[] unknown = good.clone();
    unknown[17] = 0x30;
    side.inject(HandPeer.ADDRESS, unknown);
    side.inject(HandPeer.ADDRESS, java.util.Arrays.copyOf(good, 252));
    assertEquals(6, side.count(CounterId.CM_RX_MALFORMED));
    byte[] lap = good.clone();
    lap[17] = 0x19;
    side.inject(HandPeer.ADDRESS, lap);
    lap[17] = 0x1A;
    side.inject(HandPeer.ADDRESS, lap);
    assertEquals(1, side.count(CounterId.CM_RX_MSGS_LAP));
    assertEquals(1, side.count(CounterId.CM_RX_MSGS_APR));
    assertEquals(0, net.sent.size());
    side.expectNothing();
  }

  /** Any order of any messages with any small ids: no exception, no leak, everything ends. */
  @Test
  void messagesAtRandomLeaveNothingBehind() {
    SplittableRandom random = new SplittableRandom(0x5EED_000CL);
    CmNet.Side side = net.add("192.0.2.2", CmSettings.defaults().withMaxConnections(16));
    side.listen(PortSpace.TCP, HandPeer.PORT, 0);
    List<CmRecord> heard = new ArrayList<>();
    for (int round = 0; round < 5_000; round++) {
      int attribute = CmAttribute.REQ + random.nextInt(9);
      CmRecord mad = req(side, 1 + random.nextInt(6));
      if (attribute != CmAttribute.REQ) {
        long own = heard.isEmpty() ? 0 : heard.get(random.nextInt(heard.size())).get("localCommId");
        mad = drawn(random, attribute, own);
      }
      side.inject(HandPeer.ADDRESS, mad);
      for (CmNet.Message each : net.sent) {
        if (each.attributeId() == CmAttribute.REP || each.attributeId() == CmAttribute.REQ) {
          heard.add(each.mad());
        }
      }
      net.sent.clear();
      act(random, side);
      if (random.nextInt(20) == 0) {
        net.runFor(random.nextLong(2_000 * CmNet.MS));
      }
    }
    assertTrue(heard.size() > 100, heard.size() + " replies");
    side.cm.close();
    net.runFor(300_000 * CmNet.MS);
    assertEquals(0, side.cm.connections());
    assertTrue(side.cm.isQuiet());
  }

  private static CmRecord drawn(SplittableRandom random, int attribute, long own) {
    CmRecord mad = CmRecord.of(attribute, random.nextLong());
    for (int i = 0; i < mad.fieldCount(); i++) {
      String name = mad.fieldName(i);
      int width = mad.fieldWidth(i);
      long any = width == 64 ? random.nextLong() : random.nextLong() >>> (64 - width);
      mad =
          switch (name) {
            case "localCommId" -> mad.with(name, 1 + random.nextInt(6));
            case "remoteCommId", "requestId" -> mad.with(name, own);
            case "localCaGuid" -> mad.with(name, HandPeer.GUID);
            case "messageRejected", "messageMraed" -> mad.with(name, random.nextInt(3));
            default -> mad.with(name, any);
          };
    }
    return mad;
  }

  private static void act(SplittableRandom random, CmNet.Side side) {
    CmEvent event = side.channel.poll();
    if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
      RdmaCmId id = event.id();
      try {
        if (random.nextInt(3) == 0) {
          id.reject();
        } else {
          id.queuePair(side.queuePair(QueuePairType.RC));
          id.accept(new ConnectionParameters());
          if (random.nextInt(4) == 0) {
            id.close();
          }
        }
      } catch (VerbsException e) {
        // The peer may have taken its request back meanwhile.
        assertTrue(e.getMessage().contains("no unanswered request"), e.getMessage());
      }
    }
    if (random.nextInt(10) == 0) {
      RdmaCmId own = side.cm.createId(side.cm.createEventChannel(), PortSpace.TCP);
      own.resolveAddress(Gid.parse("192.0.2.9"), 1);
      own.resolveRoute();
      own.queuePair(side.queuePair(QueuePairType.RC));
      try {
        own.connect(new ConnectionParameters());
      } catch (VerbsException e) {
        assertEquals("ENOMEM", e.errno());
      }
      if (random.nextBoolean()) {
        own.close();
      }
    }
  }
}
