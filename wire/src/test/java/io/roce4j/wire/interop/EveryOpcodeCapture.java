// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.interop;

import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.PcapWriter;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.mx.Ath;
import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.Ctrlh;
import io.roce4j.wire.mx.Mxmh;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.mx.Nackh;
import io.roce4j.wire.mx.Probeah;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.mx.Rqh;
import io.roce4j.wire.mx.Rrh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketRecord;
import io.roce4j.wire.packet.PacketRecordBuilder;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Makes a capture with every opcode in every encapsulation, sealed by our encoder, and says in JSON
 * Lines what it put in, for comparison with other dissectors. Same seed, same bytes.
 */
public final class EveryOpcodeCapture {
  /** What the frames are made from. */
  public static final long SEED = 0x5EED_0100L;

  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final long STEP_NS = 1_000_007L;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[8192]);
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[8192]);
  private final Icrc icrc = new Icrc();
  private final List<byte[]> frames = new ArrayList<>();
  private final List<String> expected = new ArrayList<>();

  private EveryOpcodeCapture() {}

  /**
   * Writes the capture and what it holds.
   *
   * @param arguments the pcap file and the JSON Lines file to write
   * @throws IOException when a file cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    EveryOpcodeCapture capture = make();
    try (PcapWriter writer = PcapWriter.create(Path.of(arguments[0]), LinkType.ETHERNET);
        PrintWriter lines =
            new PrintWriter(
                Files.newBufferedWriter(Path.of(arguments[1]), StandardCharsets.UTF_8))) {
      for (int i = 0; i < capture.frames.size(); i++) {
        byte[] bytes = capture.frames.get(i);
        writer.write(START_NS + i * STEP_NS, new UnsafeBuffer(bytes), 0, bytes.length);
        lines.println(capture.expected.get(i));
      }
    }
  }

  /**
   * Makes the frames.
   *
   * @return whole Ethernet frames
   */
  public static List<byte[]> frames() {
    return List.copyOf(make().frames);
  }

  private static EveryOpcodeCapture make() {
    EveryOpcodeCapture capture = new EveryOpcodeCapture();
    for (int encapsulation : new int[] {IpUdpFields.IPV4, IpUdpFields.IPV6, IpUdpFields.GRH}) {
      for (int opcode = 0; opcode < Opcode.COUNT; opcode++) {
        if (Opcode.isDefined(opcode)) {
          // Payloads of all pad counts.
          for (int payload : Opcode.hasPayload(opcode) ? new int[] {0, 1, 6, 64} : new int[] {0}) {
            capture.add(encapsulation, opcode, payload);
          }
        }
      }
    }
    return capture;
  }

  private IpUdpFields fields(int encapsulation) {
    int port = 0xC000 + random.nextInt(0x4000);
    Gid left = Gid.parse("2001:db8::a:1");
    Gid right = Gid.parse("2001:db8::b:2");
    return switch (encapsulation) {
      case IpUdpFields.IPV4 ->
          new IpUdpFields()
              .ipv4(0xC000_0201, 0xC633_6402, port, IpUdpFields.ROCE_PORT)
              .identification(random.nextInt(65_536));
      case IpUdpFields.IPV6 ->
          new IpUdpFields()
              .ipv6(
                  left.high(), left.low(), right.high(), right.low(), port, IpUdpFields.ROCE_PORT);
      default -> new IpUdpFields().grh(left.high(), left.low(), right.high(), right.low());
    };
  }

  private void add(int encapsulation, int opcode, int payload) {
    IpUdpFields fields = fields(encapsulation);
    int tos = random.nextInt(256);
    int hopLimit = 1 + random.nextInt(255);
    int flowLabel = random.nextInt(1 << 20);
    PacketRecord record =
        Opcode.transportClass(opcode) == Opcode.CLASS_MX
            ? multipath(opcode, payload)
            : record(opcode, payload);
    int length = record.emit(packet, Icrc.HEADROOM);
    icrc.seal(packet, Icrc.HEADROOM, length, fields);
    int total =
        FrameWriter.ethernet(
            frame,
            0,
            0x0200_0000_0002L,
            0x0200_0000_0001L,
            fields,
            tos,
            hopLimit,
            flowLabel,
            packet,
            Icrc.HEADROOM,
            length);
    byte[] bytes = new byte[total];
    frame.getBytes(0, bytes);
    frames.add(bytes);
    expected.add(json(encapsulation, fields, tos, hopLimit, flowLabel, record, length));
  }

  private PacketRecord record(int opcode, int payload) {
    byte[] bytes =
        new byte[Opcode.isCnp(opcode) ? 16 : opcode == Opcode.RC_ATOMIC_WRITE ? 8 : payload];
    if (!Opcode.isCnp(opcode)) {
      random.nextBytes(bytes);
    }
    PacketRecordBuilder builder =
        PacketRecord.of(opcode)
            .solicited(random.nextBoolean())
            .migReq(random.nextBoolean())
            .pkey(random.nextInt(1 << 16))
            .becn(Opcode.isCnp(opcode))
            .destQp(2 + random.nextInt((1 << 24) - 3))
            .ackRequest(random.nextBoolean())
            .psn(random.nextInt(1 << 24))
            .payload(bytes);
    if (Opcode.hasReth(opcode)) {
      builder.reth(random.nextLong(), random.nextInt(), random.nextInt() & 0xFFFF_FFFFL);
    }
    if (Opcode.hasAeth(opcode)) {
      int[] syndromes = {0x1F, 0x05, 0x2E, 0x60, 0x61, 0x62, 0x63};
      int syndrome = Opcode.isAck(opcode) ? syndromes[random.nextInt(7)] : 0x1F;
      builder.aeth(syndrome, random.nextInt(1 << 24));
    }
    if (Opcode.hasDeth(opcode)) {
      builder.deth(random.nextInt(), random.nextInt(1 << 24));
    }
    if (Opcode.hasAtomicEth(opcode)) {
      builder.atomicEth(random.nextLong(), random.nextInt(), random.nextLong(), random.nextLong());
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      builder.atomicOriginal(random.nextLong());
    }
    if (Opcode.hasImmDt(opcode)) {
      builder.immediate(random.nextInt());
    }
    if (Opcode.hasIeth(opcode)) {
      builder.invalidateRkey(random.nextInt());
    }
    if (Opcode.hasXrcEth(opcode)) {
      builder.xrcSrqNumber(random.nextInt(1 << 24));
    }
    if (Opcode.hasFeth(opcode)) {
      builder.feth(random.nextInt(2), 1 + random.nextInt(3));
    }
    return builder.build();
  }

  /** Well-formed headers of the multipath transport; to a {@link PacketRecord} they are payload. */
  private PacketRecord multipath(int opcode, int payload) {
    UnsafeBuffer body = new UnsafeBuffer(new byte[256]);
    int length = Opcode.headerLength(opcode) - 12;
    switch (opcode) {
      case Opcode.MX_SACK -> sack(body);
      case Opcode.MX_PROBE_ACK -> {
        sack(body);
        Probeah.write(body, Sackh.LENGTH, random.nextInt(), random.nextInt(), random.nextInt());
      }
      case Opcode.MX_NACK -> Nackh.write(body, 0, NackReason.REMOTE_ACCESS, 1, 2, 0, 3, 4);
      case Opcode.MX_PROBE -> Probeh.write(body, 0, 1, 2, Probeh.TAIL_CHECK, 3, 4, 5, 6);
      case Opcode.MX_CTRL -> {
        Ctrlh.write(body, 0, 7, 0);
        length = ControlTlv.writeStreamOpen(body, Ctrlh.LENGTH, 1, 2, 3, 4);
      }
      default -> length = message(body, opcode, payload);
    }
    byte[] bytes = new byte[length];
    body.getBytes(0, bytes);
    return PacketRecord.of(opcode)
        .destQp(random.nextInt(1 << 24))
        .psn(random.nextInt(1 << 24))
        .ackRequest(random.nextBoolean())
        .payload(bytes)
        .build();
  }

  private void sack(UnsafeBuffer body) {
    Sackh.writePath(body, 0, 3, 4, Sackh.GAP, random.nextInt(), 5, 6, 7, 8);
  }

  private int message(UnsafeBuffer body, int opcode, int payload) {
    boolean response = opcode == Opcode.MX_READ_RESP || opcode == Opcode.MX_ATOMIC_RESP;
    int tflags = response ? Mxth.RESPONSE_HALF : Mxth.RETRANSMISSION;
    Mxth.write(body, 0, tflags, 9, 1, 3, random.nextInt(), random.nextInt(), 2, 1);
    if (opcode == Opcode.MX_VOID) {
      return Mxth.LENGTH;
    }
    Mxmh.write(body, Mxth.LENGTH, Mxmh.FIRST | Mxmh.LAST, random.nextInt(1 << 24), 0);
    int at = Mxth.LENGTH + Mxmh.LENGTH;
    switch (opcode) {
      case Opcode.MX_WRITE, Opcode.MX_READ_REQUEST ->
          Reth.write(body, at, random.nextLong(), random.nextInt(), payload);
      case Opcode.MX_SEND -> Rqh.write(body, at, 5, payload);
      case Opcode.MX_READ_RESP -> Rrh.write(body, at, 0, payload);
      case Opcode.MX_ATOMIC_REQUEST -> {
        AtomicEth.write(body, at, random.nextLong(), 1, 2, 3);
        Ath.write(body, at + AtomicEth.LENGTH, Ath.COMPARE_SWAP);
      }
      default -> body.putLong(at, random.nextLong());
    }
    return Opcode.headerLength(opcode) - 12 + payload;
  }

  private String json(
      int encapsulation,
      IpUdpFields fields,
      int tos,
      int hopLimit,
      int flowLabel,
      PacketRecord record,
      int length) {
    boolean v1 = encapsulation == IpUdpFields.GRH;
    StringBuilder line = new StringBuilder("{");
    text(line, "carrier", v1 ? "grh" : encapsulation == IpUdpFields.IPV4 ? "ipv4" : "ipv6");
    text(line, "src", new Gid(fields.sourceHigh(), fields.sourceLow()).toString());
    text(line, "dst", new Gid(fields.destinationHigh(), fields.destinationLow()).toString());
    number(line, "tos", tos);
    number(line, "ttl", hopLimit);
    if (encapsulation != IpUdpFields.IPV4) {
      number(line, "flowLabel", flowLabel);
    } else {
      number(line, "ipId", fields.identification());
    }
    if (!v1) {
      number(line, "sport", fields.sourcePort());
      number(line, "udpLength", 8 + length);
    }
    number(line, "opcode", record.opcode());
    text(line, "name", Opcode.name(record.opcode()));
    number(line, "se", record.solicited() ? 1 : 0);
    number(line, "migReq", record.migReq() ? 1 : 0);
    number(line, "padCount", PacketWriter.padCount(record.payload().length()));
    number(line, "tver", 0);
    number(line, "pkey", record.pkey());
    number(line, "becn", record.becn() ? 1 : 0);
    number(line, "destQp", record.destQp());
    number(line, "ackReq", record.ackRequest() ? 1 : 0);
    number(line, "psn", record.psn());
    headers(line, record.headers());
    number(line, "payloadLength", record.payload().length());
    int value = Icrc.received(packet, Icrc.HEADROOM, length);
    text(line, "icrc", String.format("%08x", Integer.reverseBytes(value)));
    return line.append('}').toString();
  }

  private static void headers(StringBuilder line, PacketRecord.Headers headers) {
    if (headers.reth() != null) {
      hex(line, "va", headers.reth().va());
      number(line, "rkey", headers.reth().rkey() & 0xFFFF_FFFFL);
      number(line, "dmaLength", headers.reth().dmaLength());
    }
    if (headers.aeth() != null) {
      number(line, "syndrome", headers.aeth().syndrome());
      number(line, "msn", headers.aeth().msn());
    }
    if (headers.deth() != null) {
      number(line, "qkey", headers.deth().qkey() & 0xFFFF_FFFFL);
      number(line, "srcQp", headers.deth().sourceQp());
    }
    if (headers.atomicEth() != null) {
      hex(line, "va", headers.atomicEth().va());
      number(line, "rkey", headers.atomicEth().rkey() & 0xFFFF_FFFFL);
      hex(line, "swapOrAdd", headers.atomicEth().swapOrAdd());
      hex(line, "compare", headers.atomicEth().compare());
    }
    if (headers.atomicOriginal() != null) {
      hex(line, "original", headers.atomicOriginal());
    }
    if (headers.immediate() != null) {
      number(line, "immDt", headers.immediate() & 0xFFFF_FFFFL);
    }
    if (headers.invalidateRkey() != null) {
      number(line, "ieth", headers.invalidateRkey() & 0xFFFF_FFFFL);
    }
    if (headers.xrcSrqNumber() != null) {
      number(line, "xrcSrq", headers.xrcSrqNumber());
    }
    if (headers.feth() != null) {
      number(line, "fethSelectivity", headers.feth().selectivity());
      number(line, "fethPlacement", headers.feth().placement());
    }
  }

  private static void name(StringBuilder line, String name) {
    line.append(line.length() == 1 ? "" : ",").append('"').append(name).append("\":");
  }

  private static void text(StringBuilder line, String name, String value) {
    name(line, name);
    line.append('"').append(value).append('"');
  }

  private static void hex(StringBuilder line, String name, long value) {
    text(line, name, String.format("0x%016x", value));
  }

  private static void number(StringBuilder line, String name, long value) {
    name(line, name);
    line.append(value);
  }
}
