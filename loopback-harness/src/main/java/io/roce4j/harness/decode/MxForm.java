// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.wire.mx.Ath;
import io.roce4j.wire.mx.BacklogCode;
import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.Ctrlh;
import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.mx.Nackh;
import io.roce4j.wire.mx.NegotiationBlock;
import io.roce4j.wire.mx.Probeah;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Opcode;
import java.util.Map;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The headers of the multipath transport as an object, and that object as text. */
final class MxForm {
  /** What the one-line text shows; {@code -v} shows all. */
  private static final Set<String> IN_LINE =
      Set.of(
          "half",
          "path",
          "pseq",
          "stream",
          "msn",
          "offset",
          "flags",
          "rqMsn",
          "hiPseq",
          "reason",
          "probeId",
          "controlSequence",
          "items",
          "hint",
          "cpsnLimit");

  private MxForm() {}

  /**
   * Makes the object of a checked packet.
   *
   * @param mx last wrap was OK
   * @return a new object
   */
  static ObjectNode of(MxPacketView mx) {
    ObjectNode object = JsonReport.mapper().createObjectNode();
    object.put("half", mx.responseHalf() ? "response" : "request");
    switch (mx.opcode()) {
      case Opcode.MX_SACK -> sack(object, mx);
      case Opcode.MX_PROBE_ACK -> {
        sack(object, mx);
        object.put("probeId", number(Probeah.probeId(mx.buffer(), mx.probeAckOffset())));
        object.put("rxTs", number(Probeah.rxTimestamp(mx.buffer(), mx.probeAckOffset())));
        object.put("replyTxTs", number(Probeah.txTimestamp(mx.buffer(), mx.probeAckOffset())));
      }
      case Opcode.MX_NACK -> nack(object, mx);
      case Opcode.MX_PROBE -> probe(object, mx);
      case Opcode.MX_CTRL -> control(object, mx);
      default -> message(object, mx);
    }
    return object;
  }

