// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/** Attribute ids of the CM messages (IBA 1.4, 16.7.1 table 260). Stateless; any thread. */
public final class CmAttribute {
  /** Request for a connection. */
  public static final int REQ = 0x0010;

  /** Message receipt acknowledgement. */
  public static final int MRA = 0x0011;

  /** Reject. */
  public static final int REJ = 0x0012;

  /** Reply to a request. */
  public static final int REP = 0x0013;

  /** Ready to use. */
  public static final int RTU = 0x0014;

  /** Request to disconnect. */
  public static final int DREQ = 0x0015;

  /** Reply to a request to disconnect. */
  public static final int DREP = 0x0016;

  /** Service id resolution request. */
  public static final int SIDR_REQ = 0x0017;

  /** Service id resolution response. */
  public static final int SIDR_REP = 0x0018;

  /** Load alternate path: path migration, not used on RoCE. */
  public static final int LAP = 0x0019;

  /** Alternate path response: path migration, not used on RoCE. */
  public static final int APR = 0x001A;

  private static final String[] NAMES = {
    "REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP", "SIDR_REQ", "SIDR_REP", "LAP", "APR"
  };

  private CmAttribute() {}

  /**
   * Whether an attribute id is a CM message this package has fields for.
   *
   * @param attributeId 0..0xFFFF
   * @return true for REQ to SIDR_REP
   */
  public static boolean isKnown(int attributeId) {
    return attributeId >= REQ && attributeId <= SIDR_REP;
  }

  /**
   * The name of a message.
   *
   * @param attributeId 0..0xFFFF
   * @return for example {@code REQ}, or the number in hex
   */
  public static String name(int attributeId) {
    return attributeId >= REQ && attributeId <= APR
        ? NAMES[attributeId - REQ]
        : String.format("0x%04x", attributeId);
  }
}
