// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.Ctrlh;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Control messages, exactly once and in order: one is under way per direction and is repeated until
 * it is acknowledged, for as long as the connection lives; a bounded number of tries would lose a
 * credit for good.
 *
 * <p>Each try takes another path, from the fourth on a fresh random source port: control may be all
 * that moves, and then no data shows that every port in use is black-holed.
 */
final class ControlChannel {
  /** Room for the items of one message. */
  static final int ITEMS_MAX = 192;

  private static final int FRESH_PORT_TRY = 4;
  private static final int FAREWELLS = 3;
  private static final int HEADERS = Bth.LENGTH + Ctrlh.LENGTH;

  /** What the channel carries and whom it tells. */
  interface Client {
    /**
     * Writes what the peer should be told now.
     *
     * @param buffer receives the items
     * @param room bytes there are
     * @param nowNs time of the endpoint, ns
     * @return bytes written, 0 for nothing to say
     */
    int writeItems(UnsafeBuffer buffer, int room, long nowNs);

    /**
     * Which half the path items of the last {@link #writeItems} speak of.
     *
     * @return true for the response half
     */
    boolean itemsOfResponseHalf();

    /**
     * A message of the peer arrived for the first time.
     *
     * @param items its items, checked
     * @param responseHalf whether its path items speak of the response half
     * @param nowNs time of the endpoint, ns
     * @return false when it cannot be executed yet: it is not acknowledged and will come again
     */
    boolean onItems(ControlTlv items, boolean responseHalf, long nowNs);

    /**
     * The peer has executed this side's message.
     *
     * @param sent the items of that message
     * @param answer the items of its acknowledgement
     * @param nowNs time of the endpoint, ns
     */
    void onAcknowledged(ControlTlv sent, ControlTlv answer, long nowNs);

    /**
     * Writes the items that belong into the acknowledgement of the last message executed.
     *
     * @param buffer receives the items
     * @param room bytes there are
     * @return bytes written
     */
    int writeAnswer(UnsafeBuffer buffer, int room);

    /**
     * A slot of a path that carries data, for the try of that number.
     *
     * @param attempt 0, 1, 2
     * @return source-port slot
     */
    int pathSlot(int attempt);

    /**
     * Any slot.
     *
     * @return a random source-port slot
     */
    int freshSlot();

    /**
     * The connection's round trip time.
     *
     * @return ns
     */
    long roundTripNs();
  }