  /** Appends an object as words: all of it, or what a line has room for. */
  static void append(StringBuilder out, ObjectNode object, boolean all) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (all || IN_LINE.contains(field.getKey())) {
        JsonNode value = field.getValue();
        out.append(' ').append(field.getKey()).append(' ');
        out.append(value.isTextual() ? value.asText() : value.toString());
      }
    }
  }

  private static long number(int unsigned) {
    return Integer.toUnsignedLong(unsigned);
  }

  private static void message(ObjectNode object, MxPacketView mx) {
    DirectBuffer buffer = mx.buffer();
    int at = mx.headOffset();
    object.put("path", Mxth.pathId(buffer, at));
    object.put("epoch", Mxth.epoch(buffer, at));
    object.put("pseq", number(Mxth.pseq(buffer, at)));
    object.put("txTs", number(Mxth.txTimestamp(buffer, at)));
    object.put("stream", Mxth.streamId(buffer, at));
    object.put("weight", Mxth.weight(buffer, at));
    int backlog = Mxth.backlogCode(buffer, at);
    object.put("backlogCode", backlog);
    if (backlog != 0 && BacklogCode.maxBytes(backlog) != Long.MAX_VALUE) {
      object.put("backlogBytesMax", BacklogCode.maxBytes(backlog));
    }
    ArrayNode flags = object.putArray("flags");
    int tflags = Mxth.tflags(buffer, at);
    flag(flags, tflags, Mxth.RETRANSMISSION, "RTX");
    flag(flags, tflags, Mxth.TAIL_COPY, "TLP");
    flag(flags, tflags, Mxth.END_OF_BACKLOG, "EOB");
    if (mx.opcode() == Opcode.MX_VOID) {
      return;
    }
    flag(flags, mx.mflags(), Mxmh.FIRST, "FIRST");
    flag(flags, mx.mflags(), Mxmh.LAST, "LAST");
    flag(flags, mx.mflags(), Mxmh.FENCE, "FENCE");
    flag(flags, mx.mflags(), Mxmh.SOLICITED, "SOLICITED");
    object.put("msn", mx.msn());
    object.put("offset", mx.messageOffset());
    if (mx.hasReceiveIndex()) {
      object.put("rqMsn", mx.rqMsn());
      object.put("messageLength", mx.receiveLength());
    }
    if (mx.hasImmediate()) {
      object.put("immDt", number(mx.immediateOrKey()));
    }
    if (mx.hasInvalidate()) {
      object.put("ieth", JsonForm.hex(mx.immediateOrKey(), 8));
    }
    if (mx.opcode() == Opcode.MX_READ_RESP) {
      object.put("syndrome", mx.readSyndrome());
      object.put("totalLength", mx.messageLength());
    }
    if (mx.opcode() == Opcode.MX_ATOMIC_REQUEST) {
      object.put("kind", mx.atomicKind() == Ath.COMPARE_SWAP ? "CmpSwap" : "FetchAdd");
    }
  }

  private static void flag(ArrayNode flags, int word, int bit, String name) {
    if ((word & bit) != 0) {
      flags.add(name);
    }
  }

  private static void sack(ObjectNode object, MxPacketView mx) {
    DirectBuffer buffer = mx.buffer();
    int at = mx.headOffset();
    int sflags = Sackh.sflags(buffer, at);
    object.put("path", Sackh.pathId(buffer, at));
    object.put("epoch", Sackh.epoch(buffer, at));
    ArrayNode flags = object.putArray("flags");
    flag(flags, sflags, Sackh.HINT_VALID, "HINT");
    flag(flags, sflags, Sackh.NEW_CE, "ECE");
    flag(flags, sflags, Sackh.PROBE_REPLY, "PROBE");
    flag(flags, sflags, Sackh.GAP, "GAP");
    flag(flags, sflags, Sackh.DUPLICATE, "DUP");
    flag(flags, sflags, Sackh.HOST_PENALTY, "HOST");
    object.put("hiPseq", number(Sackh.hiPseq(buffer, at)));
    object.put("rxPackets", number(Sackh.rxPackets(buffer, at)));
    object.put("cePackets", number(Sackh.cePackets(buffer, at)));
    object.put("tsEcho", number(Sackh.timestampEcho(buffer, at)));
    object.put("ackDelayNs", Sackh.ackDelay(buffer, at) * 8);
    object.put("rxUnits", number(Sackh.rxUnits(buffer, at)));
    if ((sflags & Sackh.HINT_VALID) != 0) {
      long rate = FairShareHint.decode(Sackh.hint(buffer, at));
      object.put("hint", rate == Long.MAX_VALUE ? "unlimited" : rate + "bit/s");
      object.put("hintGeneration", Sackh.hintGeneration(buffer, at));
    }
    if ((sflags & Sackh.HOST_PENALTY) != 0) {
      object.put("hostPenalty", Sackh.hostPenalty(buffer, at));
    }
    object.put("cpsnLimit", Sackh.cpsnLimit(buffer, at));
    object.put("rqStream", Sackh.rqStream(buffer, at));
    object.put("rqLimit", Sackh.rqLimit(buffer, at));
    StringBuilder vector = new StringBuilder();
    for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
      vector.append(JsonForm.hex(Sackh.vectorWord(buffer, at, word), 16).substring(2));
    }
    object.put("vector", vector.toString());
  }

  private static void nack(ObjectNode object, MxPacketView mx) {
    DirectBuffer buffer = mx.buffer();
    int at = mx.headOffset();
    object.put("path", Nackh.pathId(buffer, at));
    object.put("epoch", Nackh.epoch(buffer, at));
    object.put("reason", Nackh.reason(buffer, at));
    object.put("reasonName", NackReason.name(Nackh.reason(buffer, at)));
    object.put("pseq", number(Nackh.pseq(buffer, at)));
    object.put("aux", Nackh.aux(buffer, at));
  }

  private static void probe(ObjectNode object, MxPacketView mx) {
    DirectBuffer buffer = mx.buffer();
    int at = mx.headOffset();
    int pflags = Probeh.pflags(buffer, at);
    object.put("path", Probeh.pathId(buffer, at));
    object.put("epoch", Probeh.epoch(buffer, at));
    ArrayNode flags = object.putArray("flags");
    flag(flags, pflags, Probeh.VECTOR_WANTED, "VECTOR");
    flag(flags, pflags, Probeh.TAIL_CHECK, "TAIL");
    object.put("probeId", number(Probeh.probeId(buffer, at)));
    object.put("txTs", number(Probeh.txTimestamp(buffer, at)));
    object.put("basePseq", number(Probeh.basePseq(buffer, at)));
    object.put("lastPseq", number(Probeh.lastPseq(buffer, at)));
  }

  private static void control(ObjectNode object, MxPacketView mx) {
    DirectBuffer buffer = mx.buffer();
    int cflags = Ctrlh.cflags(buffer, mx.headOffset());
    object.put("controlSequence", Ctrlh.sequence(buffer, mx.headOffset()));
    object.put("acknowledgement", (cflags & Ctrlh.ACKNOWLEDGEMENT) != 0);
    ControlTlv tlv = new ControlTlv();
    ArrayNode items = object.putArray("items");
    if (tlv.wrap(buffer, mx.payloadOffset(), mx.payloadLength()) == MxFault.OK) {
      while (tlv.next()) {
        item(items.addObject(), tlv);
      }
    }
  }

  private static void item(ObjectNode item, ControlTlv tlv) {
    switch (tlv.type()) {
      case ControlTlv.PATH_MOVE -> {
        item.put("type", "PATH_MOVE").put("path", tlv.path());
        item.put("epoch", tlv.epoch()).put("plane", tlv.plane());
      }
      case ControlTlv.PATH_CLOSE -> item.put("type", "PATH_CLOSE").put("path", tlv.path());
      case ControlTlv.PORT_STATUS ->
          item.put("type", "PORT_STATUS").put("portMask", JsonForm.hex(tlv.portMask(), 8));
      case ControlTlv.STREAM_OPEN -> {
        item.put("type", "STREAM_OPEN").put("stream", tlv.stream());
        item.put("rqLimit", tlv.rqLimit()).put("verbsQpn", tlv.verbsQpn());
        item.put("rnrWaitUs", tlv.rnrWaitUs());
      }
      case ControlTlv.STREAM_CLOSE -> item.put("type", "STREAM_CLOSE").put("stream", tlv.stream());
      case ControlTlv.HINT_UPDATE -> {
        item.put("type", "HINT_UPDATE").put("path", tlv.path());
        item.put("hintBitsPerSecond", FairShareHint.decode(tlv.hint()));
        item.put("hintGeneration", tlv.hintGeneration());
      }
      case ControlTlv.RQ_CREDIT -> {
        item.put("type", "RQ_CREDIT").put("stream", tlv.stream());
        item.put("rqLimit", tlv.rqLimit());
      }
      default -> item.put("type", "CONN_CLOSE").put("reason", tlv.reason());
    }
  }

  /**
   * The MX block in front of an application's private data.
   *
   * @param data private data, behind the RDMA CM header when there is one
   * @param from first byte
   * @return the object, or null when there is no block
   */
  static ObjectNode negotiation(byte[] data, int from) {
    UnsafeBuffer buffer = new UnsafeBuffer(data);
    if (NegotiationBlock.check(buffer, from, data.length - from) != MxFault.OK) {
      return null;
    }
    NegotiationBlock block = NegotiationBlock.read(buffer, from);
    ObjectNode object = JsonReport.mapper().createObjectNode();
    object.put("version", block.version());
    object.put("capabilities", JsonForm.hex(block.capabilities(), 6));
    object.put("maxPaths", block.maxPaths()).put("planes", block.planes());
    object.put("trackerUnits", block.trackerUnits()).put("ackEvery", block.ackEvery());
    object.put("maxAckDelayUs", block.maxAckDelayUs()).put("connQpn", block.connQpn());
    object.put("streams", block.streams()).put("isn", block.isn());
    object.put("joinConn", block.joinConn()).put("stream", block.stream());
    return object;
  }
}
