// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.nio.ByteOrder;
import java.util.Arrays;

/** pcapng: blocks of type, length, body, length; sections may differ in byte order. */
final class PcapngReader extends CaptureReader {
  static final int SECTION_HEADER = 0x0A0D_0D0A;

  private static final int INTERFACE_DESCRIPTION = 1;
  private static final int OLD_PACKET = 2;
  private static final int SIMPLE_PACKET = 3;
  private static final int ENHANCED_PACKET = 6;
  private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
  private static final int BLOCK_HEADER = 8;
  private static final int BLOCK_OVERHEAD = 12;
  private static final int SECTION_MIN = 28;
  private static final int INTERFACE_MIN = 20;
  private static final int ENHANCED_DATA = 28;
  private static final int SIMPLE_DATA = 12;
  private static final int MAX_INTERFACES = 4096;
  private static final int OPTIONS_LIMIT = CaptureInput.BLOCK / 2;
  private static final int OPTION_END = 0;
  private static final int OPTION_COMMENT = 1;
  private static final int OPTION_FLAGS = 2;
  private static final int OPTION_TIME_RESOLUTION = 9;
  private static final int OPTION_TIME_OFFSET = 14;

  private CaptureInterface[] interfaces = new CaptureInterface[4];
  private int interfaceCount;
  private boolean littleEndian = true;
  private long unreadTail;
  private long unreadLength;

  PcapngReader(CaptureInput input) throws CaptureException {
    super(input);
    readSection();
  }

  @Override
  public boolean next(CapturedPacket packet) throws CaptureException {
    if (unreadTail > 0) {
      skipRest(unreadTail, unreadLength);
      unreadTail = 0;
    }
    while (true) {
      int present = input.fill(BLOCK_HEADER);
      if (present == 0) {
        return false;
      }
      if (present < BLOCK_HEADER) {
        throw input.cutShort(records + 1);
      }
      int type = input.int32(0);
      if (type == SECTION_HEADER) {
        readSection();
        continue;
      }
      long length = input.uint32(4);
      if (length < BLOCK_OVERHEAD || (length & 3) != 0) {
        throw input.damaged(records + 1, "is a block of " + length + " bytes, which none can have");
      }
      switch (type) {
        case ENHANCED_PACKET, OLD_PACKET -> {
          readPacket(packet, type, length);
          return true;
        }
        case SIMPLE_PACKET -> {
          readSimplePacket(packet, length);
          return true;
        }
        case INTERFACE_DESCRIPTION -> readInterface(length);
        default -> skipBlock(length);
      }
    }
  }

  @Override
  public String format() {
    return "pcapng, " + (littleEndian ? "little" : "big") + "-endian";
  }

