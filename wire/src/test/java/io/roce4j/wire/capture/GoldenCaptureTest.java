// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IcrcExplainer;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketRecord;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every capture of Linux's rdma_rxe, packet by packet, against the fields another decoder saw. */
class GoldenCaptureTest {
  private static final Path CAPTURES = Path.of("src/test/resources/captures");

  /** Fields of the manifest that are not in the packet or are checked apart. */
  private static final Set<String> NOT_IN_THE_PACKET = Set.of("n", "t", "op", "lost", "icrc_ok");

  private final FrameDissector frame = new FrameDissector();
  private final PacketView view = new PacketView();
  private final Icrc icrc = new Icrc();

  static List<JsonNode> captures() throws IOException {
    try (InputStream stream =
        GoldenCaptureTest.class.getResourceAsStream("/captures/manifest.json")) {
      List<JsonNode> list = new ArrayList<>();
      new ObjectMapper().readTree(stream).get("captures").forEach(list::add);
      return list;
    }
  }

  @Test
  void allThirtyFourCapturesAreThere() throws IOException {
    assertEquals(34, captures().size());
    int packets = 0;
    for (JsonNode capture : captures()) {
      packets += capture.get("packets_total").asInt();
    }
    assertEquals(806, packets);
  }

  @ParameterizedTest
  @MethodSource("captures")
  void everyFieldOfEveryPacketAgrees(JsonNode capture) throws IOException {
    String file = capture.get("file").asText();
    CapturedPacket packet = new CapturedPacket();
    Map<String, Integer> opcodes = new TreeMap<>();
    try (CaptureReader reader = CaptureReader.open(CAPTURES.resolve(file))) {
      for (JsonNode expected : capture.get("packets")) {
        assertTrue(reader.next(packet), file);
        String at = file + " packet " + packet.number();
        assertEquals(expected.get("n").asLong(), packet.number(), at);
        assertEquals(WireFault.OK, frame.dissect(packet), at);
        assertEquals(
            WireFault.OK, view.wrap(frame.buffer(), frame.bthOffset(), frame.length()), at);
        assertEquals(expected.get("op").asText(), Opcode.name(view.opcode()), at);
        opcodes.merge(Opcode.name(view.opcode()), 1, Integer::sum);
        checkFields(expected, at, packet);
        checkIcrc(expected, at);
        if (CmView.isForGsi(view)) {
          checkCmReEncoding(at);
        }
        checkReEncoding(at);
      }
      assertFalse(reader.next(packet), file);
    }
    capture
        .get("opcodes")
        .properties()
        .forEach(entry -> assertEquals(entry.getValue().asInt(), opcodes.get(entry.getKey())));
  }

  private void checkFields(JsonNode expected, String at, CapturedPacket packet) {
    for (Map.Entry<String, JsonNode> field : expected.properties()) {
      String name = field.getKey();
      if (NOT_IN_THE_PACKET.contains(name)) {
        continue;
      }
      String where = at + " field " + name;
      if (name.equals("src") || name.equals("dst")) {
        String address = (name.equals("src") ? frame.source() : frame.destination()).toString();
        assertEquals(field.getValue().asText(), address, where);
      } else if (name.equals("icrc_wire")) {
        int value = Icrc.received(frame.buffer(), frame.bthOffset(), frame.length());
        assertEquals(
            field.getValue().asText(), String.format("%08x", Integer.reverseBytes(value)), where);
      } else {
        String text = field.getValue().asText();
        long number =
            text.startsWith("0x")
                ? Long.parseUnsignedLong(text, 2, text.length(), 16)
                : field.getValue().asLong();
        assertEquals(number, actual(name, packet), where);
      }
    }
  }

