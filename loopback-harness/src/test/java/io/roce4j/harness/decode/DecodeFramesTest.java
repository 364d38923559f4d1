// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.PcapWriter;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketRecord;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tool on frames that no capture of rxe holds: trains, RoCEv1, VLANs, CNPs, cut frames. */
class DecodeFramesTest {
  private static final Gid LEFT = Gid.parse("192.0.2.1");
  private static final Gid RIGHT = Gid.parse("192.0.2.2");

  @TempDir private Path folder;
  private final Icrc icrc = new Icrc();
  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[1 << 17]);
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[1 << 17]);
  private Path file;
  private PcapWriter writer;
  private int exitCode;
  private String err;

  @BeforeEach
  void open() throws IOException {
    file = folder.resolve("made.pcap");
    writer = PcapWriter.create(file, LinkType.ETHERNET);
  }

  @AfterEach
  void close() throws IOException {
    writer.close();
  }

  private static IpUdpFields ipv4() {
    return new IpUdpFields().ipv4(LEFT.ipv4(), RIGHT.ipv4(), 0xC123, 4791);
  }

  private static IpUdpFields ipv6() {
    Gid left = Gid.parse("2001:db8::1");
    Gid right = Gid.parse("2001:db8::2");
    return new IpUdpFields().ipv6(left.high(), left.low(), right.high(), right.low(), 0xC123, 4791);
  }

  private int ethernet(IpUdpFields fields, int tos, int length) {
    return FrameWriter.ethernet(
        frame, 0, 2, 1, fields, tos, 64, 0x12345, packet, Icrc.HEADROOM, length);
  }

  private int sealed(PacketRecord record, IpUdpFields fields) {
    int length = record.emit(packet, Icrc.HEADROOM);
    icrc.seal(packet, Icrc.HEADROOM, length, fields);
    return length;
  }

  private List<JsonNode> decode(String... options) throws IOException {
    writer.close();
    List<String> arguments = new ArrayList<>(List.of("decode", "--json", "-"));
    arguments.addAll(List.of(options));
    arguments.add(file.toString());
    StringWriter out = new StringWriter();
    StringWriter errText = new StringWriter();
    exitCode =
        Roce4jCommand.commandLine(
                new PrintWriter(out), new PrintWriter(errText), new DecodeCommand())
            .execute(arguments.toArray(String[]::new));
    err = errText.toString();
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  /** Builds a train as a sending host's capture shows it; packet k has identification id + k. */
  private int train(IpUdpFields fields, int opcode, int payload, int lastPayload, int count) {
    int base = fields.identification();
    int at = Icrc.HEADROOM;
    int[] starts = new int[count + 1];
    for (int i = 0; i < count; i++) {
      byte[] bytes = new byte[i == count - 1 ? lastPayload : payload];
      java.util.Arrays.fill(bytes, (byte) i);
      starts[i] = at;
      at +=
          PacketRecord.of(opcode)
              .destQp(0x11)
              .psn(0xFFFFF0 + i & 0xFFFFFF)
              .payload(bytes)
              .build()
              .emit(packet, at);
    }
    starts[count] = at;
    // Last to first: sealing overwrites the bytes in front.
    for (int i = count - 1; i >= 0; i--) {
      fields.identification(base + i);
      icrc.seal(packet, starts[i], starts[i + 1] - starts[i], fields);
      if (i > 0) {
        rewriteBefore(opcode, payload, i, starts[i - 1], fields, base);
      }
    }
    fields.identification(base);
    return at - Icrc.HEADROOM;
  }

  /** Writes packet i - 1 again, whose end the sealing of packet i used as headroom. */
  private void rewriteBefore(
      int opcode, int payload, int i, int start, IpUdpFields fields, int base) {
    byte[] bytes = new byte[payload];
    java.util.Arrays.fill(bytes, (byte) (i - 1));
    PacketRecord.of(opcode)
        .destQp(0x11)
        .psn(0xFFFFF0 + i - 1 & 0xFFFFFF)
        .payload(bytes)
        .build()
        .emit(packet, start);
    fields.identification(base + i - 1);
  }

  @Test
  void aTrainCapturedAsOneDatagramIsTakenApart() throws IOException {
    for (IpUdpFields fields :
        List.of(ipv4().identification(0), ipv4().identification(777), ipv6())) {
      int length = train(fields, Opcode.UC_WRITE_MIDDLE, 1024, 1024, 60);
      writer.write(5, frame, 0, ethernet(fields, 2, length));
    }
    List<JsonNode> lines = decode("--strict");
    assertEquals(0, exitCode, err);
    assertEquals(180, lines.size());
    for (int i = 0; i < 180; i++) {
      JsonNode line = lines.get(i);
      assertTrue(line.get("icrcOk").asBoolean(), line.toString());
      assertEquals(1 + i / 60, line.get("n").asInt());
      assertEquals(i % 60, line.at("/train/index").asInt());
      assertEquals(60, line.at("/train/packets").asInt());
      assertEquals(1040, line.at("/train/segmentBytes").asInt());
      assertEquals((0xFFFFF0 + i % 60) & 0xFFFFFF, line.get("psn").asInt());
      assertEquals(1024, line.get("payloadLength").asInt());
      assertEquals(1048, line.get("udpLength").asInt());
      if (i < 120) {
        assertEquals((i < 60 ? 0 : 777) + i % 60, line.get("ipId").asInt());
      }
    }
    assertTrue(err.contains("3 trains"), err);
  }

  @Test
  void trainsOfOddSizesWithAShortTailAreFound() throws IOException {
    int[][] shapes = {{37, 5, 9}, {0, 0, 4}, {4096, 1, 15}, {100, 100, 2}, {1, 0, 30}};
    int expected = 0;
    for (int[] shape : shapes) {
      IpUdpFields fields = ipv4().identification(9);
      int length = train(fields, Opcode.RC_SEND_ONLY, shape[0], shape[1], shape[2]);
      writer.write(5, frame, 0, ethernet(fields, 0, length));
      expected += shape[2];
    }
    List<JsonNode> lines = decode("--strict");
    assertEquals(0, exitCode, err);
    assertEquals(expected, lines.size());
    assertTrue(lines.stream().allMatch(line -> line.get("icrcOk").asBoolean()));
  }

  @Test
  void aDamagedPacketInATrainIsOnePacketWithABadIcrc() throws IOException {
    IpUdpFields fields = ipv4();
    int length = train(fields, Opcode.RC_SEND_MIDDLE, 256, 256, 10);
    int total = ethernet(fields, 0, length);
    frame.putByte(42 + 3 * 272 + 40, (byte) (frame.getByte(42 + 3 * 272 + 40) ^ 4));
    writer.write(5, frame, 0, total);
    List<JsonNode> lines = decode("--strict");
    assertEquals(1, exitCode);
    assertEquals(10, lines.size());
    for (int i = 0; i < 10; i++) {
      assertEquals(i != 3, lines.get(i).get("icrcOk").asBoolean());
    }
    assertEquals("ONE_BYTE_CHANGED", lines.get(3).at("/icrcCauses/0").asText());
  }

  @Test
  void aBadPacketOfAnySizeIsNoTrain() throws IOException {
    for (int payload = 0; payload < 3_000; payload += 61) {
      IpUdpFields fields = ipv4();
      int length =
          sealed(PacketRecord.of(Opcode.RC_SEND_ONLY).payload(new byte[payload]).build(), fields);
      int at = Icrc.HEADROOM + length - 1;
      packet.putByte(at, (byte) ~packet.getByte(at));
      writer.write(5, frame, 0, ethernet(fields, 0, length));
    }
    List<JsonNode> lines = decode();
    assertEquals(50, lines.size());
    assertTrue(lines.stream().noneMatch(line -> line.has("train")));
    assertTrue(lines.stream().allMatch(line -> line.get("fault").asText().equals("bad-icrc")));
  }

  @Test
  void roceV1CnpVlanAndEveryHeaderAreShown() throws IOException {
    Gid left = Gid.linkLocal(0x020000000001L);
    Gid right = Gid.linkLocal(0x020000000002L);
    IpUdpFields grh = new IpUdpFields().grh(left.high(), left.low(), right.high(), right.low());
    int length = sealed(PacketRecord.of(Opcode.RC_FLUSH).feth(1, 3).reth(5, 6, 7).build(), grh);
    writer.write(5, frame, 0, ethernet(grh, 0x20, length));
    length =
        sealed(
            PacketRecord.of(Opcode.CNP).migReq(false).becn(true).payload(new byte[16]).build(),
            ipv4());
    int total = ethernet(ipv4(), 0xC3, length);
    frame.putBytes(16, frame, 12, total - 12);
    frame.putInt(12, 0x64000081);
    writer.write(6, frame, 0, total + 4);
    length =
        sealed(
            PacketRecord.of(0xAB)
                .xrcSrqNumber(9)
                .reth(1, 2, 3)
                .immediate(-1)
                .payload((byte) 1)
                .build(),
            ipv6());
    writer.write(7, frame, 0, ethernet(ipv6(), 0, length));
    List<JsonNode> lines = decode("--strict");
    assertEquals(0, exitCode, err);
    JsonNode flush = lines.get(0);
    assertEquals("fe80::ff:fe00:1", flush.get("src").asText());
    assertFalse(flush.has("sport") || flush.has("ipVersion") || flush.has("udpLength"));
    assertEquals(0x12345, flush.at("/grh/flowLabel").asInt());
    assertEquals(0x1B, flush.at("/grh/nextHeader").asInt());
    assertEquals(1, flush.at("/feth/selectivity").asInt());
    assertEquals(3, flush.at("/feth/placement").asInt());
    assertEquals("0x0000000000000005", flush.at("/reth/va").asText());
    JsonNode cnp = lines.get(1);
    assertEquals(100, cnp.get("vlan").asInt());
    assertEquals(3, cnp.get("ecn").asInt());
    assertTrue(cnp.get("becn").asBoolean());
    assertEquals("CNP", cnp.get("opcodeName").asText());
    JsonNode xrc = lines.get(2);
    assertEquals("XRC_WRITE_ONLY_IMM", xrc.get("opcodeName").asText());
    assertEquals(9, xrc.get("xrcEth").asInt());
    assertEquals(0xFFFF_FFFFL, xrc.get("immDt").asLong());
    assertEquals(6, xrc.get("ipVersion").asInt());
    assertEquals(0x12345, xrc.get("flowLabel").asInt());
    assertFalse(xrc.has("ipId"));
  }

  @Test
  void cutFramesShowWhatIsThere() throws IOException {
    IpUdpFields fields = ipv4();
    int length =
        sealed(
            PacketRecord.of(Opcode.RC_WRITE_ONLY)
                .destQp(5)
                .reth(1, 2, 100)
                .payload(new byte[100])
                .build(),
            fields);
    int total = ethernet(fields, 0, length);
    for (int kept : new int[] {20, 42, 50, 54, 69, 70, 100}) {
      writer.write(5, frame, 0, kept, total);
    }
    List<JsonNode> lines = decode("--strict");
    assertEquals(0, exitCode);
    assertEquals(7, lines.size());
    for (JsonNode line : lines) {
      assertEquals("capture-truncated", line.get("fault").asText());
      assertFalse(line.has("icrc") || line.has("icrcOk"));
    }
    assertFalse(lines.get(0).has("src"));
    assertTrue(lines.get(1).has("src"));
    assertFalse(lines.get(2).has("opcode"));
    assertEquals(5, lines.get(3).get("destQp").asInt());
    assertFalse(lines.get(4).has("reth"));
    assertEquals(100, lines.get(5).at("/reth/dmaLength").asInt());
    assertEquals(100, lines.get(6).get("payloadLength").asInt());
  }

  @Test
  void malformedPacketsAreShownWithTheirFault() throws IOException {
    IpUdpFields fields = ipv4();
    int length = sealed(PacketRecord.of(Opcode.RC_SEND_ONLY).build(), fields);
    packet.putByte(Icrc.HEADROOM, (byte) 0x15);
    icrc.seal(packet, Icrc.HEADROOM, length, fields);
    writer.write(5, frame, 0, ethernet(fields, 0, length));
    packet.putByte(Icrc.HEADROOM, (byte) 0x12);
    icrc.seal(packet, Icrc.HEADROOM, length, fields);
    writer.write(5, frame, 0, ethernet(fields, 0, length));
    writer.write(5, frame, 0, ethernet(fields, 0, 7));
    packet.setMemory(Icrc.HEADROOM, 300, (byte) 0);
    packet.putByte(Icrc.HEADROOM, (byte) 0x64);
    packet.putByte(Icrc.HEADROOM + 7, (byte) 1);
    icrc.seal(packet, Icrc.HEADROOM, 280, fields);
    writer.write(5, frame, 0, ethernet(fields, 0, 280));
    List<JsonNode> lines = decode("--strict");
    assertEquals(1, exitCode);
    assertEquals("unknown-opcode", lines.get(0).get("fault").asText());
    assertEquals("UNDEFINED", lines.get(0).get("opcodeName").asText());
    assertTrue(lines.get(0).get("icrcOk").asBoolean());
    assertEquals("truncated", lines.get(1).get("fault").asText());
    assertEquals("too-short", lines.get(2).get("fault").asText());
    assertEquals("bad-mad", lines.get(3).get("fault").asText());
  }

  @Test
  void otherTrafficIsCountedAndShownOnlyWhenAsked() throws IOException {
    frame.setMemory(0, 60, (byte) 0);
    frame.putShort(12, (short) 0x0608);
    writer.write(5, frame, 0, 60);
    assertEquals(0, decode().size());
    assertTrue(err.contains("1 frames, 0 RoCE packets, 1 other frames, no faults"), err);
    assertEquals(1, decode("--fault", "not-ip").size());
  }
}
