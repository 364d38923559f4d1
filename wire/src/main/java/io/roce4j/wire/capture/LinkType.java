// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

/**
 * Link types of capture files that may carry RoCE (numbers of the tcpdump.org registry). Stateless;
 * any thread.
 */
public final class LinkType {
  /** Ethernet II. */
  public static final int ETHERNET = 1;

  /** Bare IP, as some systems number it instead of {@link #RAW_IP}. */
  public static final int RAW_IP_12 = 12;

  /** Bare IP, as other systems number it. */
  public static final int RAW_IP_14 = 14;

  /** Bare IP, version 4 or 6 by its first four bits. */
  public static final int RAW_IP = 101;

  /** Linux "cooked" capture, version 1: 16 bytes of pseudo header. */
  public static final int LINUX_COOKED = 113;

  /** Bare IPv4. */
  public static final int RAW_IPV4 = 228;

  /** Bare IPv6. */
  public static final int RAW_IPV6 = 229;

  /** Linux "cooked" capture, version 2: 20 bytes of pseudo header. */
  public static final int LINUX_COOKED_2 = 276;

  private LinkType() {}

  /**
   * Whether {@link FrameDissector} can look into frames of a type.
   *
   * @param linkType any number
   * @return true for the constants of this class
   */
  public static boolean isSupported(int linkType) {
    return switch (linkType) {
      case ETHERNET,
          RAW_IP,
          RAW_IP_12,
          RAW_IP_14,
          LINUX_COOKED,
          RAW_IPV4,
          RAW_IPV6,
          LINUX_COOKED_2 ->
          true;
      default -> false;
    };
  }

  /**
   * A name for people.
   *
   * @param linkType any number
   * @return the name, or the number when it has none here
   */
  public static String name(int linkType) {
    return switch (linkType) {
      case ETHERNET -> "Ethernet";
      case RAW_IP, RAW_IP_12, RAW_IP_14 -> "raw IP";
      case LINUX_COOKED -> "Linux cooked";
      case RAW_IPV4 -> "raw IPv4";
      case RAW_IPV6 -> "raw IPv6";
      case LINUX_COOKED_2 -> "Linux cooked v2";
      default -> "link type " + linkType;
    };
  }
}