  private final Client client;
  private final MxCounters counters;
  private final UnsafeBuffer message = new UnsafeBuffer(new byte[ITEMS_MAX]);
  private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[ITEMS_MAX]);
  private final ControlTlv tlv = new ControlTlv();
  private final ControlTlv sentTlv = new ControlTlv();

  private int sequence;
  private int length;
  private boolean underWay;
  private int flags;
  private int tries;
  private long nextTryNs = SendPath.NEVER;
  private int received;
  private boolean anyReceived;
  private boolean answerDue;
  private boolean farewell;

  ControlChannel(Client client, MxCounters counters) {
    this.client = client;
    this.counters = counters;
  }

  /** Whether a message waits for its acknowledgement. */
  boolean isUnderWay() {
    return underWay;
  }

  /** When the message under way is repeated. */
  long deadlineNs() {
    return nextTryNs;
  }

  /**
   * Writes at most one control packet.
   *
   * @return {@link ConnectionEngine#IDLE}, {@link ConnectionEngine#MORE} or {@link
   *     ConnectionEngine#BLOCKED}
   */
  int transmit(long nowNs, MxWire wire, TrainSink sink) {
    if (answerDue) {
      int items = client.writeAnswer(scratch, ITEMS_MAX);
      int slot = client.pathSlot(0);
      if (!write(nowNs, wire, sink, slot, received, Ctrlh.ACKNOWLEDGEMENT, scratch, items)) {
        return ConnectionEngine.BLOCKED;
      }
      answerDue = false;
      return ConnectionEngine.MORE;
    }
    if (farewell && tries >= FAREWELLS) {
      nextTryNs = SendPath.NEVER;
      return ConnectionEngine.IDLE;
    }
    if (!underWay) {
      length = client.writeItems(message, ITEMS_MAX, nowNs);
      if (length == 0) {
        return ConnectionEngine.IDLE;
      }
      flags = client.itemsOfResponseHalf() ? Ctrlh.RESPONSE_HALF : 0;
      sequence = sequence + 1 & 0xFFFF;
      underWay = true;
      tries = 0;
      nextTryNs = nowNs;
    }
    if (nowNs < nextTryNs) {
      return ConnectionEngine.IDLE;
    }
    int slot = tries < FRESH_PORT_TRY - 1 ? client.pathSlot(tries) : client.freshSlot();
    if (!write(nowNs, wire, sink, slot, sequence, flags, message, length)) {
      return ConnectionEngine.BLOCKED;
    }
    counters.controlSent++;
    counters.controlRepeated += tries > 0 ? 1 : 0;
    long waitNs = 2 * client.roundTripNs();
    long most = Math.max(waitNs, PathMonitor.BACKOFF_MAX_NS);
    nextTryNs = nowNs + (tries > 20 ? most : Math.min(waitNs << tries, most));
    tries++;
    return ConnectionEngine.MORE;
  }

  /** Replaces whatever is under way by the end of the connection, said three times. */
  void farewell(long nowNs) {
    farewell = true;
    answerDue = false;
    underWay = true;
    sequence = sequence + 1 & 0xFFFF;
    length = ControlTlv.writeConnClose(message, 0, 0);
    tries = 0;
    nextTryNs = nowNs;
  }

  private static boolean write(
      long nowNs,
      MxWire wire,
      TrainSink sink,
      int slot,
      int number,
      int cflags,
      UnsafeBuffer items,
      int bytes) {
    int pad = PacketWriter.padCount(bytes);
    int packet = HEADERS + bytes + pad + PacketWriter.ICRC_LENGTH;
    if (sink.open(slot, wire.destination(), wire.controlTos(), packet) <= 0) {
      return false;
    }
    int offset = sink.claim();
    UnsafeBuffer buffer = sink.transmitBuffer();
    Bth.write(
        buffer, offset, Opcode.MX_CTRL, false, true, pad, wire.pkey(), wire.peerQpn(), false, 0);
    Ctrlh.write(buffer, offset + Bth.LENGTH, number, cflags);
    buffer.putBytes(offset + HEADERS, items, 0, bytes);
    buffer.setMemory(offset + HEADERS + bytes, pad, (byte) 0);
    wire.onPacketOut(nowNs, Opcode.MX_CTRL, 0, packet, false);
    sink.commit(packet);
    return true;
  }

  /** Takes an MX_CTRL. */
  void onPacket(MxPacketView view, long nowNs) {
    int fault = tlv.wrap(view.buffer(), view.payloadOffset(), view.payloadLength());
    if (fault != MxFault.OK) {
      counters.rxFaults++;
      return;
    }
    int number = Ctrlh.sequence(view.buffer(), view.headOffset());
    int cflags = Ctrlh.cflags(view.buffer(), view.headOffset());
    if ((cflags & Ctrlh.ACKNOWLEDGEMENT) != 0) {
      onAnswer(number, nowNs);
      return;
    }
    int ahead = Serial.distance16(received, number);
    if (ahead < 0) {
      counters.controlDuplicates++;
    } else if (ahead == 0) {
      counters.controlDuplicates++;
      answerDue |= anyReceived; // executed before: say so again
    } else if (client.onItems(tlv, view.responseHalf(), nowNs)) {
      counters.controlReceived++;
      received = number;
      anyReceived = true;
      answerDue = true;
    }
  }

  private void onAnswer(int number, long nowNs) {
    if (!underWay || number != sequence) {
      counters.controlDuplicates++;
      return;
    }
    underWay = false;
    nextTryNs = SendPath.NEVER;
    sentTlv.wrap(message, 0, length);
    client.onAcknowledged(sentTlv, tlv, nowNs);
  }
}
