// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.device;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.VersionProvider;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.verbs.DeviceAttributes;
import io.roce4j.transport.verbs.PathMtu;
import io.roce4j.transport.verbs.PortAttributes;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * What there is to say of an endpoint.
 *
 * @param device its limits
 * @param port its port
 * @param capabilities of the port beneath
 * @param link the interface
 * @param pkeys partition keys
 * @param gids addresses of this host that an endpoint can have, the asked one first
 */
record DeviceReport(
    DeviceAttributes device,
    PortAttributes port,
    PortCapabilities capabilities,
    LocalInterface link,
    List<Integer> pkeys,
    List<GidEntry> gids) {

  private String state() {
    return port.active() ? "PORT_ACTIVE" : "PORT_DOWN";
  }

  private int stateCode() {
    return port.active() ? 4 : 1;
  }

  /** In the form of ibv_devinfo. */
  void print(PrintWriter out) {
    out.println("hca_id:\troce4j");
    line(out, 1, "transport", "RoCEv2 in user space");
    line(out, 1, "fw_ver", VersionProvider.version());
    line(out, 1, "node_guid", guid());
    line(out, 1, "phys_port_cnt", "1");
    line(out, 1, "max_qp", device.maxQp());
    line(out, 1, "max_qp_wr", device.maxQpWr());
    line(out, 1, "max_sge", device.maxSge());
    line(out, 1, "max_inline_data", device.maxInlineData());
    line(out, 1, "max_cq", device.maxCq());
    line(out, 1, "max_cqe", device.maxCqe());
    line(out, 1, "max_mr", device.maxMr());
    line(out, 1, "max_pd", device.maxPd());
    line(out, 1, "max_srq", device.maxSrq());
    line(out, 1, "max_srq_wr", device.maxSrqWr());
    line(out, 1, "max_ah", device.maxAh());
    line(out, 1, "max_msg_sz", device.maxMsgSizeBytes());
    line(out, 1, "max_qp_rd_atom", device.maxQpRdAtom());
    line(out, 1, "max_mcast_grp", device.maxMcastGroups());
    line(out, 1, "max_pkeys", device.pkeyTableLength());
    line(
        out,
        1,
        "atomic_cap",
        device.atomicCap() == DeviceAttributes.ATOMIC_HCA ? "ATOMIC_HCA" : "none");
    line(out, 1, "local_ca_ack_delay", device.localCaAckDelay());
    line(out, 2, "port", "1");
    line(out, 3, "state", state() + " (" + stateCode() + ")");
    line(out, 3, "max_mtu", mtu(PathMtu.MAX_BYTES));
    line(out, 3, "active_mtu", mtu(port.activeMtuBytes()));
    line(out, 3, "link_layer", "Ethernet");
    line(out, 3, "netdev", link.name() + " mtu " + port.interfaceMtuBytes());
    line(out, 3, "udp_port", port.udpPort());
    for (int i = 0; i < pkeys.size(); i++) {
      line(out, 3, "Pkey[" + i + "]", String.format(Locale.ROOT, "0x%04x", pkeys.get(i)));
    }
    for (int i = 0; i < gids.size(); i++) {
      line(out, 3, "GID[" + i + "]", gids.get(i).gid() + ", RoCE v2, " + gids.get(i).netdev());
    }
    printCapabilities(out);
  }

  private void printCapabilities(PrintWriter out) {
    line(out, 2, "io", capabilities.name());
    line(out, 3, "ecn_receive", yes(capabilities.ecnReceive()));
    line(out, 3, "tos_per_packet", yes(capabilities.tosPerPacket()));
    line(out, 3, "ip_header_seen", yes(capabilities.ipHeaderSeen()));
    line(
        out,
        3,
        "source_ports",
        capabilities.pathSlots() + (capabilities.anySourcePort() ? ", any" : ", a pool"));
    line(out, 3, "max_train_packets", capabilities.maxTrainSegments());
    line(out, 3, "max_train_bytes", capabilities.maxTrainBytes());
    line(
        out,
        3,
        "privilege",
        capabilities.privilege().isEmpty() ? "none" : capabilities.privilege());
  }

  private static String yes(boolean is) {
    return is ? "yes" : "no";
  }

  private static String mtu(int bytes) {
    return bytes + " (" + PathMtu.code(bytes) + ")";
  }

  private String guid() {
    return String.format(
        Locale.ROOT, "%016x", link.mac() == 0 ? 0 : io.roce4j.wire.ip.Gid.nodeGuid(link.mac()));
  }

  private static void line(PrintWriter out, int indent, String name, long value) {
    line(out, indent, name, Long.toString(value));
  }

  private static void line(PrintWriter out, int indent, String name, String value) {
    int width = 32 - 4 * indent;
    out.println(
        " ".repeat(4 * indent)
            + String.format(
                Locale.ROOT, "%-" + Math.max(width, name.length() + 2) + "s", name + ":")
            + value);
  }

  ObjectNode json() {
    ObjectNode report = JsonReport.mapper().createObjectNode();
    report.put("tool", "devinfo");
    report.put("version", VersionProvider.version());
    report.put("nodeGuid", "0x" + guid());
    ObjectNode limits = report.putObject("limits");
    limits.put("maxQp", device.maxQp());
    limits.put("maxQpWr", device.maxQpWr());
    limits.put("maxSge", device.maxSge());
    limits.put("maxInlineData", device.maxInlineData());
    limits.put("maxCq", device.maxCq());
    limits.put("maxCqe", device.maxCqe());
    limits.put("maxMr", device.maxMr());
    limits.put("maxPd", device.maxPd());
    limits.put("maxSrq", device.maxSrq());
    limits.put("maxSrqWr", device.maxSrqWr());
    limits.put("maxAh", device.maxAh());
    limits.put("maxMessageBytes", device.maxMsgSizeBytes());
    limits.put("maxQpRdAtom", device.maxQpRdAtom());
    limits.put("maxMulticastGroups", device.maxMcastGroups());
    limits.put("atomics", device.atomicCap() == DeviceAttributes.ATOMIC_HCA);
    limits.put("localCaAckDelay", device.localCaAckDelay());
    ObjectNode node = report.putObject("port");
    node.put("state", state());
    node.put("maxMtu", PathMtu.MAX_BYTES);
    node.put("activeMtu", port.activeMtuBytes());
    node.put("interface", link.name());
    node.put("interfaceMtu", port.interfaceMtuBytes());
    node.put("udpPort", port.udpPort());
    var keys = node.putArray("pkeys");
    for (int pkey : pkeys) {
      keys.add(String.format(Locale.ROOT, "0x%04x", pkey));
    }
    var table = node.putArray("gids");
    gids.forEach(
        entry ->
            table
                .addObject()
                .put("gid", entry.gid())
                .put("type", "RoCE v2")
                .put("interface", entry.netdev()));
    ObjectNode io = report.putObject("io");
    io.put("name", capabilities.name());
    io.put("ecnReceive", capabilities.ecnReceive());
    io.put("tosPerPacket", capabilities.tosPerPacket());
    io.put("ipHeaderSeen", capabilities.ipHeaderSeen());
    io.put("anySourcePort", capabilities.anySourcePort());
    io.put("pathSlots", capabilities.pathSlots());
    io.put("maxTrainPackets", capabilities.maxTrainSegments());
    io.put("maxTrainBytes", capabilities.maxTrainBytes());
    io.put("privilege", capabilities.privilege());
    return report;
  }
}
