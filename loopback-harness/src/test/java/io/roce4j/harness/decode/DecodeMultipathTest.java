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
import io.roce4j.wire.cm.CmAttribute;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.cm.RdmaCmHeader;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.mx.Ath;
import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.Ctrlh;
import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.mx.Nackh;
import io.roce4j.wire.mx.NegotiationBlock;
import io.roce4j.wire.mx.Probeah;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.mx.Rqh;
import io.roce4j.wire.mx.Rrh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.AtomicAckEth;
import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.ImmDt;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
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

/** The tool on packets of the multipath transport and on its negotiation in CM messages. */
class DecodeMultipathTest {
  private static final int BTH = Icrc.HEADROOM;
  private static final int HEAD = BTH + 12;

  @TempDir private Path folder;
  private final Icrc icrc = new Icrc();
  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[1024]);
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[1024]);
  private final Gid left = Gid.parse("10.0.0.1");
  private final Gid right = Gid.parse("10.0.0.2");
  private Path file;
  private PcapWriter writer;
  private String out;

  @BeforeEach
  void open() throws IOException {
    file = folder.resolve("mx.pcap");
    writer = PcapWriter.create(file, LinkType.RAW_IP);
  }

  @AfterEach
  void close() throws IOException {
    writer.close();
  }

  /** Starts a packet whose headers behind the fixed ones count as payload. */
  private int begin(int opcode, int bytesBehind) {
    return PacketWriter.begin(packet, BTH, opcode, bytesBehind, false, 0xFFFF, 0x77, true, 1000);
  }

  private void write(int length) throws IOException {
    IpUdpFields fields = new IpUdpFields().ipv4(left.ipv4(), right.ipv4(), 0xC001, 4791);
    icrc.seal(packet, BTH, length, fields);
    int total = FrameWriter.rawIp(frame, 0, fields, 2, 64, 0, packet, BTH, length);
    writer.write(9, frame, 0, total);
  }

  private void run(String... options) throws IOException {
    writer.close();
    List<String> arguments = new ArrayList<>(List.of("decode", "--strict"));
    arguments.addAll(List.of(options));
    arguments.add(file.toString());
    StringWriter text = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(text), new PrintWriter(err), new DecodeCommand())
            .execute(arguments.toArray(String[]::new));
    out = text.toString();
    assertEquals(0, exitCode, out + err);
  }

  private List<JsonNode> json() throws IOException {
    run("--json", "-");
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.lines().toList()) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  private void transport(int tflags) {
    Mxth.write(packet, HEAD, tflags, 3, 9, 4, -2, 77, 5, 2);
  }

  @Test
  void aWriteWithImmediateShowsAllItsHeaders() throws IOException {
    int length = begin(Opcode.MX_WRITE, 4 + Rqh.LENGTH + 5);
    transport(Mxth.RETRANSMISSION | Mxth.END_OF_BACKLOG);
    Mxmh.write(packet, HEAD + 16, Mxmh.LAST | Mxmh.IMMEDIATE, 12, 4096);
    Reth.write(packet, HEAD + 24, 0x1000, 7, 4101);
    ImmDt.immediate(packet, HEAD + 40, 0xDEADBEEF);
    Rqh.write(packet, HEAD + 44, 6, 4101);
    write(length);
    JsonNode line = json().getFirst();
    JsonNode mx = line.get("mx");
    assertEquals("MX_WRITE", line.get("opcodeName").asText());
    assertEquals(1000, line.get("psn").asInt());
    assertEquals(5, line.get("payloadLength").asInt());
    assertEquals("0x0000000000001000", line.at("/reth/va").asText());
    assertEquals("request", mx.get("half").asText());
    assertEquals(3, mx.get("path").asInt());
    assertEquals(9, mx.get("epoch").asInt());
    assertEquals(0xFFFF_FFFEL, mx.get("pseq").asLong());
    assertEquals(77, mx.get("txTs").asInt());
    assertEquals(5, mx.get("stream").asInt());
    assertEquals("[\"RTX\",\"EOB\",\"LAST\"]", mx.get("flags").toString());
    assertEquals(12, mx.get("msn").asInt());
    assertEquals(4096, mx.get("offset").asInt());
    assertEquals(6, mx.get("rqMsn").asInt());
    assertEquals(0xDEADBEEFL, mx.get("immDt").asLong());
    run();
    assertTrue(out.contains(" half request path 3 pseq 4294967294 stream 5 "), out);
  }

  @Test
  void everyKindOfMessageIsUnderstood() throws IOException {
    int length = begin(Opcode.MX_SEND, 10);
    transport(0);
    Mxmh.write(packet, HEAD + 16, Mxmh.FIRST | Mxmh.LAST, 1, 0);
    Rqh.write(packet, HEAD + 24, 1, 10);
    write(length);
    length = begin(Opcode.MX_READ_REQUEST, 0);
    transport(0);
    Mxmh.write(packet, HEAD + 16, Mxmh.FIRST | Mxmh.LAST, 2, 0);
    Reth.write(packet, HEAD + 24, 1, 2, 3);
    write(length);
    length = begin(Opcode.MX_READ_RESP, 3);
    transport(Mxth.RESPONSE_HALF);
    Mxmh.write(packet, HEAD + 16, Mxmh.FIRST | Mxmh.LAST, 2, 0);
    Rrh.write(packet, HEAD + 24, 0, 3);
    write(length);
    length = begin(Opcode.MX_ATOMIC_REQUEST, 0);
    transport(0);
    Mxmh.write(packet, HEAD + 16, Mxmh.FIRST | Mxmh.LAST, 3, 0);
    AtomicEth.write(packet, HEAD + 24, 8, 9, 10, 11);
    Ath.write(packet, HEAD + 52, Ath.FETCH_ADD);
    write(length);
    length = begin(Opcode.MX_ATOMIC_RESP, 0);
    transport(Mxth.RESPONSE_HALF);
    Mxmh.write(packet, HEAD + 16, Mxmh.FIRST | Mxmh.LAST, 3, 0);
    AtomicAckEth.original(packet, HEAD + 24, 42);
    write(length);
    length = begin(Opcode.MX_VOID, 0);
    transport(0);
    write(length);
    List<JsonNode> lines = json();
    assertEquals(10, lines.get(0).get("payloadLength").asInt());
    assertEquals(10, lines.get(0).at("/mx/messageLength").asInt());
    assertEquals(3, lines.get(1).at("/reth/dmaLength").asInt());
    assertEquals("response", lines.get(2).at("/mx/half").asText());
    assertEquals(3, lines.get(2).at("/mx/totalLength").asInt());
    assertEquals("FetchAdd", lines.get(3).at("/mx/kind").asText());
    assertEquals("0x000000000000000a", lines.get(3).at("/atomicEth/swapOrAdd").asText());
    assertEquals("0x000000000000002a", lines.get(4).at("/atomicAckEth/original").asText());
    assertEquals("MX_VOID", lines.get(5).get("opcodeName").asText());
    assertFalse(lines.get(5).get("mx").has("msn"));
  }

  @Test
  void acknowledgementsAndProbesAreUnderstood() throws IOException {
    int length = begin(Opcode.MX_SACK, 0);
    packet.setMemory(HEAD, Sackh.LENGTH, (byte) 0);
    packet.putByte(HEAD, (byte) 4);
    packet.putByte(HEAD + 3, (byte) (Sackh.HINT_VALID | Sackh.GAP | Sackh.RESPONSE_HALF));
    packet.putByte(HEAD + 7, (byte) 99);
    int hint = FairShareHint.encode(10_000_000_000L);
    packet.putShort(HEAD + 28, (short) hint, java.nio.ByteOrder.BIG_ENDIAN);
    packet.putByte(HEAD + 40, (byte) 0xA0);
    write(length);
    length = begin(Opcode.MX_NACK, 0);
    Nackh.write(packet, HEAD, NackReason.RECEIVER_NOT_READY, 1, 2, 0, 3, 640);
    write(length);
    length = begin(Opcode.MX_PROBE, 0);
    Probeh.write(packet, HEAD, 1, 2, Probeh.TAIL_CHECK, 5, 6, 7, 8);
    write(length);
    length = begin(Opcode.MX_PROBE_ACK, 0);
    packet.setMemory(HEAD, Sackh.LENGTH, (byte) 0);
    Probeah.write(packet, HEAD + Sackh.LENGTH, 5, 11, 12);
    write(length);
    List<JsonNode> lines = json();
    JsonNode sack = lines.get(0).get("mx");
    assertEquals("response", sack.get("half").asText());
    assertEquals(4, sack.get("path").asInt());
    assertEquals(99, sack.get("hiPseq").asInt());
    assertEquals("[\"HINT\",\"GAP\"]", sack.get("flags").toString());
    assertEquals(FairShareHint.decode(hint) + "bit/s", sack.get("hint").asText());
    assertTrue(sack.get("vector").asText().startsWith("a0"), sack.get("vector").asText());
    JsonNode nack = lines.get(1).get("mx");
    assertEquals(NackReason.name(3), nack.get("reasonName").asText());
    assertEquals(640, nack.get("aux").asInt());
    assertEquals("[\"TAIL\"]", lines.get(2).at("/mx/flags").toString());
    assertEquals(8, lines.get(2).at("/mx/lastPseq").asInt());
    assertEquals(5, lines.get(3).at("/mx/probeId").asInt());
    assertEquals(12, lines.get(3).at("/mx/replyTxTs").asInt());
  }

  @Test
  void controlItemsAreListed() throws IOException {
    UnsafeBuffer items = new UnsafeBuffer(new byte[128]);
    int used = ControlTlv.writePathMove(items, 0, 1, 2, 3);
    used = ControlTlv.writePathClose(items, used, 4);
    used = ControlTlv.writePortStatus(items, used, 0xF0);
    used = ControlTlv.writeStreamOpen(items, used, 5, 6, 7, 8);
    used = ControlTlv.writeStreamClose(items, used, 9);
    used = ControlTlv.writeHintUpdate(items, used, 1, FairShareHint.encode(1_000_000), 2);
    used = ControlTlv.writeRqCredit(items, used, 10, 11);
    used = ControlTlv.writeConnClose(items, used, 12);
    int length = begin(Opcode.MX_CTRL, used);
    Ctrlh.write(packet, HEAD, 21, Ctrlh.ACKNOWLEDGEMENT);
    packet.putBytes(HEAD + Ctrlh.LENGTH, items, 0, used);
    write(length);
    JsonNode mx = json().getFirst().get("mx");
    assertEquals(21, mx.get("controlSequence").asInt());
    assertTrue(mx.get("acknowledgement").asBoolean());
    assertEquals(8, mx.get("items").size());
    assertEquals("0x000000f0", mx.at("/items/2/portMask").asText());
    assertEquals(7, mx.at("/items/3/verbsQpn").asInt());
    assertEquals(1_000_000, mx.at("/items/5/hintBitsPerSecond").asInt());
    assertEquals("CONN_CLOSE", mx.at("/items/7/type").asText());
  }

  @Test
  void contradictingHeadersAreAFaultWithItsReason() throws IOException {
    int length = begin(Opcode.MX_VOID, 0);
    transport(0);
    packet.putByte(HEAD, (byte) 0x20);
    write(length);
    length = begin(Opcode.MX_CTRL, 4);
    Ctrlh.write(packet, HEAD, 21, 0);
    packet.putInt(HEAD + Ctrlh.LENGTH, -1);
    write(length);
    writer.close();
    StringWriter text = new StringWriter();
    int exitCode =
        Roce4jCommand.commandLine(new PrintWriter(text), new PrintWriter(text), new DecodeCommand())
            .execute("decode", "--strict", file.toString());
    assertEquals(1, exitCode);
    assertTrue(text.toString().contains("[bad-mx-header: bad-version]"), text.toString());
    assertTrue(text.toString().contains("[bad-mx-header: bad-tlv]"), text.toString());
  }

  @Test
  void theNegotiationBlockInARequestIsShown() throws IOException {
    byte[] data = new byte[92];
    UnsafeBuffer buffer = new UnsafeBuffer(data);
    RdmaCmHeader.write(buffer, 0, 40_000, left, right);
    new NegotiationBlock(1, 0x1FF, 8, 2, 16, 4, 50, 0x77, 3, 99, 0, 0).write(buffer, 36);
    data[36 + NegotiationBlock.LENGTH] = 0x55;
    int length =
        PacketWriter.begin(
            packet, BTH, Opcode.UD_SEND_ONLY, Mad.LENGTH, false, 0xFFFF, 1, false, 0);
    Deth.write(packet, HEAD, Mad.GSI_QKEY, 1);
    CmRecord.of(CmAttribute.REQ, 5).withPrivateData(data).emit(packet, HEAD + 8);
    write(length);
    JsonNode cm = json().getFirst().get("cm");
    assertEquals(8, cm.at("/mx/maxPaths").asInt());
    assertEquals(0x77, cm.at("/mx/connQpn").asInt());
    assertEquals(99, cm.at("/mx/isn").asInt());
    assertEquals("55", cm.get("privateData").asText());
    assertEquals("10.0.0.1", cm.at("/rdmaCm/source").asText());
  }
}
