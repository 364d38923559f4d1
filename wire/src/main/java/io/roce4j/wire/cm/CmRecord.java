// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import java.util.Arrays;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A CM message as a value, for tools and tests: its fields by name and its private data. Reserved
 * bits are not part of it. Immutable; allocates.
 */
public final class CmRecord {
  private final int attributeId;
  private final long transactionId;
  private final long[] values;
  private final byte[] additionalInfo;
  private final byte[] privateData;

  private CmRecord(
      int attributeId,
      long transactionId,
      long[] values,
      byte[] additionalInfo,
      byte[] privateData) {
    this.attributeId = attributeId;
    this.transactionId = transactionId;
    this.values = values;
    this.additionalInfo = additionalInfo;
    this.privateData = privateData;
  }

  /**
   * Copies a checked message.
   *
   * @param view last wrap was OK
   * @return the value
   */
  public static CmRecord parse(CmView view) {
    CmFields fields = CmFields.of(view.attributeId());
    long[] values = new long[fields.count()];
    for (int i = 0; i < values.length; i++) {
      values[i] = fields.get(i, view.buffer(), view.messageOffset());
    }
    byte[] info = new byte[additionalInfoLength(view.attributeId())];
    if (info.length > 0) {
      int at = view.messageOffset() + additionalInfoOffset(view.attributeId());
      view.buffer().getBytes(at, info);
    }
    byte[] data = new byte[view.privateDataLength()];
    view.buffer().getBytes(view.privateDataOffset(), data);
    return new CmRecord(view.attributeId(), view.transactionId(), values, info, data);
  }

  /**
   * A message with all fields 0 and no private data.
   *
   * @param attributeId a known one, see {@link CmAttribute}
   * @param transactionId all 64 bits
   * @return the value
   * @throws IllegalArgumentException on an unknown attribute
   */
  public static CmRecord of(int attributeId, long transactionId) {
    if (!CmAttribute.isKnown(attributeId)) {
      throw new IllegalArgumentException(
          "attribute 0x" + Integer.toHexString(attributeId) + " is no CM message");
    }
    CmFields fields = CmFields.of(attributeId);
    return new CmRecord(
        attributeId,
        transactionId,
        new long[fields.count()],
        new byte[additionalInfoLength(attributeId)],
        new byte[Mad.MESSAGE_LENGTH - fields.privateDataOffset()]);
  }

