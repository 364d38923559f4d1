// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.wire.ip.EthernetHeader;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.ip.VlanTag;
import io.roce4j.wire.packet.Aeth;
import io.roce4j.wire.packet.AtomicAckEth;
import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.Feth;
import io.roce4j.wire.packet.Ieth;
import io.roce4j.wire.packet.ImmDt;
import io.roce4j.wire.packet.Reth;
import io.roce4j.wire.packet.XrcEth;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every header field over its whole range: what is set is read back, it stands at its place, and no
 * neighbouring bit moves. Fields of up to 24 bits are tried with all values, wider ones with random
 * values and all single bits.
 */
class HeaderFieldsTest {
  private static final long SEED = 0x5EED_0005L;
  private static final int OFFSET = 5;

  /** Reads a field. */
  interface Getter {
    long get(DirectBuffer buffer, int offset);
  }

  /** Writes a field. */
  interface Setter {
    void set(MutableDirectBuffer buffer, int offset, long value);
  }

  record Field(
      String name, int headerLength, int firstBit, int bits, Getter getter, Setter setter) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Field field(
      String name, int headerLength, int firstBit, int bits, Getter getter, Setter setter) {
    return new Field(name, headerLength, firstBit, bits, getter, setter);
  }

  static Stream<Field> fields() {
    return Stream.of(
        field("Bth.opcode", 12, 0, 8, Bth::opcode, (b, o, v) -> Bth.opcode(b, o, (int) v)),
        field(
            "Bth.solicited",
            12,
            8,
            1,
            (b, o) -> Bth.solicited(b, o) ? 1 : 0,
            (b, o, v) -> Bth.solicited(b, o, (v & 1) != 0)),
        field(
            "Bth.migReq",
            12,
            9,
            1,
            (b, o) -> Bth.migReq(b, o) ? 1 : 0,
            (b, o, v) -> Bth.migReq(b, o, (v & 1) != 0)),
        field("Bth.padCount", 12, 10, 2, Bth::padCount, (b, o, v) -> Bth.padCount(b, o, (int) v)),
        field("Bth.tver", 12, 12, 4, Bth::tver, (b, o, v) -> Bth.tver(b, o, (int) v)),
        field("Bth.pkey", 12, 16, 16, Bth::pkey, (b, o, v) -> Bth.pkey(b, o, (int) v)),
        field(
            "Bth.fecn",
            12,
            32,
            1,
            (b, o) -> Bth.fecn(b, o) ? 1 : 0,
            (b, o, v) -> Bth.fecn(b, o, (v & 1) != 0)),
        field(
            "Bth.becn",
            12,
            33,
            1,
            (b, o) -> Bth.becn(b, o) ? 1 : 0,
            (b, o, v) -> Bth.becn(b, o, (v & 1) != 0)),
        field(
            "Bth.reservedByte4",
            12,
            34,
            6,
            Bth::reservedByte4,
            (b, o, v) -> Bth.reservedByte4(b, o, (int) v)),
        field("Bth.destQp", 12, 40, 24, Bth::destQp, (b, o, v) -> Bth.destQp(b, o, (int) v)),
        field(
            "Bth.ackRequest",
            12,
            64,
            1,
            (b, o) -> Bth.ackRequest(b, o) ? 1 : 0,
            (b, o, v) -> Bth.ackRequest(b, o, (v & 1) != 0)),
        field(
            "Bth.reservedByte8",
            12,
            65,
            7,
            Bth::reservedByte8,
            (b, o, v) -> Bth.reservedByte8(b, o, (int) v)),
        field("Bth.psn", 12, 72, 24, Bth::psn, (b, o, v) -> Bth.psn(b, o, (int) v)),
        field("Reth.va", 16, 0, 64, Reth::va, Reth::va),
        field(
            "Reth.rkey",
            16,
            64,
            32,
            (b, o) -> Reth.rkey(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> Reth.rkey(b, o, (int) v)),
        field("Reth.dmaLength", 16, 96, 32, Reth::dmaLength, Reth::dmaLength),
        field("Aeth.syndrome", 4, 0, 8, Aeth::syndrome, (b, o, v) -> Aeth.syndrome(b, o, (int) v)),
        field("Aeth.msn", 4, 8, 24, Aeth::msn, (b, o, v) -> Aeth.msn(b, o, (int) v)),
        field(
            "Deth.qkey",
            8,
            0,
            32,
            (b, o) -> Deth.qkey(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> Deth.qkey(b, o, (int) v)),
        field(
            "Deth.sourceQp", 8, 40, 24, Deth::sourceQp, (b, o, v) -> Deth.sourceQp(b, o, (int) v)),
        field("AtomicEth.va", 28, 0, 64, AtomicEth::va, AtomicEth::va),
        field(
            "AtomicEth.rkey",
            28,
            64,
            32,
            (b, o) -> AtomicEth.rkey(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> AtomicEth.rkey(b, o, (int) v)),
        field("AtomicEth.swapOrAdd", 28, 96, 64, AtomicEth::swapOrAdd, AtomicEth::swapOrAdd),
        field("AtomicEth.compare", 28, 160, 64, AtomicEth::compare, AtomicEth::compare),
        field("AtomicAckEth.original", 8, 0, 64, AtomicAckEth::original, AtomicAckEth::original),
        field(
            "ImmDt.immediate",
            4,
            0,
            32,
            (b, o) -> ImmDt.immediate(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> ImmDt.immediate(b, o, (int) v)),
        field(
            "Ieth.rkey",
            4,
            0,
            32,
            (b, o) -> Ieth.rkey(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> Ieth.rkey(b, o, (int) v)),
        field(
            "XrcEth.srqNumber",
            4,
            8,
            24,
            XrcEth::srqNumber,
            (b, o, v) -> XrcEth.srqNumber(b, o, (int) v)),
        field(
            "Feth.selectivity",
            4,
            26,
            2,
            Feth::selectivity,
            (b, o, v) -> Feth.selectivity(b, o, (int) v)),
        field(
            "Feth.placement",
            4,
            28,
            4,
            Feth::placement,
            (b, o, v) -> Feth.placement(b, o, (int) v)),
        field(
            "EthernetHeader.destination",
            14,
            0,
            48,
            EthernetHeader::destination,
            EthernetHeader::destination),
        field("EthernetHeader.source", 14, 48, 48, EthernetHeader::source, EthernetHeader::source),
        field(
            "EthernetHeader.etherType",
            14,
            96,
            16,
            EthernetHeader::etherType,
            (b, o, v) -> EthernetHeader.etherType(b, o, (int) v)),
        field(
            "VlanTag.priority",
            6,
            16,
            3,
            VlanTag::priority,
            (b, o, v) -> VlanTag.priority(b, o, (int) v)),
        field(
            "VlanTag.dropEligible",
            6,
            19,
            1,
            VlanTag::dropEligible,
            (b, o, v) -> VlanTag.dropEligible(b, o, (int) v)),
        field(
            "VlanTag.vlanId",
            6,
            20,
            12,
            VlanTag::vlanId,
            (b, o, v) -> VlanTag.vlanId(b, o, (int) v)),
        field(
            "VlanTag.etherType",
            6,
            32,
            16,
            VlanTag::etherType,
            (b, o, v) -> VlanTag.etherType(b, o, (int) v)),
        field(
            "Ipv4Header.version",
            20,
            0,
            4,
            Ipv4Header::version,
            (b, o, v) -> Ipv4Header.version(b, o, (int) v)),
        field(
            "Ipv4Header.headerWords",
            20,
            4,
            4,
            Ipv4Header::headerWords,
            (b, o, v) -> Ipv4Header.headerWords(b, o, (int) v)),
        field(
            "Ipv4Header.tos",
            20,
            8,
            8,
            Ipv4Header::tos,
            (b, o, v) -> Ipv4Header.tos(b, o, (int) v)),
        field(
            "Ipv4Header.dscp",
            20,
            8,
            6,
            Ipv4Header::dscp,
            (b, o, v) -> Ipv4Header.dscp(b, o, (int) v)),
        field(
            "Ipv4Header.ecn",
            20,
            14,
            2,
            Ipv4Header::ecn,
            (b, o, v) -> Ipv4Header.ecn(b, o, (int) v)),
        field(
            "Ipv4Header.totalLength",
            20,
            16,
            16,
            Ipv4Header::totalLength,
            (b, o, v) -> Ipv4Header.totalLength(b, o, (int) v)),
        field(
            "Ipv4Header.identification",
            20,
            32,
            16,
            Ipv4Header::identification,
            (b, o, v) -> Ipv4Header.identification(b, o, (int) v)),
        field(
            "Ipv4Header.fragmentWord",
            20,
            48,
            16,
            Ipv4Header::fragmentWord,
            (b, o, v) -> Ipv4Header.fragmentWord(b, o, (int) v)),
        field(
            "Ipv4Header.timeToLive",
            20,
            64,
            8,
            Ipv4Header::timeToLive,
            (b, o, v) -> Ipv4Header.timeToLive(b, o, (int) v)),
        field(
            "Ipv4Header.protocol",
            20,
            72,
            8,
            Ipv4Header::protocol,
            (b, o, v) -> Ipv4Header.protocol(b, o, (int) v)),
        field(
            "Ipv4Header.checksum",
            20,
            80,
            16,
            Ipv4Header::checksum,
            (b, o, v) -> Ipv4Header.checksum(b, o, (int) v)),
        field(
            "Ipv4Header.source",
            20,
            96,
            32,
            (b, o) -> Ipv4Header.source(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> Ipv4Header.source(b, o, (int) v)),
        field(
            "Ipv4Header.destination",
            20,
            128,
            32,
            (b, o) -> Ipv4Header.destination(b, o) & 0xFFFF_FFFFL,
            (b, o, v) -> Ipv4Header.destination(b, o, (int) v)),
        field(
            "Ipv6Header.version",
            40,
            0,
            4,
            Ipv6Header::version,
            (b, o, v) -> Ipv6Header.version(b, o, (int) v)),
        field(
            "Ipv6Header.trafficClass",
            40,
            4,
            8,
            Ipv6Header::trafficClass,
            (b, o, v) -> Ipv6Header.trafficClass(b, o, (int) v)),
        field(
            "Ipv6Header.ecn",
            40,
            10,
            2,
            Ipv6Header::ecn,
            (b, o, v) -> Ipv6Header.ecn(b, o, (int) v)),
        field(
            "Ipv6Header.flowLabel",
            40,
            12,
            20,
            Ipv6Header::flowLabel,
            (b, o, v) -> Ipv6Header.flowLabel(b, o, (int) v)),
        field(
            "Ipv6Header.payloadLength",
            40,
            32,
            16,
            Ipv6Header::payloadLength,
            (b, o, v) -> Ipv6Header.payloadLength(b, o, (int) v)),
        field(
            "Ipv6Header.nextHeader",
            40,
            48,
            8,
            Ipv6Header::nextHeader,
            (b, o, v) -> Ipv6Header.nextHeader(b, o, (int) v)),
        field(
            "Ipv6Header.hopLimit",
            40,
            56,
            8,
            Ipv6Header::hopLimit,
            (b, o, v) -> Ipv6Header.hopLimit(b, o, (int) v)),
        field("Ipv6Header.sourceHigh", 40, 64, 64, Ipv6Header::sourceHigh, Ipv6Header::sourceHigh),
        field("Ipv6Header.sourceLow", 40, 128, 64, Ipv6Header::sourceLow, Ipv6Header::sourceLow),
        field(
            "Ipv6Header.destinationHigh",
            40,
            192,
            64,
            Ipv6Header::destinationHigh,
            Ipv6Header::destinationHigh),
        field(
            "Ipv6Header.destinationLow",
            40,
            256,
            64,
            Ipv6Header::destinationLow,
            Ipv6Header::destinationLow),
        field(
            "UdpHeader.sourcePort",
            8,
            0,
            16,
            UdpHeader::sourcePort,
            (b, o, v) -> UdpHeader.sourcePort(b, o, (int) v)),
        field(
            "UdpHeader.destinationPort",
            8,
            16,
            16,
            UdpHeader::destinationPort,
            (b, o, v) -> UdpHeader.destinationPort(b, o, (int) v)),
        field(
            "UdpHeader.length",
            8,
            32,
            16,
            UdpHeader::length,
            (b, o, v) -> UdpHeader.length(b, o, (int) v)),
        field(
            "UdpHeader.checksum",
            8,
            48,
            16,
            UdpHeader::checksum,
            (b, o, v) -> UdpHeader.checksum(b, o, (int) v)));
  }

  @ParameterizedTest
  @MethodSource("fields")
  void setIsReadBackAtItsPlaceAndNothingElseMoves(Field field) {
    UnsafeBuffer zeros = new UnsafeBuffer(new byte[OFFSET + field.headerLength() + 3]);
    UnsafeBuffer ones = new UnsafeBuffer(new byte[OFFSET + field.headerLength() + 3]);
    ones.setMemory(0, ones.capacity(), (byte) 0xFF);
    long all = field.bits() == 64 ? -1L : (1L << field.bits()) - 1;
    if (field.bits() <= 24) {
      for (long value = 0; value <= all; value++) {
        field.setter().set(ones, OFFSET, value);
        assertEquals(value, field.getter().get(ones, OFFSET));
        if (field.bits() <= 16 || value % 61 == 0) {
          check(field, zeros, ones, value, all);
        }
      }
    } else {
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < 50_000; i++) {
        check(field, zeros, ones, random.nextLong() & all, all);
      }
      for (int bit = 0; bit < field.bits(); bit++) {
        check(field, zeros, ones, 1L << bit, all);
        check(field, zeros, ones, all ^ (1L << bit), all);
      }
    }
    // Too large a value loses its upper bits and touches nobody [FC-10].
    if (field.bits() < 32) {
      field.setter().set(zeros, OFFSET, -1L);
      assertEquals(all, field.getter().get(zeros, OFFSET));
      assertEquals(field.bits(), bitCount(zeros));
    }
  }

  private static void check(
      Field field, UnsafeBuffer zeros, UnsafeBuffer ones, long value, long all) {
    field.setter().set(zeros, OFFSET, value);
    field.setter().set(ones, OFFSET, value);
    assertEquals(value, field.getter().get(zeros, OFFSET));
    assertEquals(value, field.getter().get(ones, OFFSET));
    assertEquals(Long.bitCount(value), bitCount(zeros));
    assertEquals(Long.bitCount(value ^ all), ones.capacity() * 8 - bitCount(ones));
    if (value != 0) {
      int lowest = OFFSET * 8 + field.firstBit() + field.bits() - 1;
      int highest = OFFSET * 8 + field.firstBit();
      assertEquals(lowest - Long.numberOfTrailingZeros(value), lastBit(zeros));
      assertEquals(
          highest + field.bits() - (64 - Long.numberOfLeadingZeros(value)), firstBit(zeros));
    }
  }

  private static int bitCount(UnsafeBuffer buffer) {
    int count = 0;
    for (int i = 0; i < buffer.capacity(); i++) {
      count += Integer.bitCount(buffer.getByte(i) & 0xFF);
    }
    return count;
  }

  /** Index of the first bit that is 1, counting from the most significant bit of byte 0. */
  private static int firstBit(UnsafeBuffer buffer) {
    for (int i = 0; i < buffer.capacity(); i++) {
      int octet = buffer.getByte(i) & 0xFF;
      if (octet != 0) {
        return i * 8 + Integer.numberOfLeadingZeros(octet) - 24;
      }
    }
    return -1;
  }

  private static int lastBit(UnsafeBuffer buffer) {
    for (int i = buffer.capacity() - 1; i >= 0; i--) {
      int octet = buffer.getByte(i) & 0xFF;
      if (octet != 0) {
        return i * 8 + 7 - Integer.numberOfTrailingZeros(octet);
      }
    }
    return -1;
  }
}
