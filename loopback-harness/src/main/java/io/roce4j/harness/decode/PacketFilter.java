// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.WireFault;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.agrona.collections.IntHashSet;

/** Which packets are shown: by queue pair, opcode and fault. All conditions given must hold. */
final class PacketFilter {
  private static final String ANY = "any";

  private final IntHashSet queuePairs = new IntHashSet();
  private final boolean[] opcodes = new boolean[Opcode.COUNT];
  private final boolean[] faults = new boolean[WireFault.count()];
  private final boolean byOpcode;

  /**
   * Makes a filter.
   *
   * @param queuePairs numbers, decimal or 0x; empty for all
   * @param opcodes names (with {@code *} for any characters) or numbers; empty for all
   * @param faults names, or {@code any} for every fault; empty for everything that is RoCE
   * @throws ToolException on a value that names nothing
   */
  PacketFilter(List<String> queuePairs, List<String> opcodes, List<String> faults) {
    for (String text : queuePairs) {
      this.queuePairs.add(queuePair(text));
    }
    byOpcode = !opcodes.isEmpty();
    for (String text : opcodes) {
      addOpcode(text);
    }
    if (faults.isEmpty()) {
      Arrays.fill(this.faults, true);
      this.faults[WireFault.NOT_IP] = false;
      this.faults[WireFault.NOT_ROCE] = false;
    }
    for (String text : faults) {
      addFault(text);
    }
  }

  /**
   * Parses a queue pair number.
   *
   * @param text decimal or 0x
   * @return 0..0xFFFFFF
   */
  static int queuePair(String text) {
    try {
      int number = number(text);
      if (number >= 0 && number <= Bth.MAX_QP) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw ToolException.usage(
          "queue pair '" + text + "' is no number: give 17 or 0x11, up to 0xffffff", e);
    }
    throw ToolException.usage("queue pair " + text + " is outside 0..0xffffff");
  }

  /** Decimal or 0x; a leading zero is no octal to anybody who writes queue pair numbers. */
  private static int number(String text) {
    boolean isHex = text.startsWith("0x") || text.startsWith("0X");
    return isHex ? Integer.parseInt(text.substring(2), 16) : Integer.parseInt(text);
  }

  private void addOpcode(String text) {
    boolean found = false;
    if (!text.isEmpty() && Character.isDigit(text.charAt(0))) {
      opcodes[parseOpcode(text)] = true;
      return;
    }
    String pattern = Pattern.quote(text.toUpperCase(Locale.ROOT)).replace("*", "\\E.*\\Q");
    for (int opcode = 0; opcode < Opcode.COUNT; opcode++) {
      if (Opcode.isDefined(opcode) && Opcode.name(opcode).matches(pattern)) {
        opcodes[opcode] = true;
        found = true;
      }
    }
    if (!found) {
      throw ToolException.usage(
          "--opcode '"
              + text
              + "' names no opcode: give a name such as RC_SEND_ONLY, RC_*, or 0x04");
    }
  }

  private static int parseOpcode(String text) {
    try {
      int number = number(text);
      if (number >= 0 && number < Opcode.COUNT) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw ToolException.usage("--opcode '" + text + "' is no number and no name", e);
    }
    throw ToolException.usage("--opcode " + text + " is outside 0..0xff");
  }

  private void addFault(String text) {
    if (text.equalsIgnoreCase(ANY)) {
      Arrays.fill(faults, true);
      faults[WireFault.OK] = false;
      faults[WireFault.NOT_IP] = false;
      faults[WireFault.NOT_ROCE] = false;
      return;
    }
    StringBuilder names = new StringBuilder(ANY);
    for (int fault = 0; fault < faults.length; fault++) {
      if (WireFault.name(fault).equalsIgnoreCase(text)) {
        faults[fault] = true;
        return;
      }
      names.append(", ").append(WireFault.name(fault));
    }
    throw ToolException.usage("--fault '" + text + "' is none of " + names);
  }

  /**
   * Whether a packet is shown.
   *
   * @param packet any
   * @return true when all conditions hold
   */
  boolean accepts(DecodedPacket packet) {
    if (!faults[packet.fault]) {
      return false;
    }
    if (!byOpcode && queuePairs.isEmpty()) {
      return true;
    }
    if (!packet.hasBth()) {
      return false;
    }
    int opcode = Bth.opcode(packet.buffer, packet.bthOffset);
    if (byOpcode && !opcodes[opcode]) {
      return false;
    }
    return queuePairs.isEmpty() || isOfQueuePair(packet, opcode);
  }

  private boolean isOfQueuePair(DecodedPacket packet, int opcode) {
    if (queuePairs.contains(Bth.destQp(packet.buffer, packet.bthOffset))) {
      return true;
    }
    return packet.wrapped
        && Opcode.hasDeth(opcode)
        && queuePairs.contains(
            Deth.sourceQp(packet.buffer, packet.bthOffset + Opcode.dethOffset(opcode)));
  }
}
