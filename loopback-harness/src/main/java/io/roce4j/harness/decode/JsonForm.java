// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.icrc.IcrcCause;
import io.roce4j.wire.icrc.IcrcDiagnosis;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;

/**
 * JSON Lines: one object a packet. Addresses, keys, checksums and 64-bit operands are hex strings
 * with 0x; PSNs, queue pair numbers, MSNs and counts are numbers; headers the packet does not have
 * are absent.
 */
final class JsonForm {
  private JsonForm() {}

  /**
   * Makes the object of a packet.
   *
   * @param packet any
   * @return a new object
   */
  static ObjectNode of(DecodedPacket packet) {
    ObjectNode object = JsonReport.mapper().createObjectNode();
    object.put("file", packet.file);
    object.put("n", packet.captured.number());
    object.put("timeNs", packet.captured.timeNs());
    if (packet.addressed) {
      ip(object, packet);
    }
    if (packet.hasBth()) {
      bth(object, packet);
    }
    if (packet.wrapped) {
      headers(object, packet.view);
    }
    if (packet.hasCm) {
      object.set("cm", CmForm.of(CmRecord.parse(packet.cm)));
    }
    if (packet.hasMx) {
      object.set("mx", MxForm.of(packet.mx));
    }
    if (packet.addressed && packet.frame.isRoceV1()) {
      object.set("grh", grh(packet.frame));
    }
    vlan(object, packet);
    if (packet.trainPackets > 1) {
      ObjectNode train = object.putObject("train");
      train.put("index", packet.trainIndex);
      train.put("packets", packet.trainPackets);
      train.put("segmentBytes", packet.trainSegmentBytes);
    }
    if (packet.wrapped) {
      object.put("payloadLength", packet.payloadLength());
    }
    icrc(object, packet);
    if (packet.fault != WireFault.OK) {
      object.put("fault", WireFault.name(packet.fault));
    }
    if (packet.fault == WireFault.BAD_MX_HEADER) {
      object.put("mxFault", MxFault.name(packet.mxFault));
    }
    return object;
  }

  /** A number as 0x and so many hex digits. */
  static String hex(long value, int width) {
    StringBuilder text = new StringBuilder(2 + width);
    TextForm.hex(text, value, width);
    return text.toString();
  }

  private static void ip(ObjectNode object, DecodedPacket packet) {
    FrameDissector frame = packet.frame;
    IpUdpFields fields = packet.fields;
    if (!frame.isRoceV1()) {
      object.put("ipVersion", frame.isIpv4() ? 4 : 6);
    }
    object.put("src", new Gid(fields.sourceHigh(), fields.sourceLow()).toString());
    object.put("dst", new Gid(fields.destinationHigh(), fields.destinationLow()).toString());
    if (!frame.isRoceV1()) {
      object.put("sport", fields.sourcePort());
      object.put("dport", fields.destinationPort());
    }
    object.put("tos", frame.tos());
    object.put("ecn", frame.tos() & Ipv4Header.ECN_CE);
    object.put("ttl", frame.hopLimit());
    if (frame.isIpv4()) {
      object.put("ipId", fields.identification());
      object.put("df", (fields.fragmentWord() & Ipv4Header.DONT_FRAGMENT) != 0);
    } else {
      object.put("flowLabel", frame.flowLabel());
    }
    if (!frame.isRoceV1()) {
      object.put("udpLength", UdpHeader.LENGTH + packet.length);
      object.put("udpChecksum", hex(frame.udpChecksum(), 4));
    }
  }

  private static void bth(ObjectNode object, DecodedPacket packet) {
    int at = packet.bthOffset;
    int opcode = Bth.opcode(packet.buffer, at);
    object.put("opcode", opcode);
    object.put("opcodeName", Opcode.name(opcode));
    object.put("se", Bth.solicited(packet.buffer, at));
    object.put("migReq", Bth.migReq(packet.buffer, at));
    object.put("padCount", Bth.padCount(packet.buffer, at));
    object.put("tver", Bth.tver(packet.buffer, at));
    object.put("pkey", hex(Bth.pkey(packet.buffer, at), 4));
    object.put("fecn", Bth.fecn(packet.buffer, at));
    object.put("becn", Bth.becn(packet.buffer, at));
    object.put("destQp", Bth.destQp(packet.buffer, at));
    object.put("ackReq", Bth.ackRequest(packet.buffer, at));
    object.put("psn", Bth.psn(packet.buffer, at));
  }

