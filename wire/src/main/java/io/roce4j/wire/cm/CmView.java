// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A CM message seen as bytes: checked once by {@link #wrap}, after that every field of the message
 * class that belongs to {@link #attributeId} stays inside it.
 *
 * <p>Judges only form: 256 bytes, base version, class, class version, method and a known attribute.
 * Queue keys, ids and states are the connection manager's. A reusable cursor for one thread.
 */
public final class CmView {
  private static final DirectBuffer NOTHING = new UnsafeBuffer(new byte[Mad.LENGTH]);

  private DirectBuffer buffer = NOTHING;
  private int madOffset;

  /** Makes a view over zeros until the first {@link #wrap}. */
  public CmView() {}

  /**
   * {@return whether a packet goes to the general services interface, where CM messages arrive}
   *
   * @param view a checked packet
   */
  public static boolean isForGsi(PacketView view) {
    return view.destQp() == Bth.GSI_QP && view.opcode() == Opcode.UD_SEND_ONLY;
  }

  /**
   * Points the view at the payload of a packet and checks it.
   *
   * @param view a checked packet for QP 1
   * @return {@link WireFault#OK} or {@link WireFault#BAD_MAD}
   */
  public int wrap(PacketView view) {
    return wrap(view.buffer(), view.payloadOffset(), view.payloadLength());
  }

  /**
   * Points the view at a MAD and checks it. A refused MAD leaves the view where it was.
   *
   * @param buffer holds the MAD
   * @param madOffset first byte
   * @param length bytes of the datagram's payload; the caller vouches for them
   * @return {@link WireFault#OK} or {@link WireFault#BAD_MAD}
   */
  public int wrap(DirectBuffer buffer, int madOffset, int length) {
    if (length != Mad.LENGTH
        || !Mad.isCm(buffer, madOffset)
        || !CmAttribute.isKnown(Mad.attributeId(buffer, madOffset))) {
      return WireFault.BAD_MAD;
    }
    this.buffer = buffer;
    this.madOffset = madOffset;
    return WireFault.OK;
  }

  /** {@return the buffer of the last good {@link #wrap}, lent} */
  public DirectBuffer buffer() {
    return buffer;
  }

  /** {@return index of the MAD's first byte} */
  public int madOffset() {
    return madOffset;
  }

  /** {@return index of the message's first byte: what the fields of the message take as offset} */
  public int messageOffset() {
    return madOffset + Mad.HEADER_LENGTH;
  }

  /** {@return which message it is, see {@link CmAttribute}} */
  public int attributeId() {
    return Mad.attributeId(buffer, madOffset);
  }

  /** {@return transaction id, all 64 bits} */
  public long transactionId() {
    return Mad.transactionId(buffer, madOffset);
  }

  /** {@return index of the private data's first byte} */
  public int privateDataOffset() {
    return messageOffset() + CmFields.of(attributeId()).privateDataOffset();
  }

  /** {@return bytes of private data: the whole fixed area, since the message does not say more} */
  public int privateDataLength() {
    return Mad.MESSAGE_LENGTH - CmFields.of(attributeId()).privateDataOffset();
  }
}
