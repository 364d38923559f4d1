// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.EthernetHeader;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.packet.WireFault;

/**
 * Text for people, like tcpdump's: one line a packet, with {@code -v} further lines that hold every
 * field. Times are UTC.
 */
final class TextForm {
  private static final long DAY_NS = 86_400_000_000_000L;
  private static final long HOUR_NS = 3_600_000_000_000L;
  private static final long MINUTE_NS = 60_000_000_000L;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final String INDENT = "\n        ";

  private final boolean verbose;

  TextForm(boolean verbose) {
    this.verbose = verbose;
  }

  /**
   * Appends the lines of a packet, without a line end.
   *
   * @param out receives the text
   * @param packet any
   */
  void append(StringBuilder out, DecodedPacket packet) {
    time(out, packet.captured.timeNs());
    if (packet.addressed) {
      addresses(out, packet);
    } else {
      out.append(" frame ").append(packet.captured.number()).append(',');
    }
    if (packet.hasBth()) {
      bth(out, packet);
    }
    if (packet.wrapped) {
      headers(out, packet.view);
      if (Opcode.hasPayload(packet.view.opcode())) {
        out.append(" len ").append(packet.payloadLength());
      }
    }
    if (packet.hasMx) {
      MxForm.append(out, MxForm.of(packet.mx), false);
    }
    if (packet.hasCm) {
      out.append(' ').append(CmRecord.parse(packet.cm));
    }
    if (packet.trainPackets > 1) {
      out.append(" train ").append(packet.trainIndex + 1).append('/').append(packet.trainPackets);
    }
    fault(out, packet);
    if (verbose && packet.addressed) {
      details(out, packet);
    }
  }

  private static void time(StringBuilder out, long timeNs) {
    long ofDay = Math.floorMod(timeNs, DAY_NS);
    digits(out, ofDay / HOUR_NS, 2);
    out.append(':');
    digits(out, ofDay / MINUTE_NS % 60, 2);
    out.append(':');
    digits(out, ofDay / SECOND_NS % 60, 2);
    out.append('.');
    digits(out, ofDay % SECOND_NS, 9);
  }