  private long actual(String name, CapturedPacket packet) {
    IpUdpFields fields = frame.fields();
    return switch (name) {
      case "len" -> packet.originalLength();
      case "ip_id" -> fields.identification();
      case "df" -> (fields.fragmentWord() >>> 14) & 1;
      case "ttl", "hlim" -> frame.hopLimit();
      case "tos", "tclass" -> frame.tos();
      case "flow" -> frame.flowLabel();
      case "sport" -> fields.sourcePort();
      case "udp_csum" -> frame.udpChecksum();
      case "udp_len" -> frame.length() + 8;
      case "opcode" -> view.opcode();
      case "se" -> view.solicited() ? 1 : 0;
      case "migreq" -> view.migReq() ? 1 : 0;
      case "pad" -> view.padCount();
      case "tver" -> Bth.tver(view.buffer(), view.bthOffset());
      case "pkey" -> view.pkey();
      case "dqp" -> view.destQp();
      case "ackreq" -> view.ackRequest() ? 1 : 0;
      case "psn" -> view.psn();
      case "aeth_syndrome" -> view.syndrome();
      case "aeth_msn" -> view.msn();
      case "imm" -> view.immediate() & 0xFFFF_FFFFL;
      // The other decoder has one name for the address and key of RETH and AtomicETH.
      case "reth_va" -> Opcode.isAtomic(view.opcode()) ? view.atomicVa() : view.rethVa();
      case "reth_rkey" ->
          (Opcode.isAtomic(view.opcode()) ? view.atomicRkey() : view.rethRkey()) & 0xFFFF_FFFFL;
      case "reth_len" -> view.rethLength();
      case "ieth_rkey" -> view.invalidateRkey() & 0xFFFF_FFFFL;
      case "atomic_swap_add" -> view.atomicSwapOrAdd();
      case "atomic_cmp" -> view.atomicCompare();
      case "atomic_orig" -> view.atomicOriginal();
      case "deth_qkey" -> view.qkey() & 0xFFFF_FFFFL;
      case "deth_srcqp" -> view.sourceQp();
      case "mad_class" -> (Mad.firstWord(view.buffer(), view.payloadOffset()) >>> 16) & 0xFF;
      case "mad_method" -> Mad.firstWord(view.buffer(), view.payloadOffset()) & 0xFF;
      case "mad_tid" -> Mad.transactionId(view.buffer(), view.payloadOffset());
      case "mad_attr" -> Mad.attributeId(view.buffer(), view.payloadOffset());
      default -> throw new AssertionError("manifest field " + name + " is not checked");
    };
  }

  private void checkIcrc(JsonNode expected, String at) {
    boolean right = expected.get("icrc_ok").asBoolean();
    int received = Icrc.received(frame.buffer(), frame.bthOffset(), frame.length());
    int computed =
        icrc.computeAside(frame.buffer(), frame.bthOffset(), frame.length(), frame.fields());
    assertEquals(right, computed == received, at);
    if (!right) {
      assertNotEquals(
          "right",
          new IcrcExplainer()
              .explain(
                  frame.buffer(),
                  frame.ipOffset(),
                  frame.fields().encapsulation(),
                  frame.bthOffset(),
                  frame.length())
              .text(),
          at);
      return;
    }
    // The one-call form over a copy with headroom, and the identification found from the CRC.
    UnsafeBuffer copy = new UnsafeBuffer(new byte[Icrc.HEADROOM + frame.length()]);
    copy.putBytes(Icrc.HEADROOM, frame.buffer(), frame.bthOffset(), frame.length());
    assertTrue(icrc.check(copy, Icrc.HEADROOM, frame.length(), frame.fields()), at);
    if (frame.isIpv4()) {
      assertEquals(
          frame.fields().identification(),
          icrc.solveIdentification(copy, Icrc.HEADROOM, frame.length(), frame.fields()),
          at);
    }
  }

  /** Every bit of every CM message of Linux is a field we know. */
  private void checkCmReEncoding(String at) {
    CmView cm = new CmView();
    assertEquals(WireFault.OK, cm.wrap(view), at);
    UnsafeBuffer copy = new UnsafeBuffer(new byte[Mad.LENGTH]);
    CmRecord.parse(cm).emit(copy, 0);
    for (int i = 0; i < Mad.LENGTH; i++) {
      assertEquals(view.buffer().getByte(view.payloadOffset() + i), copy.getByte(i), at);
    }
  }

  /** Packet to value to bytes gives the captured bytes again, ICRC included. */
  private void checkReEncoding(String at) {
    PacketRecord record = PacketRecord.parse(view);
    UnsafeBuffer copy = new UnsafeBuffer(new byte[Icrc.HEADROOM + frame.length()]);
    assertEquals(frame.length(), record.emit(copy, Icrc.HEADROOM), at);
    for (int i = 0; i < frame.length() - 4; i++) {
      assertEquals(
          frame.buffer().getByte(frame.bthOffset() + i), copy.getByte(Icrc.HEADROOM + i), at);
    }
    assertEquals(WireFault.OK, view.wrap(copy, Icrc.HEADROOM, frame.length()));
    assertEquals(record, PacketRecord.parse(view), at);
  }
}
