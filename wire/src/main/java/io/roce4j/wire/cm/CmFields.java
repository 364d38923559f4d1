// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** The fields of a CM message by number and name, for tools and tests. */
final class CmFields {
  private static final CmFields[] BY_ATTRIBUTE = {
    new CmFields(ReqMessage.FIELDS, ReqMessage.PRIVATE_DATA_OFFSET),
    new CmFields(MraMessage.FIELDS, MraMessage.PRIVATE_DATA_OFFSET),
    new CmFields(RejMessage.FIELDS, RejMessage.PRIVATE_DATA_OFFSET),
    new CmFields(RepMessage.FIELDS, RepMessage.PRIVATE_DATA_OFFSET),
    new CmFields(RtuMessage.FIELDS, RtuMessage.PRIVATE_DATA_OFFSET),
    new CmFields(DreqMessage.FIELDS, DreqMessage.PRIVATE_DATA_OFFSET),
    new CmFields(DrepMessage.FIELDS, DrepMessage.PRIVATE_DATA_OFFSET),
    new CmFields(SidrReqMessage.FIELDS, SidrReqMessage.PRIVATE_DATA_OFFSET),
    new CmFields(SidrRepMessage.FIELDS, SidrRepMessage.PRIVATE_DATA_OFFSET)
  };

  private final MadField[] fields;
  private final int privateDataOffset;

  private CmFields(MadField[] fields, int privateDataOffset) {
    this.fields = fields;
    this.privateDataOffset = privateDataOffset;
  }

  /** The fields of a known attribute. */
  static CmFields of(int attributeId) {
    return BY_ATTRIBUTE[attributeId - CmAttribute.REQ];
  }

  MadField field(int index) {
    return fields[index];
  }

  int count() {
    return fields.length;
  }

  String name(int index) {
    return fields[index].name();
  }

  int width(int index) {
    return fields[index].width();
  }

  int privateDataOffset() {
    return privateDataOffset;
  }

  int indexOf(String name) {
    for (int i = 0; i < fields.length; i++) {
      if (fields[i].name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Reads a field bit by bit: slow and independent of the accessors. */
  long get(int index, DirectBuffer buffer, int messageOffset) {
    long value = 0;
    int firstBit = fields[index].firstBit();
    for (int bit = firstBit; bit < firstBit + width(index); bit++) {
      int octet = buffer.getByte(messageOffset + (bit >>> 3));
      value = (value << 1) | ((octet >>> (7 - (bit & 7))) & 1);
    }
    return value;
  }

  /** Writes a field bit by bit. */
  void set(int index, MutableDirectBuffer buffer, int messageOffset, long value) {
    int last = fields[index].firstBit() + width(index) - 1;
    for (int i = 0; i < width(index); i++) {
      int at = messageOffset + ((last - i) >>> 3);
      int mask = 1 << (7 - ((last - i) & 7));
      int octet = buffer.getByte(at);
      buffer.putByte(at, (byte) ((value >>> i & 1) != 0 ? octet | mask : octet & ~mask));
    }
  }
}
