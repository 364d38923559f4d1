// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import io.roce4j.wire.ip.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The message in which each side of a perftest tool says where one of its queue pairs is and which
 * memory the peer may use: hexadecimal fields with a colon after each and a NUL, 108 bytes. The
 * same message serves as a barrier; [oob 3.1].
 *
 * @param lid 16 bits, 0 on Ethernet
 * @param outstandingReads READs and atomics that may be outstanding, 1 for other tools
 * @param qpn 0..0xFFFFFF
 * @param psn of the sender's own first packet, 0..0xFFFFFF
 * @param rkey of the memory
 * @param virtualAddress of the memory
 * @param gid of the sender
 */
public record PerftestKey(
    int lid, int outstandingReads, int qpn, int psn, int rkey, long virtualAddress, Gid gid) {
  /** Bytes of the message. */
  public static final int LENGTH = 108;

  private static final int GID_BYTES = 16;

  /**
   * The message's bytes.
   *
   * @return {@link #LENGTH} bytes
   */
  public byte[] encode() {
    StringBuilder text =
        new StringBuilder(LENGTH)
            .append(
                String.format(
                    Locale.ROOT,
                    "%04x:%04x:%06x:%06x:%08x:%016x:",
                    lid,
                    outstandingReads,
                    qpn,
                    psn,
                    rkey,
                    virtualAddress));
    String digits = gid.toHex();
    for (int i = 0; i < GID_BYTES; i++) {
      text.append(digits, 2 * i, 2 * i + 2).append(':');
    }
    // The number of a shared receive queue of XRC, which there is none of.
    return text.append("00000000:\0").toString().getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads a message.
   *
   * @param bytes of the peer
   * @return the key
   * @throws io.roce4j.harness.cli.ToolException when it is malformed
   */
  public static PerftestKey parse(byte[] bytes) {
    HexFields fields = new HexFields("queue pair message", bytes);
    final int lid = (int) next(fields, 4);
    final int reads = (int) next(fields, 4);
    final int qpn = (int) next(fields, 6);
    final int psn = (int) next(fields, 6);
    final int rkey = (int) next(fields, 8);
    final long address = next(fields, 16);
    long high = 0;
    long low = 0;
    for (int i = 0; i < GID_BYTES; i++) {
      high = high << 8 | low >>> 56;
      low = low << 8 | next(fields, 2);
    }
    next(fields, 8);
    fields.end();
    return new PerftestKey(lid, reads, qpn, psn, rkey, address, new Gid(high, low));
  }

  private static long next(HexFields fields, int digits) {
    long value = fields.field(digits);
    fields.colon();
    return value;
  }
}