  private void readSection() throws CaptureException {
    if (input.fill(SECTION_MIN) < SECTION_MIN) {
      throw input.cutShort(records + 1);
    }
    input.order(ByteOrder.LITTLE_ENDIAN);
    int magic = input.int32(8);
    littleEndian = magic == BYTE_ORDER_MAGIC;
    if (!littleEndian && Integer.reverseBytes(magic) != BYTE_ORDER_MAGIC) {
      throw input.damaged(records + 1, "is a section header without byte-order magic");
    }
    input.order(littleEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    int major = input.uint16(12);
    if (major != 1) {
      throw new CaptureException(
          input.name() + ": pcapng version " + major + " is not supported, only 1", false);
    }
    long length = input.uint32(4);
    if (length < SECTION_MIN || (length & 3) != 0) {
      throw input.damaged(records + 1, "is a section header of " + length + " bytes");
    }
    interfaceCount = 0;
    skipBlock(length);
  }

  private void readInterface(long length) throws CaptureException {
    if (length < INTERFACE_MIN) {
      throw input.damaged(records + 1, "is an interface block of " + length + " bytes");
    }
    if (interfaceCount == MAX_INTERFACES) {
      throw input.damaged(records + 1, "is one interface more than the limit of " + MAX_INTERFACES);
    }
    int body = (int) Math.min(length, OPTIONS_LIMIT);
    if (input.fill(body) < body) {
      throw input.cutShort(records + 1);
    }
    CaptureInterface added = new CaptureInterface(input.uint16(8), input.uint32(12));
    int end = body == length ? body - 4 : body;
    for (int at = 16; at + 4 <= end; ) {
      int code = input.uint16(at);
      int size = input.uint16(at + 2);
      if (code == OPTION_END || at + 4 + size > end) {
        break;
      }
      if (code == OPTION_TIME_RESOLUTION && size >= 1) {
        int resolution = input.buffer().getByte(input.position() + at + 4) & 0xFF;
        if (!added.resolution(resolution)) {
          throw input.damaged(records + 1, "has a time resolution that no clock has");
        }
      } else if (code == OPTION_TIME_OFFSET && size >= 8) {
        long first = input.uint32(at + 4);
        long second = input.uint32(at + 8);
        added.offsetSeconds(littleEndian ? second << 32 | first : first << 32 | second);
      }
      at += 4 + ((size + 3) & ~3);
    }
    if (interfaceCount == interfaces.length) {
      interfaces = Arrays.copyOf(interfaces, interfaceCount * 2);
    }
    interfaces[interfaceCount++] = added;
    skipBlock(length);
  }

  private void readPacket(CapturedPacket packet, int type, long length) throws CaptureException {
    long record = records + 1;
    if (length < ENHANCED_DATA + 4) {
      throw input.damaged(record, "is a packet block of " + length + " bytes");
    }
    if (input.fill(ENHANCED_DATA) < ENHANCED_DATA) {
      throw input.cutShort(record);
    }
    long index = type == OLD_PACKET ? input.uint16(8) : input.uint32(8);
    long captured = input.uint32(20);
    checkCaptured(record, captured, length, ENHANCED_DATA);
    if (index >= interfaceCount) {
      throw input.damaged(record, "names interface " + index + " of " + interfaceCount);
    }
    int dataEnd = ENHANCED_DATA + (((int) captured + 3) & ~3);
    int held = length <= OPTIONS_LIMIT ? (int) length : dataEnd;
    if (input.fill(held) < held) {
      throw input.cutShort(record);
    }
    CaptureInterface source = interfaces[(int) index];
    fill(packet, source, (int) index, (int) captured, input.uint32(24), ENHANCED_DATA);
    packet.timeNs = source.timeNs((input.uint32(12) << 32) | input.uint32(16));
    readPacketOptions(packet, dataEnd, held == length ? held - 4 : held);
    finishPacket(held, length);
  }

  private void readSimplePacket(CapturedPacket packet, long length) throws CaptureException {
    long record = records + 1;
    if (length < SIMPLE_DATA + 4) {
      throw input.damaged(record, "is a simple packet block of " + length + " bytes");
    }
    if (input.fill(SIMPLE_DATA) < SIMPLE_DATA) {
      throw input.cutShort(record);
    }
    if (interfaceCount == 0) {
      throw input.damaged(record, "names interface 0 of 0");
    }
    long original = input.uint32(8);
    long snap = interfaces[0].snapLength();
    long captured = snap == 0 ? original : Math.min(original, snap);
    checkCaptured(record, captured, length, SIMPLE_DATA);
    int dataEnd = SIMPLE_DATA + (((int) captured + 3) & ~3);
    int held = length <= OPTIONS_LIMIT ? (int) length : dataEnd;
    if (input.fill(held) < held) {
      throw input.cutShort(record);
    }
    fill(packet, interfaces[0], 0, (int) captured, original, SIMPLE_DATA);
    packet.timeNs = 0;
    finishPacket(held, length);
  }

  private void checkCaptured(long record, long captured, long length, int dataOffset)
      throws CaptureException {
    if (captured > MAX_CAPTURED_BYTES) {
      throw input.damaged(
          record, "claims " + captured + " bytes, more than the limit of " + MAX_CAPTURED_BYTES);
    }
    if (dataOffset + ((captured + 3) & ~3) + 4 > length) {
      throw input.damaged(
          record, "claims " + captured + " bytes in a block of " + length + " bytes");
    }
  }

  private void fill(
      CapturedPacket packet,
      CaptureInterface source,
      int index,
      int captured,
      long original,
      int dataOffset) {
    packet.number = records + 1;
    packet.linkType = source.linkType();
    packet.interfaceIndex = index;
    packet.capturedLength = captured;
    packet.originalLength = (int) Math.min(Math.max(original, captured), Integer.MAX_VALUE);
    packet.direction = CapturedPacket.UNKNOWN;
    packet.commentLength = 0;
    packet.buffer = input.buffer();
    packet.offset = input.position() + dataOffset;
  }

  private void readPacketOptions(CapturedPacket packet, int from, int end) {
    for (int at = from; at + 4 <= end; ) {
      int code = input.uint16(at);
      int size = input.uint16(at + 2);
      if (code == OPTION_END || at + 4 + size > end) {
        return;
      }
      if (code == OPTION_COMMENT && packet.commentLength == 0) {
        packet.commentOffset = input.position() + at + 4;
        packet.commentLength = size;
      } else if (code == OPTION_FLAGS && size == 4) {
        packet.direction = input.int32(at + 4) & 3;
      }
      at += 4 + ((size + 3) & ~3);
    }
  }

  /**
   * Steps over the frame, whose bytes stay where they are until the next call. What was not held of
   * a huge block is skipped then.
   */
  private void finishPacket(int held, long length) throws CaptureException {
    records++;
    if (held == length) {
      if (input.uint32(held - 4) != length) {
        throw input.damaged(records, "ends with another length than it starts with");
      }
    } else {
      unreadTail = length - held;
      unreadLength = length;
    }
    input.advance(held);
  }

  private void skipBlock(long length) throws CaptureException {
    skipRest(length, length);
  }

  /** Skips to the end of a block of which {@code bytes} are left, and checks its second length. */
  private void skipRest(long bytes, long length) throws CaptureException {
    if (!input.skip(bytes - 4) || input.fill(4) < 4) {
      throw input.cutShort(records + 1);
    }
    if (input.uint32(0) != length) {
      throw input.damaged(records + 1, "ends with another length than it starts with");
    }
    input.advance(4);
  }
}
