// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.packet.WireFault;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts per direction and queue pair: messages, bytes, loss suspects, RNR, NAK. A loss suspect is
 * a request packet missing in front of one that came, or a repeated one. At most 65,536 directions
 * are kept; packets of others are counted together.
 */
final class QueuePairSummary implements PacketSink {
  private static final int MAX_FLOWS = 65_536;

  private final Map<FlowKey, Flow> flows = new LinkedHashMap<>();
  private final MtuGuess mtus = new MtuGuess();
  private long otherPackets;

  /** The counts of one direction. */
  private static final class Flow {
    private final PsnTrack requests = new PsnTrack();
    private long packets;
    private long messages;
    private long payloadBytes;
    private long missing;
    private long repeated;
    private long acks;
    private long rnrNaks;
    private long naks;
    private long cnps;
    private long ceMarks;
    private long badIcrc;
    private String classes = "";
  }

  @Override
  public void onPacket(DecodedPacket packet) {
    if (!packet.wrapped) {
      return;
    }
    FlowKey key = FlowKey.of(packet);
    Flow flow = flows.get(key);
    if (flow == null) {
      if (flows.size() == MAX_FLOWS) {
        otherPackets++;
        return;
      }
      flow = new Flow();
      flows.put(key, flow);
    }
    flow.packets++;
    flow.ceMarks += (packet.frame.tos() & Ipv4Header.ECN_CE) == Ipv4Header.ECN_CE ? 1 : 0;
    if (packet.fault == WireFault.BAD_ICRC) {
      flow.badIcrc++;
      return;
    }
    mtus.observe(key, packet.view);
    count(flow, key, packet.view);
  }

  private void count(Flow flow, FlowKey key, PacketView view) {
    int opcode = view.opcode();
    String transport = Opcode.name(opcode);
    int underscore = transport.indexOf('_');
    transport = underscore < 0 ? transport : transport.substring(0, underscore);
    if (!flow.classes.contains(transport)) {
      flow.classes = flow.classes.isEmpty() ? transport : flow.classes + "+" + transport;
    }
    boolean repeat = false;
    if (Opcode.isRequest(opcode) && isNumbered(opcode)) {
      int distance = flow.requests.observe(view.psn(), mtus.psnsOf(view, key));
      repeat = distance < 0;
      flow.missing += Math.max(distance, 0);
      flow.repeated += repeat ? 1 : 0;
    }
    if (!repeat && Opcode.endsMessage(opcode)) {
      flow.messages++;
    }
    flow.payloadBytes += repeat ? 0 : view.payloadLength();
    flow.cnps += Opcode.isCnp(opcode) ? 1 : 0;
    if (Opcode.isAck(opcode)) {
      flow.rnrNaks += Syndrome.isRnrNak(view.syndrome()) ? 1 : 0;
      flow.naks += Syndrome.isNak(view.syndrome()) ? 1 : 0;
      flow.acks += Syndrome.isAck(view.syndrome()) ? 1 : 0;
    }
  }

  /** Several senders may share a UD queue pair, and MX packets come in any order. */
  private static boolean isNumbered(int opcode) {
    int transport = Opcode.transportClass(opcode);
    return transport == Opcode.CLASS_RC
        || transport == Opcode.CLASS_UC
        || transport == Opcode.CLASS_XRC;
  }

  /**
   * Appends a table, one line a direction.
   *
   * @param out receives the lines
   */
  void append(StringBuilder out) {
    out.append(
        String.format(
            "%-44s %-6s %9s %9s %12s %8s %8s %7s %5s %5s %5s %5s %6s%n",
            "direction and queue pair",
            "class",
            "packets",
            "messages",
            "bytes",
            "missing",
            "repeated",
            "acks",
            "rnr",
            "nak",
            "cnp",
            "ce",
            "icrc"));
    flows.forEach(
        (key, flow) ->
            out.append(
                String.format(
                    "%-44s %-6s %9d %9d %12d %8d %8d %7d %5d %5d %5d %5d %6d%n",
                    key,
                    flow.classes,
                    flow.packets,
                    flow.messages,
                    flow.payloadBytes,
                    flow.missing,
                    flow.repeated,
                    flow.acks,
                    flow.rnrNaks,
                    flow.naks,
                    flow.cnps,
                    flow.ceMarks,
                    flow.badIcrc)));
    if (otherPackets > 0) {
      out.append(otherPackets).append(" packets of directions beyond the first ");
      out.append(MAX_FLOWS).append('\n');
    }
  }

  /**
   * Writes one object a direction.
   *
   * @param json receives the lines
   * @param file the capture
   */
  void write(JsonReport json, String file) {
    flows.forEach(
        (key, flow) -> {
          ObjectNode object = JsonReport.mapper().createObjectNode();
          object.put("file", file);
          ObjectNode summary = object.putObject("summary");
          summary.put("src", key.source().toString());
          summary.put("dst", key.destination().toString());
          summary.put("destQp", key.destQp());
          summary.put("class", flow.classes);
          summary.put("packets", flow.packets);
          summary.put("messages", flow.messages);
          summary.put("payloadBytes", flow.payloadBytes);
          summary.put("missing", flow.missing);
          summary.put("repeated", flow.repeated);
          summary.put("acks", flow.acks);
          summary.put("rnrNaks", flow.rnrNaks);
          summary.put("naks", flow.naks);
          summary.put("cnps", flow.cnps);
          summary.put("ceMarks", flow.ceMarks);
          summary.put("badIcrc", flow.badIcrc);
          json.writeLine(object);
        });
  }
}
