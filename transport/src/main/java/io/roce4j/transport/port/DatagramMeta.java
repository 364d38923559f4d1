// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.IpUdpFields;

/**
 * What a port knows of a received batch besides its bytes. One mutable instance per port, lent to
 * the handler for the call.
 */
public final class DatagramMeta {

  /** {@link #ecn} when the port cannot see it: "unknown", not "no congestion". */
  public static final int ECN_UNKNOWN = -1;

  /**
   * {@link #idKnowledge}: the identification and fragment bits in {@link #ip} are those received;
   * of a batch, those of its first packet, and packet k has the identification plus k.
   */
  public static final int ID_KNOWN = 1;

  /** {@link #idKnowledge}: the port cannot see the IPv4 identification. */
  public static final int ID_UNKNOWN = 0;

  /** Addresses, ports and what is known of the IP header; the ICRC is checked against it. */
  public final IpUdpFields ip = new IpUdpFields();

  /** ECN codepoint of the batch, 0 to 3, or {@link #ECN_UNKNOWN}. 3 is congestion experienced. */
  public int ecn = ECN_UNKNOWN;

  /** TOS or traffic class byte as received, 0 to 255, or -1 when the port cannot see it. */
  public int tos = -1;

  /** TTL or hop limit as received, 0 to 255, or -1 when the port cannot see it. */
  public int hopLimit = -1;

  /** {@link #ID_KNOWN} or {@link #ID_UNKNOWN}. */
  public int idKnowledge = ID_UNKNOWN;

  /** Makes a meta that knows nothing yet. */
  public DatagramMeta() {}
}
