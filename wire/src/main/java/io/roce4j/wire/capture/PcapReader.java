// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.nio.ByteOrder;

/** Classic pcap: a 24-byte file header, then 16 bytes in front of each frame. */
final class PcapReader extends CaptureReader {
  static final int MICROSECONDS = 0xA1B2_C3D4;
  static final int NANOSECONDS = 0xA1B2_3C4D;

  private static final int FILE_HEADER = 24;
  private static final int RECORD_HEADER = 16;
  private static final int MAJOR_VERSION = 2;
  private static final int LINK_TYPE_MASK = 0x03FF_FFFF;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long MICROSECOND_NS = 1_000L;

  private final int linkType;
  private final long tickNs;
  private final boolean littleEndian;

  PcapReader(CaptureInput input, int magic) throws CaptureException {
    super(input);
    littleEndian = magic == MICROSECONDS || magic == NANOSECONDS;
    input.order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    if (input.fill(FILE_HEADER) < FILE_HEADER) {
      throw new CaptureException(
          input.name() + ": the file ends inside the pcap file header; capture it again", true);
    }
    tickNs = input.int32(0) == NANOSECONDS ? 1 : MICROSECOND_NS;
    int major = input.uint16(4);
    if (major != MAJOR_VERSION) {
      throw new CaptureException(
          input.name() + ": pcap version " + major + " is not supported, only 2", false);
    }
    linkType = input.int32(20) & LINK_TYPE_MASK;
    input.advance(FILE_HEADER);
  }

  /** Whether the first four bytes, read little-endian, start a pcap file of either byte order. */
  static boolean isMagic(int magic) {
    int reversed = Integer.reverseBytes(magic);
    return magic == MICROSECONDS
        || magic == NANOSECONDS
        || reversed == MICROSECONDS
        || reversed == NANOSECONDS;
  }

  @Override
  public boolean next(CapturedPacket packet) throws CaptureException {
    int present = input.fill(RECORD_HEADER);
    if (present == 0) {
      return false;
    }
    long record = records + 1;
    if (present < RECORD_HEADER) {
      throw input.cutShort(record);
    }
    long captured = input.uint32(8);
    if (captured > MAX_CAPTURED_BYTES) {
      throw input.damaged(
          record, "claims " + captured + " bytes, more than the limit of " + MAX_CAPTURED_BYTES);
    }
    int length = (int) captured;
    if (input.fill(RECORD_HEADER + length) < RECORD_HEADER + length) {
      throw input.cutShort(record);
    }
    long original = Math.max(input.uint32(12), captured);
    records = record;
    packet.number = record;
    packet.timeNs = input.uint32(0) * SECOND_NS + input.uint32(4) * tickNs;
    packet.linkType = linkType;
    packet.interfaceIndex = 0;
    packet.capturedLength = length;
    packet.originalLength = (int) Math.min(original, Integer.MAX_VALUE);
    packet.direction = CapturedPacket.UNKNOWN;
    packet.buffer = input.buffer();
    packet.offset = input.position() + RECORD_HEADER;
    packet.commentLength = 0;
    input.advance(RECORD_HEADER + length);
    return true;
  }

  @Override
  public String format() {
    return "pcap, "
        + (littleEndian ? "little" : "big")
        + "-endian, "
        + (tickNs == 1 ? "nanoseconds" : "microseconds")
        + ", "
        + LinkType.name(linkType);
  }
}