  /**
   * The same message with one field changed.
   *
   * @param name for example {@code localQpn}
   * @param value must fit the field
   * @return a new value
   * @throws IllegalArgumentException on an unknown name or a value that does not fit
   */
  public CmRecord with(String name, long value) {
    CmFields fields = CmFields.of(attributeId);
    int index = fields.indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(CmAttribute.name(attributeId) + " has no field " + name);
    }
    int width = fields.width(index);
    if (width < 64 && value >>> width != 0) {
      throw new IllegalArgumentException(
          name + " 0x" + Long.toHexString(value) + " does not fit " + width + " bits");
    }
    long[] changed = values.clone();
    changed[index] = value;
    return new CmRecord(attributeId, transactionId, changed, additionalInfo, privateData);
  }

  /**
   * The same message with other private data.
   *
   * @param bytes at most as many as the area holds; the rest is zero
   * @return a new value
   * @throws IllegalArgumentException when there are too many [FC-30]
   */
  public CmRecord withPrivateData(byte... bytes) {
    if (bytes.length > privateData.length) {
      throw new IllegalArgumentException(
          bytes.length
              + " bytes of private data: "
              + CmAttribute.name(attributeId)
              + " holds at most "
              + privateData.length);
    }
    byte[] data = Arrays.copyOf(bytes, privateData.length);
    return new CmRecord(attributeId, transactionId, values, additionalInfo, data);
  }

  /** {@return which message it is, see {@link CmAttribute}} */
  public int attributeId() {
    return attributeId;
  }

  /** {@return transaction id, all 64 bits} */
  public long transactionId() {
    return transactionId;
  }

  /** {@return number of fields} */
  public int fieldCount() {
    return values.length;
  }

  /**
   * The name of a field.
   *
   * @param index 0..{@link #fieldCount} - 1
   * @return for example {@code localQpn}
   */
  public String fieldName(int index) {
    return CmFields.of(attributeId).name(index);
  }

  /**
   * The width of a field.
   *
   * @param index 0..{@link #fieldCount} - 1
   * @return 1..64 bits
   */
  public int fieldWidth(int index) {
    return CmFields.of(attributeId).width(index);
  }

  /**
   * The value of a field.
   *
   * @param index 0..{@link #fieldCount} - 1
   * @return the bits, unsigned
   */
  public long fieldValue(int index) {
    return values[index];
  }

  /**
   * The value of a field by name.
   *
   * @param name for example {@code localQpn}
   * @return the bits, unsigned
   * @throws IllegalArgumentException on an unknown name
   */
  public long get(String name) {
    int index = CmFields.of(attributeId).indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(CmAttribute.name(attributeId) + " has no field " + name);
    }
    return values[index];
  }

  /** {@return a copy of the private data, the whole area} */
  public byte[] privateData() {
    return privateData.clone();
  }

  /** {@return a copy of the additional information of REJ and SIDR_REP; empty in other messages} */
  public byte[] additionalInfo() {
    return additionalInfo.clone();
  }

  /** {@return whether the private data start with an RDMA CM header} */
  public boolean hasRdmaCmHeader() {
    return (attributeId == CmAttribute.REQ || attributeId == CmAttribute.SIDR_REQ)
        && privateData[0] == 0
        && (privateData[1] == 0x40 || privateData[1] == 0x60);
  }

  /**
   * Writes the whole MAD, reserved bits as zero.
   *
   * @param buffer receives 256 bytes
   * @param offset first byte of the MAD
   */
  public void emit(MutableDirectBuffer buffer, int offset) {
    Mad.begin(buffer, offset, attributeId, transactionId);
    int message = offset + Mad.HEADER_LENGTH;
    CmFields fields = CmFields.of(attributeId);
    for (int i = 0; i < values.length; i++) {
      fields.set(i, buffer, message, values[i]);
    }
    if (additionalInfo.length > 0) {
      buffer.putBytes(message + additionalInfoOffset(attributeId), additionalInfo);
    }
    buffer.putBytes(message + fields.privateDataOffset(), privateData);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CmRecord that
        && attributeId == that.attributeId
        && transactionId == that.transactionId
        && Arrays.equals(values, that.values)
        && Arrays.equals(additionalInfo, that.additionalInfo)
        && Arrays.equals(privateData, that.privateData);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * attributeId + Long.hashCode(transactionId)) + Arrays.hashCode(values);
  }

  /** {@return one line: the message, what identifies it and what it says} */
  @Override
  public String toString() {
    StringBuilder line = new StringBuilder("CM ").append(CmAttribute.name(attributeId));
    CmFields fields = CmFields.of(attributeId);
    for (int i = 0; i < values.length; i++) {
      String name = fields.name(i);
      if (name.endsWith("CommId") || name.equals("requestId")) {
        line.append(String.format(" %s 0x%08x", name, values[i]));
      } else if (name.endsWith("pn")) {
        line.append(String.format(" %s 0x%06x", name, values[i]));
      } else if (name.equals("startingPsn")) {
        line.append(" psn ").append(values[i]);
      } else if (name.equals("serviceId")) {
        line.append(String.format(" service 0x%016x", values[i]));
      } else if (name.equals("reason")) {
        line.append(" reason ").append(values[i]).append(" (");
        line.append(RejectReason.name((int) values[i])).append(')');
      } else if (name.equals("status")) {
        line.append(" status ").append(values[i]);
      }
    }
    if (hasRdmaCmHeader()) {
      UnsafeBuffer header = new UnsafeBuffer(privateData);
      line.append(' ').append(RdmaCmHeader.source(header, 0));
      line.append(" port ").append(RdmaCmHeader.sourcePort(header, 0));
      line.append(" to ").append(RdmaCmHeader.destination(header, 0));
    }
    return line.toString();
  }

  private static int additionalInfoOffset(int attributeId) {
    return attributeId == CmAttribute.REJ
        ? RejMessage.ADDITIONAL_INFO_OFFSET
        : SidrRepMessage.ADDITIONAL_INFO_OFFSET;
  }

  private static int additionalInfoLength(int attributeId) {
    return attributeId == CmAttribute.REJ || attributeId == CmAttribute.SIDR_REP
        ? RejMessage.ADDITIONAL_INFO_LENGTH
        : 0;
  }
}
