// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Says why an ICRC is wrong: tries the known mistakes, fewest first, and the places where a changed
 * field or byte would explain the difference [FC-05].
 *
 * <p>A tool, not a data-path class: it copies the packet. One thread.
 */
public final class IcrcExplainer {
  private static final int PREFIX = 1;
  private static final int BTH_BYTE = 1 << 1;
  private static final int INVERSION = 1 << 2;
  private static final int REVERSED = 1 << 3;
  private static final int PAD = 1 << 4;
  private static final int FIELD_SHIFT = 5;
  private static final int MASK_FIELDS = 4;
  private static final int VARIANTS = 1 << (FIELD_SHIFT + MASK_FIELDS);
  private static final int MAX_MISTAKES = 3;
  private static final int ICRC_LENGTH = 4;
  private static final int UDP_LENGTH = 8;
  private static final int LRH_STAND_IN = 8;
  private static final int IDENTIFICATION_OFFSET = 4;
  private static final int BTH_MASKED_BYTE = 4;
  private static final String[] IPV4_FIELDS = {"TOS", "TTL", "header checksum", "UDP checksum"};
  private static final String[] IPV6_FIELDS = {
    "traffic class", "flow label", "hop limit", "UDP checksum"
  };

  private final CRC32 crc = new CRC32();

  /** Makes an explainer for one thread. */
  public IcrcExplainer() {}

  /**
   * Explains the ICRC of a packet.
   *
   * @param buffer holds the packet from its IP header (or GRH) on, whole
   * @param ipOffset first byte of the IP header or GRH
   * @param encapsulation {@link IpUdpFields#IPV4}, {@link IpUdpFields#IPV6} or {@link
   *     IpUdpFields#GRH}
   * @param bthOffset first byte of the BTH
   * @param length bytes from BTH to ICRC, both included; 16..65515
   * @return the diagnosis; right when nothing is wrong
   */
  public IcrcDiagnosis explain(
      DirectBuffer buffer, int ipOffset, int encapsulation, int bthOffset, int length) {
    int headers = bthOffset - ipOffset;
    byte[] sent = new byte[LRH_STAND_IN + headers + length];
    for (int i = 0; i < LRH_STAND_IN; i++) {
      sent[i] = (byte) 0xFF;
    }
    buffer.getBytes(ipOffset, sent, LRH_STAND_IN, headers + length);
    Subject subject = new Subject(sent, encapsulation, LRH_STAND_IN + headers);
    int received = Icrc.received(new UnsafeBuffer(sent), subject.bth, length);
    int expected = subject.compute(0);
    if (expected == received) {
      return new IcrcDiagnosis(expected, received, List.of(), "");
    }
    if (received == 0) {
      return new IcrcDiagnosis(expected, received, List.of(IcrcCause.ZERO), "");
    }
    IcrcDiagnosis mistake = subject.findMistake(expected, received);
    return mistake != null ? mistake : subject.findChange(expected, received);
  }

  /** One packet under examination: eight bytes FF, headers and packet as sent. */
  private final class Subject {
    private final byte[] sent;
    private final int encapsulation;
    private final int bth;
    private final int covered;
    private final int pad;
    private final byte[] masked;

    Subject(byte[] sent, int encapsulation, int bth) {
      this.sent = sent;
      this.encapsulation = encapsulation;
      this.bth = bth;
      this.covered = sent.length - ICRC_LENGTH;
      this.pad = (sent[bth + 1] >>> 4) & 3;
      this.masked = new byte[sent.length];
    }

    /** The ICRC with the mistakes of a variant; 0 is the right one. */
    int compute(int variant) {
      System.arraycopy(sent, 0, masked, 0, sent.length);
      int unmasked = variant >>> FIELD_SHIFT;
      if (encapsulation == IpUdpFields.IPV4) {
        maskIpv4(unmasked);
      } else {
        maskIpv6(unmasked);
      }
      if ((variant & BTH_BYTE) == 0) {
        masked[bth + BTH_MASKED_BYTE] = (byte) 0xFF;
      }
      int from = (variant & PREFIX) == 0 ? 0 : LRH_STAND_IN;
      int to = (variant & PAD) == 0 ? covered : covered - pad;
      crc.reset();
      crc.update(masked, from, to - from);
      int value = (int) crc.getValue();
      value = (variant & INVERSION) == 0 ? value : ~value;
      return (variant & REVERSED) == 0 ? value : Integer.reverseBytes(value);
    }

    private void maskIpv4(int unmasked) {
      maskUnless(unmasked, 0, LRH_STAND_IN + 1, 1);
      maskUnless(unmasked, 1, LRH_STAND_IN + 8, 1);
      maskUnless(unmasked, 2, LRH_STAND_IN + 10, 2);
      maskUnless(unmasked, 3, bth - 2, 2);
    }

    private void maskIpv6(int unmasked) {
      if ((unmasked & 1) == 0) {
        masked[LRH_STAND_IN] |= 0x0F;
        masked[LRH_STAND_IN + 1] |= (byte) 0xF0;
      }
      if ((unmasked & 2) == 0) {
        masked[LRH_STAND_IN + 1] |= 0x0F;
        masked[LRH_STAND_IN + 2] = (byte) 0xFF;
        masked[LRH_STAND_IN + 3] = (byte) 0xFF;
      }
      maskUnless(unmasked, 2, LRH_STAND_IN + 7, 1);
      if (encapsulation == IpUdpFields.IPV6) {
        maskUnless(unmasked, 3, bth - 2, 2);
      }
    }

