// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.icrc;

import java.util.List;

/**
 * Why an ICRC is wrong. Immutable.
 *
 * @param expected the right value, least significant byte first on the wire
 * @param received the value the packet carries
 * @param causes what explains the difference; empty when the ICRC is right
 * @param detail figures that belong to the cause (field names, byte position), or empty
 */
public record IcrcDiagnosis(int expected, int received, List<IcrcCause> causes, String detail) {
  /** Makes the list of causes unmodifiable. */
  public IcrcDiagnosis {
    causes = List.copyOf(causes);
  }

  /** {@return whether the ICRC is right} */
  public boolean isRight() {
    return expected == received;
  }

  /** {@return one line for people} */
  public String text() {
    if (isRight()) {
      return "right";
    }
    StringBuilder line = new StringBuilder("expected ");
    line.append(String.format("%08x", Integer.reverseBytes(expected))).append(": ");
    for (int i = 0; i < causes.size(); i++) {
      line.append(i == 0 ? "" : ", and ").append(causes.get(i).text());
    }
    return detail.isEmpty()
        ? line.toString()
        : line.append(" (").append(detail).append(')').toString();
  }
}