  private static void digits(StringBuilder out, long value, int width) {
    long power = 1;
    for (int i = 1; i < width; i++) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      out.append((char) ('0' + value / power % 10));
    }
  }

  /** Appends a number as 0x and so many hex digits. */
  static void hex(StringBuilder out, long value, int width) {
    out.append("0x");
    for (int shift = 4 * (width - 1); shift >= 0; shift -= 4) {
      out.append(Character.forDigit((int) (value >>> shift) & 0xF, 16));
    }
  }

  private static void addresses(StringBuilder out, DecodedPacket packet) {
    FrameDissector frame = packet.frame;
    IpUdpFields fields = packet.fields;
    boolean v1 = frame.isRoceV1();
    out.append(v1 ? " GRH " : frame.isIpv4() ? " IP " : " IP6 ");
    address(out, fields.sourceHigh(), fields.sourceLow());
    if (!v1) {
      out.append('.').append(fields.sourcePort());
    }
    out.append(" > ");
    address(out, fields.destinationHigh(), fields.destinationLow());
    if (!v1) {
      out.append('.').append(fields.destinationPort());
    }
    out.append(':');
    for (int i = 0; i < frame.vlanTags(); i++) {
      out.append(" vlan ").append(frame.vlanId(i));
    }
    if ((frame.tos() & Ipv4Header.ECN_CE) == Ipv4Header.ECN_CE) {
      out.append(" CE");
    }
  }

  private static void address(StringBuilder out, long high, long low) {
    if (Gid.isIpv4Mapped(high, low)) {
      out.append((low >>> 24) & 0xFF).append('.').append((low >>> 16) & 0xFF).append('.');
      out.append((low >>> 8) & 0xFF).append('.').append(low & 0xFF);
    } else {
      out.append(new Gid(high, low));
    }
  }

  private static void bth(StringBuilder out, DecodedPacket packet) {
    int opcode = Bth.opcode(packet.buffer, packet.bthOffset);
    out.append(' ');
    if (Opcode.isDefined(opcode)) {
      out.append(Opcode.name(opcode));
    } else {
      out.append("opcode ");
      hex(out, opcode, 2);
    }
    out.append(" qp ");
    hex(out, Bth.destQp(packet.buffer, packet.bthOffset), 6);
    out.append(" psn ").append(Bth.psn(packet.buffer, packet.bthOffset));
    out.append(Bth.solicited(packet.buffer, packet.bthOffset) ? " SE" : "");
    out.append(Bth.ackRequest(packet.buffer, packet.bthOffset) ? " A" : "");
    out.append(Bth.becn(packet.buffer, packet.bthOffset) ? " BECN" : "");
  }

  private static void headers(StringBuilder out, PacketView view) {
    int opcode = view.opcode();
    if (Opcode.hasDeth(opcode)) {
      out.append(" srcqp ");
      hex(out, view.sourceQp(), 6);
      out.append(" qkey ");
      hex(out, view.qkey(), 8);
    }
    if (Opcode.hasXrcEth(opcode)) {
      out.append(" srq ");
      hex(out, view.xrcSrqNumber(), 6);
    }
    if (Opcode.hasFeth(opcode)) {
      out.append(view.flushSelectivity() == 0 ? " flush range" : " flush region");
      out.append(" placement ").append(view.flushPlacement());
    }
    if (Opcode.hasReth(opcode)) {
      keyed(out, view.rethVa(), view.rethRkey());
      out.append(" dmalen ").append(view.rethLength());
    }
    if (Opcode.hasAtomicEth(opcode)) {
      keyed(out, view.atomicVa(), view.atomicRkey());
      out.append(opcode == Opcode.RC_FETCH_ADD ? " add " : " swap ");
      hex(out, view.atomicSwapOrAdd(), 16);
      out.append(" compare ");
      hex(out, view.atomicCompare(), 16);
    }
    if (Opcode.hasAeth(opcode)) {
      out.append(' ').append(Syndrome.describe(view.syndrome())).append(" msn ");
      out.append(view.msn());
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      out.append(" original ");
      hex(out, view.atomicOriginal(), 16);
    }
    if (Opcode.hasImmDt(opcode)) {
      out.append(" imm ");
      hex(out, view.immediate(), 8);
    }
    if (Opcode.hasIeth(opcode)) {
      out.append(" inv ");
      hex(out, view.invalidateRkey(), 8);
    }
  }

  private static void keyed(StringBuilder out, long va, int rkey) {
    out.append(" va ");
    hex(out, va, 16);
    out.append(" rkey ");
    hex(out, rkey, 8);
  }

  private static void fault(StringBuilder out, DecodedPacket packet) {
    if (packet.fault == WireFault.OK) {
      return;
    }
    out.append(" [").append(WireFault.name(packet.fault));
    if (packet.fault == WireFault.BAD_ICRC) {
      out.append(": ").append(packet.diagnose().text());
    } else if (packet.fault == WireFault.BAD_MX_HEADER) {
      out.append(": ").append(MxFault.name(packet.mxFault));
    } else if (packet.fault == WireFault.CAPTURE_TRUNCATED) {
      CapturedPacket captured = packet.captured;
      out.append(": ").append(captured.capturedLength()).append(" of ");
      out.append(captured.originalLength()).append(" bytes");
    }
    out.append(']');
  }

  private static void details(StringBuilder out, DecodedPacket packet) {
    FrameDissector frame = packet.frame;
    if (frame.hasEthernet()) {
      out.append(INDENT).append("eth ").append(EthernetHeader.format(frame.sourceMac()));
      out.append(" > ").append(EthernetHeader.format(frame.destinationMac()));
      for (int i = 0; i < frame.vlanTags(); i++) {
        out.append(", vlan ").append(frame.vlanId(i)).append(" priority ");
        out.append(frame.vlanPriority(i));
      }
    }
    out.append(INDENT).append(frame.isRoceV1() ? "grh" : "ip").append(" tos ");
    hex(out, frame.tos(), 2);
    out.append(" (dscp ").append(frame.tos() >>> 2).append(", ecn ").append(frame.tos() & 3);
    out.append("), hop limit ").append(frame.hopLimit());
    if (frame.isIpv4()) {
      out.append(", id ");
      hex(out, packet.fields.identification(), 4);
      out.append((packet.fields.fragmentWord() & Ipv4Header.DONT_FRAGMENT) != 0 ? ", DF" : "");
      out.append(frame.isIpChecksumRight() ? "" : ", header checksum WRONG");
    } else {
      out.append(", flow label ");
      hex(out, frame.flowLabel(), 5);
    }
    if (!frame.isRoceV1()) {
      out.append(", udp length ").append(UdpHeader.LENGTH + packet.length).append(", checksum ");
      hex(out, frame.udpChecksum(), 4);
      out.append(frame.isUdpChecksumRight() ? "" : " (not complete or wrong)");
    }
    if (packet.hasBth()) {
      bthDetails(out, packet);
    }
    if (packet.hasMx) {
      out.append(INDENT).append("mx");
      MxForm.append(out, MxForm.of(packet.mx), true);
    }
    if (packet.hasCm) {
      cmDetails(out, CmRecord.parse(packet.cm));
    }
  }

  private static void bthDetails(StringBuilder out, DecodedPacket packet) {
    int at = packet.bthOffset;
    out.append(INDENT).append("bth opcode ");
    hex(out, Bth.opcode(packet.buffer, at), 2);
    out.append(", se ").append(bit(Bth.solicited(packet.buffer, at)));
    out.append(", migreq ").append(bit(Bth.migReq(packet.buffer, at)));
    out.append(", pad ").append(Bth.padCount(packet.buffer, at));
    out.append(", tver ").append(Bth.tver(packet.buffer, at)).append(", pkey ");
    hex(out, Bth.pkey(packet.buffer, at), 4);
    out.append(", fecn ").append(bit(Bth.fecn(packet.buffer, at)));
    out.append(", becn ").append(bit(Bth.becn(packet.buffer, at)));
    out.append(", ackreq ").append(bit(Bth.ackRequest(packet.buffer, at)));
    if (packet.wrapped && Opcode.hasAeth(packet.view.opcode())) {
      out.append(", syndrome ");
      hex(out, packet.view.syndrome(), 2);
    }
    if (packet.icrcState != DecodedPacket.ICRC_UNKNOWN) {
      out.append(", icrc ");
      out.append(String.format("%08x", Integer.reverseBytes(packet.icrcReceived)));
      out.append(packet.icrcState == DecodedPacket.ICRC_RIGHT ? " right" : " WRONG");
    }
  }

  private static int bit(boolean value) {
    return value ? 1 : 0;
  }

  private static void cmDetails(StringBuilder out, CmRecord record) {
    out.append(INDENT).append("cm tid ");
    hex(out, record.transactionId(), 16);
    for (int i = 0; i < record.fieldCount(); i++) {
      out.append(i % 6 == 5 ? INDENT + "   " : ", ").append(record.fieldName(i)).append(' ');
      if (record.fieldWidth(i) >= 24) {
        hex(out, record.fieldValue(i), record.fieldWidth(i) / 4);
      } else {
        out.append(record.fieldValue(i));
      }
    }
  }
}