  private static void headers(ObjectNode object, PacketView view) {
    int opcode = view.opcode();
    if (Opcode.hasReth(opcode)) {
      ObjectNode reth = object.putObject("reth");
      reth.put("va", hex(view.rethVa(), 16));
      reth.put("rkey", hex(view.rethRkey(), 8));
      reth.put("dmaLength", view.rethLength());
    }
    if (Opcode.hasAeth(opcode)) {
      ObjectNode aeth = object.putObject("aeth");
      aeth.put("syndrome", view.syndrome());
      aeth.put("msn", view.msn());
    }
    if (Opcode.hasImmDt(opcode)) {
      object.put("immDt", view.immediate() & 0xFFFF_FFFFL);
    }
    if (Opcode.hasIeth(opcode)) {
      object.put("ieth", hex(view.invalidateRkey(), 8));
    }
    if (Opcode.hasDeth(opcode)) {
      ObjectNode deth = object.putObject("deth");
      deth.put("qkey", hex(view.qkey(), 8));
      deth.put("srcQp", view.sourceQp());
    }
    if (Opcode.hasAtomicEth(opcode)) {
      ObjectNode atomic = object.putObject("atomicEth");
      atomic.put("va", hex(view.atomicVa(), 16));
      atomic.put("rkey", hex(view.atomicRkey(), 8));
      atomic.put("swapOrAdd", hex(view.atomicSwapOrAdd(), 16));
      atomic.put("compare", hex(view.atomicCompare(), 16));
    }
    if (Opcode.hasAtomicAckEth(opcode)) {
      object.putObject("atomicAckEth").put("original", hex(view.atomicOriginal(), 16));
    }
    if (Opcode.hasXrcEth(opcode)) {
      object.put("xrcEth", view.xrcSrqNumber());
    }
    if (Opcode.hasFeth(opcode)) {
      ObjectNode feth = object.putObject("feth");
      feth.put("selectivity", view.flushSelectivity());
      feth.put("placement", view.flushPlacement());
    }
  }

  private static ObjectNode grh(FrameDissector frame) {
    ObjectNode grh = JsonReport.mapper().createObjectNode();
    grh.put("trafficClass", frame.tos());
    grh.put("flowLabel", frame.flowLabel());
    grh.put("payloadLength", Ipv6Header.payloadLength(frame.buffer(), frame.ipOffset()));
    grh.put("nextHeader", Ipv6Header.nextHeader(frame.buffer(), frame.ipOffset()));
    grh.put("hopLimit", frame.hopLimit());
    grh.put("sgid", frame.source().toHex());
    grh.put("dgid", frame.destination().toHex());
    return grh;
  }

  private static void vlan(ObjectNode object, DecodedPacket packet) {
    if (!packet.addressed || packet.frame.vlanTags() == 0) {
      return;
    }
    if (packet.frame.vlanTags() == 1) {
      object.put("vlan", packet.frame.vlanId(0));
      return;
    }
    ArrayNode tags = object.putArray("vlan");
    for (int i = 0; i < packet.frame.vlanTags(); i++) {
      tags.add(packet.frame.vlanId(i));
    }
  }

  private static void icrc(ObjectNode object, DecodedPacket packet) {
    if (packet.icrcState == DecodedPacket.ICRC_UNKNOWN) {
      return;
    }
    object.put("icrc", String.format("%08x", Integer.reverseBytes(packet.icrcReceived)));
    object.put("icrcOk", packet.icrcState == DecodedPacket.ICRC_RIGHT);
    if (packet.icrcState == DecodedPacket.ICRC_WRONG) {
      IcrcDiagnosis diagnosis = packet.diagnose();
      object.put("icrcExpected", String.format("%08x", Integer.reverseBytes(diagnosis.expected())));
      ArrayNode causes = object.putArray("icrcCauses");
      for (IcrcCause cause : diagnosis.causes()) {
        causes.add(cause.name());
      }
    }
  }
}
