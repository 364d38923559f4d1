// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Bth;

/**
 * One direction of traffic: from a host to a queue pair of another.
 *
 * @param source sending host
 * @param destination receiving host
 * @param destQp its queue pair
 */
record FlowKey(Gid source, Gid destination, int destQp) {
  /** The direction a packet with a BTH belongs to. */
  static FlowKey of(DecodedPacket packet) {
    IpUdpFields fields = packet.fields;
    return new FlowKey(
        new Gid(fields.sourceHigh(), fields.sourceLow()),
        new Gid(fields.destinationHigh(), fields.destinationLow()),
        Bth.destQp(packet.buffer, packet.bthOffset));
  }

  /**
   * Parses {@code SRC>DST:QPN}.
   *
   * @param text for example {@code 10.0.0.1>10.0.0.2:0x11} or {@code [fd77::1]>[fd77::2]:17}
   * @return the direction
   */
  static FlowKey parse(String text) {
    int arrow = text.indexOf('>');
    int colon = text.lastIndexOf(':');
    if (arrow < 0 || colon < arrow) {
      throw ToolException.usage(
          "--follow '" + text + "' is not SRC>DST:QPN, for example 10.0.0.1>10.0.0.2:0x11");
    }
    try {
      return new FlowKey(
          Gid.parse(bare(text.substring(0, arrow))),
          Gid.parse(bare(text.substring(arrow + 1, colon))),
          PacketFilter.queuePair(text.substring(colon + 1).strip()));
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--follow '" + text + "': " + e.getMessage(), e);
    }
  }

  private static String bare(String address) {
    String text = address.strip();
    return text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
  }

  /** Whether a packet flows between the same hosts, in the other direction. */
  boolean isReverseHosts(FlowKey other) {
    return source.equals(other.destination) && destination.equals(other.source);
  }

  /** The direction back, to a queue pair of the sender. */
  FlowKey reversed(int reverseQp) {
    return new FlowKey(/* source= */ destination, /* destination= */ source, reverseQp);
  }

  @Override
  public String toString() {
    return String.format("%s > %s qp 0x%06x", source, destination, destQp);
  }
}
