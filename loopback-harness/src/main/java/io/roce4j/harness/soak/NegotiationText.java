// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.NegotiationBlock;
import java.util.HexFormat;
import org.agrona.concurrent.UnsafeBuffer;

/** An MX negotiation block as hexadecimal digits, for the exchange between peers. Stateless. */
final class NegotiationText {
  private NegotiationText() {}

  static String write(NegotiationBlock block) {
    byte[] bytes = new byte[NegotiationBlock.LENGTH];
    block.write(new UnsafeBuffer(bytes), 0);
    return HexFormat.of().formatHex(bytes);
  }

  /** The block, or null when the text is none. */
  static NegotiationBlock read(String text) {
    if (text.length() != 2 * NegotiationBlock.LENGTH
        || !text.chars().allMatch(HexFormat::isHexDigit)) {
      return null;
    }
    UnsafeBuffer bytes = new UnsafeBuffer(HexFormat.of().parseHex(text));
    boolean isBlock = NegotiationBlock.check(bytes, 0, bytes.capacity()) == MxFault.OK;
    return isBlock ? NegotiationBlock.read(bytes, 0) : null;
  }
}
