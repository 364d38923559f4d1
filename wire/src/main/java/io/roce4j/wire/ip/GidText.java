// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

/**
 * Text forms of a {@link Gid}: dotted IPv4, IPv6 (RFC 4291, shortened as in RFC 5952), plain hex.
 */
final class GidText {
  private static final int GROUPS = 8;
  private static final int HEX_DIGITS = 32;

  private GidText() {}

  static String hex(long high, long low) {
    return hex(high) + hex(low);
  }

  private static String hex(long half) {
    String digits = Long.toHexString(half);
    return "0".repeat(16 - digits.length()) + digits;
  }

  static String format(long high, long low) {
    if (Gid.isIpv4Mapped(high, low)) {
      return ((low >>> 24) & 0xFF)
          + "."
          + ((low >>> 16) & 0xFF)
          + "."
          + ((low >>> 8) & 0xFF)
          + "."
          + (low & 0xFF);
    }
    int bestStart = -1;
    int bestLength = 1;
    int start = -1;
    for (int i = 0; i <= GROUPS; i++) {
      if (i < GROUPS && group(high, low, i) == 0) {
        start = start < 0 ? i : start;
      } else if (start >= 0) {
        if (i - start > bestLength) {
          bestStart = start;
          bestLength = i - start;
        }
        start = -1;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < GROUPS; i++) {
      if (i == bestStart) {
        text.append("::");
        i += bestLength - 1;
      } else {
        if (i > 0 && text.charAt(text.length() - 1) != ':') {
          text.append(':');
        }
        text.append(Integer.toHexString(group(high, low, i)));
      }
    }
    return text.toString();
  }

  private static int group(long high, long low, int index) {
    long half = index < 4 ? high : low;
    return (int) (half >>> (48 - 16 * (index & 3))) & 0xFFFF;
  }

  static Gid parse(String text) {
    if (text.length() == HEX_DIGITS && text.indexOf(':') < 0) {
      return parseHex(text);
    }
    if (text.indexOf(':') < 0) {
      return Gid.ofIpv4(parseIpv4(text, text));
    }
    int[] groups = new int[GROUPS];
    int gap = text.indexOf("::");
    if (gap < 0) {
      if (parseGroups(text, text, groups, 0) != GROUPS) {
        throw bad(text);
      }
    } else {
      if (text.indexOf("::", gap + 1) >= 0) {
        throw bad(text);
      }
      int front = parseGroups(text.substring(0, gap), text, groups, 0);
      int[] tail = new int[GROUPS];
      int back = parseGroups(text.substring(gap + 2), text, tail, 0);
      if (front + back >= GROUPS) {
        throw bad(text);
      }
      System.arraycopy(tail, 0, groups, GROUPS - back, back);
    }
    return new Gid(half(groups, 0), half(groups, 4));
  }

  private static long half(int[] groups, int from) {
    long value = 0;
    for (int i = 0; i < 4; i++) {
      value = (value << 16) | groups[from + i];
    }
    return value;
  }

  private static Gid parseHex(String text) {
    try {
      return new Gid(
          Long.parseUnsignedLong(text, 0, 16, 16), Long.parseUnsignedLong(text, 16, 32, 16));
    } catch (NumberFormatException e) {
      throw bad(text);
    }
  }

  /** Parses colon-separated groups, the last of which may be dotted IPv4; returns how many. */
  private static int parseGroups(String part, String whole, int[] groups, int start) {
    int count = start;
    int from = 0;
    while (from < part.length()) {
      int colon = part.indexOf(':', from);
      String group = colon < 0 ? part.substring(from) : part.substring(from, colon);
      if (group.indexOf('.') >= 0 && colon < 0 && count <= GROUPS - 2) {
        int address = parseIpv4(group, whole);
        groups[count++] = address >>> 16;
        groups[count++] = address & 0xFFFF;
      } else {
        if (count == GROUPS || group.isEmpty() || group.length() > 4 || !isHex(group)) {
          throw bad(whole);
        }
        groups[count++] = Integer.parseInt(group, 16);
      }
      if (colon == part.length() - 1) {
        throw bad(whole);
      }
      from = colon < 0 ? part.length() : colon + 1;
    }
    return count;
  }

  private static boolean isHex(String digits) {
    for (int i = 0; i < digits.length(); i++) {
      if (Character.digit(digits.charAt(i), 16) < 0) {
        return false;
      }
    }
    return true;
  }

  private static int parseIpv4(String text, String whole) {
    int address = 0;
    int from = 0;
    for (int i = 0; i < 4; i++) {
      int dot = i == 3 ? text.length() : text.indexOf('.', from);
      if (dot <= from || dot - from > 3) {
        throw bad(whole);
      }
      int octet = 0;
      for (int at = from; at < dot; at++) {
        char digit = text.charAt(at);
        if (digit < '0' || digit > '9') {
          throw bad(whole);
        }
        octet = octet * 10 + digit - '0';
      }
      if (octet > 255) {
        throw bad(whole);
      }
      address = (address << 8) | octet;
      from = dot + 1;
    }
    return address;
  }

  private static IllegalArgumentException bad(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is no IPv4 or IPv6 address and no GID of 32 hex digits");
  }
}
