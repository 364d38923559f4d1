// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Management datagram header (IBA 1.4, 13.4.3) with the values CM uses.
 *
 * <pre>
 *  0  base version 8 (1) | management class 8 (7) | class version 8 (2) | method 8 (3, Send)
 *  4  status 16          6  class specific 16
 *  8  transaction id 64
 * 16  attribute id 16   18  reserved 16            20  attribute modifier 32
 * </pre>
 *
 * <p>Static access over bytes; offsets are those of the header's first byte. Stateless; any thread.
 */
public final class Mad {
  /** Bytes of a whole MAD: this header and 232 bytes of message. */
  public static final int LENGTH = 256;

  /** Bytes of the header; the message starts behind it. */
  public static final int HEADER_LENGTH = 24;

  /** Bytes of the message. */
  public static final int MESSAGE_LENGTH = 232;

  /** Base version of every MAD. */
  public static final int BASE_VERSION = 1;

  /** Management class of CM. */
  public static final int CLASS_CM = 7;

  /** Class version of CM. */
  public static final int CM_VERSION = 2;

  /** Method of every CM message, answers included. */
  public static final int METHOD_SEND = 3;

  /** Queue key of QP 1 (IBA 1.4, 10.2.5). */
  public static final int GSI_QKEY = 0x8001_0000;

  /** Queue key RDMA CM gives to UD queue pairs. */
  public static final int RDMA_CM_UD_QKEY = 0x0123_4567;

  private static final int STATUS_OFFSET = 4;
  private static final int TRANSACTION_OFFSET = 8;
  private static final int ATTRIBUTE_OFFSET = 16;
  private static final int MODIFIER_OFFSET = 20;
  private static final int CM_FIRST_WORD =
      (BASE_VERSION << 24) | (CLASS_CM << 16) | (CM_VERSION << 8) | METHOD_SEND;

  private Mad() {}

  /**
   * {@return base version, class, class version and method as one big-endian word}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int firstWord(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset, BIG_ENDIAN);
  }

  /**
   * {@return whether base version, class, class version and method are those of a CM message}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static boolean isCm(DirectBuffer buffer, int offset) {
    return firstWord(buffer, offset) == CM_FIRST_WORD;
  }

  /**
   * {@return status, 0..0xFFFF}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int status(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + STATUS_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * {@return transaction id, all 64 bits}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static long transactionId(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset + TRANSACTION_OFFSET, BIG_ENDIAN);
  }

  /**
   * {@return attribute id, 0..0xFFFF; see {@link CmAttribute}}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int attributeId(DirectBuffer buffer, int offset) {
    return buffer.getShort(offset + ATTRIBUTE_OFFSET, BIG_ENDIAN) & 0xFFFF;
  }

  /**
   * {@return attribute modifier, all 32 bits}
   *
   * @param buffer holds the header
   * @param offset first byte of the header
   */
  public static int attributeModifier(DirectBuffer buffer, int offset) {
    return buffer.getInt(offset + MODIFIER_OFFSET, BIG_ENDIAN);
  }

  /**
   * Starts a CM message: zeroes all 256 bytes and writes the header. Set the fields of the message
   * afterwards, at {@code offset + HEADER_LENGTH}.
   *
   * @param buffer receives 256 bytes
   * @param offset first byte of the MAD
   * @param attributeId see {@link CmAttribute}
   * @param transactionId all 64 bits
   */
  public static void begin(
      MutableDirectBuffer buffer, int offset, int attributeId, long transactionId) {
    buffer.setMemory(offset, LENGTH, (byte) 0);
    buffer.putInt(offset, CM_FIRST_WORD, BIG_ENDIAN);
    buffer.putLong(offset + TRANSACTION_OFFSET, transactionId, BIG_ENDIAN);
    buffer.putShort(offset + ATTRIBUTE_OFFSET, (short) attributeId, BIG_ENDIAN);
  }
}
