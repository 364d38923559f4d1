// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.Mad;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;

/**
 * Any order of messages with any bytes changed, and any steps of the application between them:
 * nothing is thrown, and when the connection manager closes nothing is left after its timeouts.
 *
 * <p>An input is a list of steps. The low half of a step's first byte says what: 0 to 8 a message
 * REQ to SIDR_REP that fits what the endpoint sent last, with as many bytes changed as the high
 * half says (offset, value); 9 time passes; 10 and up the application accepts, rejects, closes,
 * connects, disconnects, asks for time.
 */
class CmAgentFuzzTest {
  private static final int STEPS_MAX = 64;

  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a list of steps, see above
   */
  public static void fuzzerTestOneInput(byte[] data) {
    new CmAgentFuzzTest().run(data);
  }

  /**
   * One endpoint plays all inputs, each with a connection manager of its own: to open one costs.
   */
  private static CmNet net;

  private static CmNet.Side side;

  private final Deque<RdmaCmId> ids = new ArrayDeque<>();
  private final List<QueuePair> queuePairs = new ArrayList<>();
  private CmRecord last = CmRecord.of(CmAttribute.REP, HandPeer.TID);
  private byte[] input;
  private int at;

  @AfterAll
  static void close() {
    if (net != null) {
      net.close();
      net = null;
    }
  }

  private int next() {
    return at < input.length ? input[at++] & 0xFF : 0;
  }

  private void run(byte... data) {
    input = data;
    CmSettings settings =
        CmSettings.defaults().withMaxConnections(8).withPeerWaitMaxNs(1_000 * CmNet.MS);
    if (net == null) {
      net = new CmNet();
      side = net.add("192.0.2.2", settings);
    } else {
      side.reopen(settings, 17);
    }
    side.listen(PortSpace.TCP, HandPeer.PORT, 4);
    side.listen(PortSpace.UDP, HandPeer.PORT, 4);
    for (int i = 0; i < STEPS_MAX && at < data.length; i++) {
      step(next());
      assertTrue(side.cm.connections() <= 8);
    }
    side.cm.close();
    net.runFor(200_000 * CmNet.MS);
    assertEquals(0, side.cm.connections());
    assertTrue(side.cm.isQuiet());
    queuePairs.forEach(QueuePair::close);
    net.sent.clear();
  }

  private QueuePair queuePair(int type) {
    QueuePair made = side.queuePair(type);
    queuePairs.add(made);
    return made;
  }

  private void step(int what) {
    int kind = what & 0xF;
    if (kind <= CmAttribute.SIDR_REP - CmAttribute.REQ) {
      inject(CmAttribute.REQ + kind, what >>> 4);
    } else if (kind == 9) {
      net.runFor((1L << (next() & 0xF)) * CmNet.MS);
    } else {
      try {
        act(kind);
      } catch (VerbsException e) {
        assertTrue(!e.errno().isEmpty()); // a step that did not fit
      }
    }
    for (CmEvent event = side.channel.poll(); event != null; event = side.channel.poll()) {
      if (event.type() == CmEventType.CONNECT_REQUEST) {
        ids.add(event.id());
      }
    }
    for (CmNet.Message each : net.sent) {
      if (each.attributeId() == CmAttribute.REP || each.attributeId() == CmAttribute.REQ) {
        last = each.mad();
      }
    }
    net.sent.clear();
  }

  private void inject(int attribute, int changes) {
    UnsafeBuffer mad = new UnsafeBuffer(new byte[Mad.LENGTH]);
    message(attribute).emit(mad, 0);
    for (int i = 0; i < changes; i++) {
      mad.putByte(next(), (byte) next());
    }
    side.inject(HandPeer.ADDRESS, mad.byteArray());
  }

  private CmRecord message(int attribute) {
    return switch (attribute) {
      case CmAttribute.REQ -> HandPeer.req(side.address);
      case CmAttribute.REP -> HandPeer.rep(last);
      case CmAttribute.SIDR_REQ -> HandPeer.sidrReq(side.address);
      case CmAttribute.SIDR_REP ->
          CmRecord.of(attribute, last.transactionId()).with("requestId", last.get("localCommId"));
      case CmAttribute.DREQ -> HandPeer.dreq(last, (int) last.get("localQpn"));
      default -> HandPeer.answer(attribute, last);
    };
  }

  private void act(int kind) {
    RdmaCmId id = ids.peek();
    if (kind == 13) {
      RdmaCmId own = side.cm.createId(side.channel, PortSpace.TCP);
      ids.add(own);
      own.resolveAddress(HandPeer.ADDRESS, HandPeer.PORT);
      own.resolveRoute();
      own.queuePair(queuePair(QueuePairType.RC));
      own.connect(new ConnectionParameters());
    } else if (id != null) {
      switch (kind) {
        case 10 -> {
          boolean datagram = id.portSpace() == PortSpace.UDP;
          id.queuePair(queuePair(datagram ? QueuePairType.UD : QueuePairType.RC));
          id.accept(new ConnectionParameters());
        }
        case 11 -> ids.remove().reject();
        case 12 -> ids.remove().close();
        case 14 -> id.disconnect();
        default -> id.needTime(next() & 31);
      }
    }
    net.settle();
  }
}
