// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.SourcePortEntropy;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.WireFault;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CmMessageTest {
  private static final long SEED = 0x5EED_000AL;

  /** A REQ decoded to the same values by another dissector. */
  private static final String WORKED_EXAMPLE =
      "45000134000040004011251d0a4d00010a4d0002 d87212b701200000"
          + " 6440ffff00000001000000008001000000000001"
          + " 01070203000000000000000100000101001000000000000000000101000000000000000001061c06"
          + " 027700fffe00000100000000000000000001230100000001000000a0abcdefa7ffff37f0"
          + "ffffffff00000000000000000000ffff0a4d000100000000000000000000ffff0a4d0002307c600000400088"
          + "00".repeat(44)
          + "00409c400000000000000000000000000a4d00010000000000000000000000000a4d0002"
          + "00".repeat(56)
          + "17269826";

  private final CmView view = new CmView();

  @Test
  void theWorkedExampleReadsAsItWasMeant() {
    byte[] bytes = HexFormat.of().parseHex(WORKED_EXAMPLE.replace(" ", ""));
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    FrameDissector frame = new FrameDissector();
    PacketView packet = new PacketView();
    assertEquals(
        WireFault.OK, frame.dissect(buffer, 0, bytes.length, bytes.length, LinkType.RAW_IP));
    assertEquals(WireFault.OK, packet.wrap(buffer, frame.bthOffset(), frame.length()));
    assertTrue(CmView.isForGsi(packet));
    assertEquals(Mad.GSI_QKEY, packet.qkey());
    assertEquals(WireFault.OK, view.wrap(packet));
    assertEquals(CmAttribute.REQ, view.attributeId());
    assertEquals(0x100000101L, view.transactionId());
    CmRecord req = CmRecord.parse(view);
    assertEquals(0x101, req.get("localCommId"));
    assertEquals(ServiceId.of(ServiceId.TCP, 7174), req.get("serviceId"));
    assertEquals(0x027700fffe000001L, req.get("localCaGuid"));
    assertEquals(0x123, req.get("localQpn"));
    assertEquals(1, req.get("responderResources"));
    assertEquals(1, req.get("initiatorDepth"));
    assertEquals(20, req.get("remoteCmResponseTimeout"));
    assertEquals(20, req.get("localCmResponseTimeout"));
    assertEquals(0xABCDEF, req.get("startingPsn"));
    assertEquals(7, req.get("retryCount"));
    assertEquals(7, req.get("rnrRetryCount"));
    assertEquals(3, req.get("pathMtu"));
    assertEquals(15, req.get("maxCmRetries"));
    assertEquals(SourcePortEntropy.cmFlowLabel(40_000, 7174), req.get("primaryFlowLabel"));
    assertEquals(64, req.get("primaryHopLimit"));
    assertEquals(17, req.get("primaryLocalAckTimeout"));
    assertEquals(Gid.parse("10.77.0.1").low(), req.get("primaryLocalGidLow"));
    assertEquals(
        "CM REQ localCommId 0x00000101 service 0x0000000001061c06 localQpn 0x000123 psn 11259375"
            + " 10.77.0.1 port 40000 to 10.77.0.2",
        req.toString());
  }

  /** Built from the message classes, the worked example comes out byte for byte. */
  @Test
  void theWorkedExampleIsBuiltByteForByte() {
    UnsafeBuffer slot = new UnsafeBuffer(new byte[400]);
    slot.setMemory(0, 400, (byte) 0xEE);
    int length =
        PacketWriter.begin(slot, 64, Opcode.UD_SEND_ONLY, Mad.LENGTH, false, 0xFFFF, 1, false, 0);
    Deth.write(slot, 64 + Opcode.dethOffset(Opcode.UD_SEND_ONLY), Mad.GSI_QKEY, 1);
    int mad = PacketWriter.payloadOffset(64, Opcode.UD_SEND_ONLY);
    Mad.begin(slot, mad, CmAttribute.REQ, 0x100000101L);
    int req = mad + Mad.HEADER_LENGTH;
    Gid local = Gid.parse("10.77.0.1");
    Gid remote = Gid.parse("10.77.0.2");
    ReqMessage.LOCAL_COMM_ID.put(slot, req, 0x101);
    ReqMessage.SERVICE_ID.putLong(slot, req, ServiceId.of(ServiceId.TCP, 7174));
    ReqMessage.LOCAL_CA_GUID.putLong(slot, req, 0x027700fffe000001L);
    ReqMessage.LOCAL_QPN.put(slot, req, 0x123);
    ReqMessage.RESPONDER_RESOURCES.put(slot, req, 1);
    ReqMessage.INITIATOR_DEPTH.put(slot, req, 1);
    ReqMessage.REMOTE_CM_RESPONSE_TIMEOUT.put(slot, req, 20);
    ReqMessage.LOCAL_CM_RESPONSE_TIMEOUT.put(slot, req, 20);
    ReqMessage.STARTING_PSN.put(slot, req, 0xABCDEF);
    ReqMessage.RETRY_COUNT.put(slot, req, 7);
    ReqMessage.PARTITION_KEY.put(slot, req, 0xFFFF);
    ReqMessage.PATH_MTU.put(slot, req, 3);
    ReqMessage.RNR_RETRY_COUNT.put(slot, req, 7);
    ReqMessage.MAX_CM_RETRIES.put(slot, req, 15);
    ReqMessage.PRIMARY_LOCAL_LID.put(slot, req, 0xFFFF);
    ReqMessage.PRIMARY_REMOTE_LID.put(slot, req, 0xFFFF);
    ReqMessage.PRIMARY_LOCAL_GID_HIGH.putLong(slot, req, local.high());
    ReqMessage.PRIMARY_LOCAL_GID_LOW.putLong(slot, req, local.low());
    ReqMessage.PRIMARY_REMOTE_GID_HIGH.putLong(slot, req, remote.high());
    ReqMessage.PRIMARY_REMOTE_GID_LOW.putLong(slot, req, remote.low());
    ReqMessage.PRIMARY_FLOW_LABEL.put(slot, req, 0x307C6);
    ReqMessage.PRIMARY_HOP_LIMIT.put(slot, req, 64);
    ReqMessage.PRIMARY_LOCAL_ACK_TIMEOUT.put(slot, req, 17);
    RdmaCmHeader.write(slot, req + ReqMessage.PRIVATE_DATA_OFFSET, 40_000, local, remote);
    int sourcePort = SourcePortEntropy.datagram(1);
    IpUdpFields fields =
        new IpUdpFields().ipv4(local.ipv4(), remote.ipv4(), sourcePort, IpUdpFields.ROCE_PORT);
    new Icrc().seal(slot, 64, length, fields);
    byte[] packet = new byte[length];
    slot.getBytes(64, packet);
    assertEquals(WORKED_EXAMPLE.replace(" ", "").substring(56), HexFormat.of().formatHex(packet));
  }

  /** [FC-31] The source comes first, and IPv4 addresses stand in the last four bytes. */
  @Test
  void addressesOfTheRdmaCmHeaderAreNotSwapped() {
    byte[] data =
        HexFormat.of()
            .parseHex(
                "00404853"
                    + "00".repeat(12)
                    + "c0000201"
                    + "00".repeat(12)
                    + "c0000202"
                    + "00".repeat(56));
    CmRecord req =
        CmRecord.of(CmAttribute.REQ, 1)
            .with("serviceId", 0x0000_0000_0106_4853L)
            .withPrivateData(data);
    UnsafeBuffer header = new UnsafeBuffer(req.privateData());
    assertEquals(0, RdmaCmHeader.version(header, 0));
    assertEquals(4, RdmaCmHeader.ipVersion(header, 0));
    assertEquals(0x4853, RdmaCmHeader.sourcePort(header, 0));
    assertEquals(Gid.parse("192.0.2.1"), RdmaCmHeader.source(header, 0));
    assertEquals(Gid.parse("192.0.2.2"), RdmaCmHeader.destination(header, 0));
    assertEquals(ServiceId.TCP, ServiceId.portSpace(req.get("serviceId")));
    assertEquals(18_515, ServiceId.port(req.get("serviceId")));
    assertTrue(req.toString().contains("192.0.2.1 port 18515 to 192.0.2.2"), req.toString());
  }

  /** Each field, read and written in one piece, against the same bit by bit. */
  @Test
  void fieldsAgreeWithTheirBits() {
    SplittableRandom random = new SplittableRandom(SEED);
    UnsafeBuffer inOnePiece = new UnsafeBuffer(new byte[3 + Mad.MESSAGE_LENGTH]);
    UnsafeBuffer bitByBit = new UnsafeBuffer(new byte[3 + Mad.MESSAGE_LENGTH]);
    int checked = 0;
    for (int attribute = CmAttribute.REQ; attribute <= CmAttribute.SIDR_REP; attribute++) {
      CmFields fields = CmFields.of(attribute);
      for (int f = 0; f < fields.count(); f++) {
        MadField field = fields.field(f);
        boolean isLong = field.width() == Long.SIZE;
        for (int round = 0; round < 100; round++) {
          random.nextBytes(inOnePiece.byteArray());
          bitByBit.putBytes(0, inOnePiece, 0, inOnePiece.capacity());
          long value = random.nextLong();
          long fitted = isLong ? value : value & ((1L << field.width()) - 1);
          if (isLong) {
            field.putLong(inOnePiece, 3, value);
          } else {
            field.put(inOnePiece, 3, (int) value);
          }
          fields.set(f, bitByBit, 3, fitted);
          String at = CmAttribute.name(attribute) + "." + field + " seed " + SEED;
          assertEquals(bitByBit, inOnePiece, at);
          long read = isLong ? field.getLong(inOnePiece, 3) : field.get(inOnePiece, 3);
          assertEquals(fitted, field.width() == 32 ? read & 0xFFFF_FFFFL : read, at);
          assertEquals(fitted, fields.get(f, inOnePiece, 3), at);
          checked++;
        }
      }
    }
    assertTrue(checked > 5_000);
  }

  /** Fields stand in their order, do not overlap, and end before the private data. */
  @Test
  void fieldsDoNotOverlap() {
    for (int attribute = CmAttribute.REQ; attribute <= CmAttribute.SIDR_REP; attribute++) {
      CmFields fields = CmFields.of(attribute);
      int end = 0;
      for (int f = 0; f < fields.count(); f++) {
        MadField field = fields.field(f);
        assertTrue(field.firstBit() >= end, CmAttribute.name(attribute) + " " + field);
        end = field.firstBit() + field.width();
      }
      assertTrue(end <= 8 * fields.privateDataOffset(), CmAttribute.name(attribute));
    }
  }

  @Test
  void parseAfterEmitIsIdentityForEveryMessage() {
    SplittableRandom random = new SplittableRandom(SEED);
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[300]);
    for (int attribute = CmAttribute.REQ; attribute <= CmAttribute.SIDR_REP; attribute++) {
      for (int round = 0; round < 200; round++) {
        CmRecord record = CmRecord.of(attribute, random.nextLong());
        for (int f = 0; f < record.fieldCount(); f++) {
          int width = record.fieldWidth(f);
          long value = width == 64 ? random.nextLong() : random.nextLong() >>> (64 - width);
          record = record.with(record.fieldName(f), value);
        }
        byte[] data = new byte[random.nextInt(record.privateData().length + 1)];
        random.nextBytes(data);
        record = record.withPrivateData(data);
        random.nextBytes(buffer.byteArray());
        record.emit(buffer, 7);
        assertEquals(WireFault.OK, view.wrap(buffer, 7, Mad.LENGTH));
        assertEquals(record, CmRecord.parse(view));
        assertEquals(record.hashCode(), CmRecord.parse(view).hashCode());
      }
    }
  }

  @Test
  void otherMadsAndOtherLengthsAreRefused() {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[300]);
    Mad.begin(buffer, 0, CmAttribute.RTU, 5);
    assertEquals(WireFault.OK, view.wrap(buffer, 0, 256));
    assertEquals(WireFault.BAD_MAD, view.wrap(buffer, 0, 255));
    assertEquals(WireFault.BAD_MAD, view.wrap(buffer, 0, 257));
    assertEquals(WireFault.BAD_MAD, view.wrap(buffer, 0, 0));
    for (int at = 0; at < 4; at++) {
      Mad.begin(buffer, 0, CmAttribute.RTU, 5);
      buffer.putByte(at, (byte) 0x55);
      assertEquals(WireFault.BAD_MAD, view.wrap(buffer, 0, 256), "byte " + at);
    }
    for (int attribute : new int[] {0, 1, CmAttribute.LAP, CmAttribute.APR, 0xFFFF}) {
      Mad.begin(buffer, 0, attribute, 5);
      assertEquals(WireFault.BAD_MAD, view.wrap(buffer, 0, 256));
    }
    assertThrows(IllegalArgumentException.class, () -> CmRecord.of(CmAttribute.LAP, 0));
  }

  /** [FC-30] private data that do not fit, refused with the limit. */
  @ParameterizedTest
  @CsvSource({
    "16, 92", "17, 222", "18, 148", "19, 196", "20, 224", "21, 220", "22, 224", "23, 216", "24, 136"
  })
  void privateDataHaveTheirRoomAndNotAByteMore(int attribute, int room) {
    CmRecord record = CmRecord.of(attribute, 0);
    assertEquals(room, record.withPrivateData(new byte[room]).privateData().length);
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class, () -> record.withPrivateData(new byte[room + 1]));
    assertTrue(e.getMessage().contains("at most " + room), e.getMessage());
  }

  /** [FC-10] queue pair numbers wider than 24 bits. */
  @Test
  void valuesThatDoNotFitAreRefused() {
    CmRecord req = CmRecord.of(CmAttribute.REQ, 0);
    assertThrows(IllegalArgumentException.class, () -> req.with("localQpn", 0x0100_0011));
    assertThrows(IllegalArgumentException.class, () -> req.with("retryCount", 8));
    assertThrows(IllegalArgumentException.class, () -> req.with("nothing", 8));
    assertThrows(IllegalArgumentException.class, () -> req.get("nothing"));
  }

  /** [FC-29] code 0 is 4.096 us, not the longest. */
  @Test
  void timeCodesAreExponents() {
    assertEquals(4_096, CmTime.toNs(0));
    assertEquals(4_096L << 20, CmTime.toNs(20));
    assertEquals(4_096_000_000L, CmTime.toLinuxNs(20));
    assertEquals(1_000_000L, CmTime.toLinuxNs(0));
    assertEquals(0, CmTime.code(0));
    assertEquals(20, CmTime.code(4_096L << 20));
    assertEquals(21, CmTime.code((4_096L << 20) + 1));
    assertEquals(31, CmTime.code(Long.MAX_VALUE));
  }

  @Test
  void serviceIdsAndReasonsAreThoseOfRdmaCm() {
    assertEquals(0x0000000001061C06L, ServiceId.of(ServiceId.TCP, 7174));
    assertEquals(0x0000000001111C06L, ServiceId.of(ServiceId.UDP, 7174));
    assertEquals(ServiceId.UDP, ServiceId.portSpace(0x0000000001111C06L));
    assertEquals(7174, ServiceId.port(0x0000000001111C06L));
    assertEquals(-1, ServiceId.portSpace(1L << 32));
    assertEquals("stale connection", RejectReason.name(RejectReason.STALE_CONNECTION));
    assertEquals("consumer reject", RejectReason.name(28));
    assertEquals("invalid service id", RejectReason.name(8));
    assertEquals("vendor option not supported", RejectReason.name(35));
    assertEquals("reason 900", RejectReason.name(900));
  }

  @Test
  void rdmaCmHeadersKeepBothAddressForms() {
    UnsafeBuffer buffer = new UnsafeBuffer(new byte[40]);
    for (String[] pair : new String[][] {{"10.0.0.1", "10.0.0.2"}, {"fd77::1", "fd77::2"}}) {
      buffer.setMemory(0, 40, (byte) 0xEE);
      Gid source = Gid.parse(pair[0]);
      Gid destination = Gid.parse(pair[1]);
      RdmaCmHeader.write(buffer, 2, 40_000, source, destination);
      assertEquals(0, RdmaCmHeader.version(buffer, 2));
      assertEquals(source.isIpv4() ? 4 : 6, RdmaCmHeader.ipVersion(buffer, 2));
      assertEquals(40_000, RdmaCmHeader.sourcePort(buffer, 2));
      assertEquals(source, RdmaCmHeader.source(buffer, 2));
      assertEquals(destination, RdmaCmHeader.destination(buffer, 2));
      assertFalse(buffer.getByte(37) == (byte) 0xEE);
      assertEquals((byte) 0xEE, buffer.getByte(38));
    }
  }
}
