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
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every header field over its whole range: what is set is read back, it stands at its place, and no
 * neighbouring bit moves. Fields of up to 24 bits are tried with all values, wider ones with random
 * values and all single bits.
 */
class HeaderFieldsTest {
  private static final long SEED = 0x5EED_0005L;
  private static final int OFFSET = 5;

  private static final Class<?>[] HEADERS = {
    Bth.class,
    Reth.class,
    Aeth.class,
    Deth.class,
    AtomicEth.class,
    AtomicAckEth.class,
    ImmDt.class,
    Ieth.class,
    XrcEth.class,
    Feth.class,
    EthernetHeader.class,
    VlanTag.class,
    Ipv4Header.class,
    Ipv6Header.class,
    UdpHeader.class
  };

  /** The two accessors of a field, as functions on 64-bit values. */
  private record Field(
      int headerLength, int firstBit, int bits, MethodHandle getter, MethodHandle setter) {
    static Field of(String header, String name, int firstBit, int bits) {
      try {
        Class<?> owner =
            Arrays.stream(HEADERS)
                .filter(c -> c.getSimpleName().equals(header))
                .findFirst()
                .orElseThrow();
        Method read = owner.getMethod(name, DirectBuffer.class, int.class);
        Method write =
            owner.getMethod(name, MutableDirectBuffer.class, int.class, read.getReturnType());
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        int length = (int) owner.getField("LENGTH").get(null) + (owner == VlanTag.class ? 2 : 0);
        MethodHandle getter =
            MethodHandles.explicitCastArguments(
                lookup.unreflect(read),
                MethodType.methodType(long.class, DirectBuffer.class, int.class));
        MethodHandle setter =
            MethodHandles.explicitCastArguments(
                lookup.unreflect(write),
                MethodType.methodType(
                    void.class, MutableDirectBuffer.class, int.class, long.class));
        return new Field(length, firstBit, bits, getter, setter);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(header + "." + name + " has no pair of accessors", e);
      }
    }

    /** Reads the field; a signed 32-bit result is taken as unsigned. */
    long get(UnsafeBuffer buffer, int offset) {
      try {
        long value = (long) getter.invokeExact((DirectBuffer) buffer, offset);
        return bits == 32 ? value & 0xFFFF_FFFFL : value;
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }

    void set(UnsafeBuffer buffer, int offset, long value) {
      try {
        setter.invokeExact((MutableDirectBuffer) buffer, offset, value);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    // class, field, first bit, bits
    "Bth, opcode, 0, 8",
    "Bth, solicited, 8, 1",
    "Bth, migReq, 9, 1",
    "Bth, padCount, 10, 2",
    "Bth, tver, 12, 4",
    "Bth, pkey, 16, 16",
    "Bth, fecn, 32, 1",
    "Bth, becn, 33, 1",
    "Bth, reservedByte4, 34, 6",
    "Bth, destQp, 40, 24",
    "Bth, ackRequest, 64, 1",
    "Bth, reservedByte8, 65, 7",
    "Bth, psn, 72, 24",
    "Reth, va, 0, 64",
    "Reth, rkey, 64, 32",
    "Reth, dmaLength, 96, 32",
    "Aeth, syndrome, 0, 8",
    "Aeth, msn, 8, 24",
    "Deth, qkey, 0, 32",
    "Deth, sourceQp, 40, 24",
    "AtomicEth, va, 0, 64",
    "AtomicEth, rkey, 64, 32",
    "AtomicEth, swapOrAdd, 96, 64",
    "AtomicEth, compare, 160, 64",
    "AtomicAckEth, original, 0, 64",
    "ImmDt, immediate, 0, 32",
    "Ieth, rkey, 0, 32",
    "XrcEth, srqNumber, 8, 24",
    "Feth, selectivity, 26, 2",
    "Feth, placement, 28, 4",
    "EthernetHeader, destination, 0, 48",
    "EthernetHeader, source, 48, 48",
    "EthernetHeader, etherType, 96, 16",
    "VlanTag, priority, 16, 3",
    "VlanTag, dropEligible, 19, 1",
    "VlanTag, vlanId, 20, 12",
    "VlanTag, etherType, 32, 16",
    "Ipv4Header, version, 0, 4",
    "Ipv4Header, headerWords, 4, 4",
    "Ipv4Header, tos, 8, 8",
    "Ipv4Header, dscp, 8, 6",
    "Ipv4Header, ecn, 14, 2",
    "Ipv4Header, totalLength, 16, 16",
    "Ipv4Header, identification, 32, 16",
    "Ipv4Header, fragmentWord, 48, 16",
    "Ipv4Header, timeToLive, 64, 8",
    "Ipv4Header, protocol, 72, 8",
    "Ipv4Header, checksum, 80, 16",
    "Ipv4Header, source, 96, 32",
    "Ipv4Header, destination, 128, 32",
    "Ipv6Header, version, 0, 4",
    "Ipv6Header, trafficClass, 4, 8",
    "Ipv6Header, ecn, 10, 2",
    "Ipv6Header, flowLabel, 12, 20",
    "Ipv6Header, payloadLength, 32, 16",
    "Ipv6Header, nextHeader, 48, 8",
    "Ipv6Header, hopLimit, 56, 8",
    "Ipv6Header, sourceHigh, 64, 64",
    "Ipv6Header, sourceLow, 128, 64",
    "Ipv6Header, destinationHigh, 192, 64",
    "Ipv6Header, destinationLow, 256, 64",
    "UdpHeader, sourcePort, 0, 16",
    "UdpHeader, destinationPort, 16, 16",
    "UdpHeader, length, 32, 16",
    "UdpHeader, checksum, 48, 16"
  })
  void setIsReadBackAtItsPlaceAndNothingElseMoves(
      String header, String name, int firstBit, int bits) {
    Field field = Field.of(header, name, firstBit, bits);
    UnsafeBuffer zeros = new UnsafeBuffer(new byte[OFFSET + field.headerLength() + 3]);
    UnsafeBuffer ones = new UnsafeBuffer(new byte[OFFSET + field.headerLength() + 3]);
    ones.setMemory(0, ones.capacity(), (byte) 0xFF);
    long all = field.bits() == 64 ? -1L : (1L << field.bits()) - 1;
    if (field.bits() <= 24) {
      for (long value = 0; value <= all; value++) {
        field.set(ones, OFFSET, value);
        assertEquals(value, field.get(ones, OFFSET));
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
      field.set(zeros, OFFSET, -1L);
      assertEquals(all, field.get(zeros, OFFSET));
      assertEquals(field.bits(), bitCount(zeros));
    }
  }

  private static void check(
      Field field, UnsafeBuffer zeros, UnsafeBuffer ones, long value, long all) {
    field.set(zeros, OFFSET, value);
    field.set(ones, OFFSET, value);
    assertEquals(value, field.get(zeros, OFFSET));
    assertEquals(value, field.get(ones, OFFSET));
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