    private void maskUnless(int unmasked, int field, int at, int bytes) {
      if ((unmasked & (1 << field)) == 0) {
        for (int i = 0; i < bytes; i++) {
          masked[at + i] = (byte) 0xFF;
        }
      }
    }

    /** Tries all combinations of up to three mistakes, fewest first; null when none fits. */
    IcrcDiagnosis findMistake(int expected, int received) {
      for (int mistakes = 1; mistakes <= MAX_MISTAKES; mistakes++) {
        for (int variant = 1; variant < VARIANTS; variant++) {
          if (mistakesIn(variant) == mistakes && compute(variant) == received) {
            return new IcrcDiagnosis(expected, received, causes(variant), fields(variant));
          }
        }
      }
      return null;
    }

    private int mistakesIn(int variant) {
      int kinds = Integer.bitCount(variant & ((1 << FIELD_SHIFT) - 1));
      return kinds + (variant >>> FIELD_SHIFT == 0 ? 0 : 1);
    }

    private List<IcrcCause> causes(int variant) {
      List<IcrcCause> causes = new ArrayList<>();
      addIf(causes, variant, PAD, IcrcCause.PAD_NOT_COVERED);
      addIf(causes, variant, PREFIX, IcrcCause.PREFIX_MISSING);
      addIf(causes, variant, BTH_BYTE, IcrcCause.BTH_BYTE_NOT_MASKED);
      addIf(causes, variant, -1 << FIELD_SHIFT, IcrcCause.HEADER_FIELDS_NOT_MASKED);
      addIf(causes, variant, INVERSION, IcrcCause.NOT_INVERTED);
      addIf(causes, variant, REVERSED, IcrcCause.BYTES_REVERSED);
      return causes;
    }

    private void addIf(List<IcrcCause> causes, int variant, int mask, IcrcCause cause) {
      if ((variant & mask) != 0) {
        causes.add(cause);
      }
    }

    private String fields(int variant) {
      String[] names = encapsulation == IpUdpFields.IPV4 ? IPV4_FIELDS : IPV6_FIELDS;
      StringBuilder list = new StringBuilder();
      for (int i = 0; i < MASK_FIELDS; i++) {
        if ((variant & (1 << (FIELD_SHIFT + i))) != 0) {
          list.append(list.isEmpty() ? "" : ", ").append(names[i]);
        }
      }
      return list.toString();
    }

    /** Looks for one bit, then one field, then one byte whose change explains the difference. */
    IcrcDiagnosis findChange(int expected, int received) {
      int difference = expected ^ received;
      int lane = Integer.numberOfTrailingZeros(difference) / Byte.SIZE;
      if ((difference & ~(0xFF << (lane * Byte.SIZE))) == 0) {
        int changed = difference >>> (lane * Byte.SIZE);
        String where = String.format("byte %d of the ICRC itself, bits 0x%02x", lane, changed);
        return diagnosis(expected, received, IcrcCause.ONE_BYTE_CHANGED, where);
      }
      int place = changedByte(difference, 1);
      boolean inIpv4 = encapsulation == IpUdpFields.IPV4;
      int idAt = LRH_STAND_IN + IDENTIFICATION_OFFSET;
      int portAt = bth - UDP_LENGTH;
      if (inIpv4 && (place < 0 || place == idAt || place == idAt + 1)) {
        int id = changed16(difference, idAt);
        if (id >= 0) {
          String meant = String.format("0x%04x", id ^ half(idAt));
          return diagnosis(expected, received, IcrcCause.IDENTIFICATION, meant);
        }
      }
      boolean inUdp = encapsulation != IpUdpFields.GRH;
      if (inUdp && (place < 0 || place == portAt || place == portAt + 1)) {
        int port = changed16(difference, portAt);
        if (port >= 0) {
          String meant = Integer.toString(port ^ half(portAt));
          return diagnosis(expected, received, IcrcCause.SOURCE_PORT, meant);
        }
      }
      place = place < 0 ? changedByte(difference, Byte.SIZE) : place;
      if (place < 0) {
        return diagnosis(expected, received, IcrcCause.CORRUPTED, "");
      }
      int bits = CrcShift.back(difference, covered - place) & 0xFF;
      String where = where(place) + String.format(", bits 0x%02x", bits);
      return diagnosis(expected, received, IcrcCause.ONE_BYTE_CHANGED, where);
    }

    private IcrcDiagnosis diagnosis(int expected, int received, IcrcCause cause, String detail) {
      return new IcrcDiagnosis(expected, received, List.of(cause), detail);
    }

    private int half(int at) {
      return ((sent[at] & 0xFF) << 8) | (sent[at + 1] & 0xFF);
    }

    /** The change of the 16-bit field at a place that explains the difference, or -1. */
    private int changed16(int difference, int at) {
      int state = CrcShift.back(difference, covered - at);
      return state >>> Short.SIZE != 0 ? -1 : ((state & 0xFF) << 8) | (state >>> 8);
    }

    /** The only byte whose change, in at most so many bits, explains the difference, or -1. */
    private int changedByte(int difference, int bitsMax) {
      int state = difference;
      for (int at = covered - 1; at >= LRH_STAND_IN; at--) {
        state = CrcShift.back(state, 1);
        if (state >>> Byte.SIZE == 0 && Integer.bitCount(state) <= bitsMax) {
          return at;
        }
      }
      return -1;
    }

    private String where(int place) {
      return place < bth
          ? "byte " + (place - LRH_STAND_IN) + " of the IP or UDP header"
          : "byte " + (place - bth) + " from the BTH";
    }
  }
}
