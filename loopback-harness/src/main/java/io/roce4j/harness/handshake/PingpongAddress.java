// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.handshake;

import io.roce4j.wire.ip.Gid;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The message in which each side of {@code ibv_rc_pingpong}, {@code ibv_uc_pingpong} and {@code
 * ibv_ud_pingpong} says where its queue pair is: {@code LLLL:QQQQQQ:PPPPPP:G...G} and a NUL, 52
 * bytes, all hexadecimal [oob 2].
 *
 * @param lid 16 bits, 0 on Ethernet
 * @param qpn 0..0xFFFFFF
 * @param psn of the sender's own first packet, 0..0xFFFFFF
 * @param gid of the sender
 */
public record PingpongAddress(int lid, int qpn, int psn, Gid gid) {
  /** Bytes of the message. */
  public static final int LENGTH = 52;

  /** What a client sends when it has read the server's address: {@code done} and a NUL. */
  public static final int DONE_LENGTH = 5;

  private static final byte[] DONE = {'d', 'o', 'n', 'e', 0};

  /**
   * The message's bytes.
   *
   * @return {@link #LENGTH} bytes
   */
  public byte[] encode() {
    String text =
        String.format(Locale.ROOT, "%04x:%06x:%06x:%s", lid, qpn, psn, gid.toHex()) + '\0';
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Reads a message.
   *
   * @param bytes of the peer
   * @return the address
   * @throws io.roce4j.harness.cli.ToolException when it is malformed
   */
  public static PingpongAddress parse(byte[] bytes) {
    HexFields fields = new HexFields("pingpong address", bytes);
    final int lid = (int) fields.field(4);
    fields.colon();
    final int qpn = (int) fields.field(6);
    fields.colon();
    final int psn = (int) fields.field(6);
    fields.colon();
    long high = fields.field(16);
    long low = fields.field(16);
    fields.end();
    return new PingpongAddress(lid, qpn, psn, new Gid(high, low));
  }

  /**
   * The closing word of the tools.
   *
   * @return {@link #DONE_LENGTH} bytes
   */
  public static byte[] done() {
    return DONE.clone();
  }
}
