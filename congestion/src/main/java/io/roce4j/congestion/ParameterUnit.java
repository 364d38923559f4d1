// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the value of a parameter measures and how it is written. Numbers are decimal, with an
 * exponent if wanted; {@code unlimited} is accepted for sizes and rates.
 */
public enum ParameterUnit {
  /** Rates: bit/s, decimal multiples {@code bit kbit Mbit Gbit Tbit}, also with {@code /s}. */
  BITS_PER_SECOND,
  /**
   * Sizes in bytes: {@code K M G} and {@code KiB MiB GiB} are powers of 1024, {@code kB MB GB}
   * (also {@code KB}) powers of 1000, {@code B} or nothing means bytes.
   */
  BYTES,
  /** Times: {@code ns us ms s}; a bare number is nanoseconds. */
  NANOSECONDS,
  /** A plain number: a ratio or a factor; {@code 1/256} and {@code 0.4%} are accepted. */
  RATIO,
  /** A whole number. */
  COUNT,
  /** {@code true} or {@code false}, as 1 and 0. */
  FLAG,
  /** One of a list of words, as its index. */
  CHOICE;

  private static final Pattern NUMBER =
      Pattern.compile("([-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\\s*([A-Za-z/%]*)");

  /** The value that stands for {@code unlimited}: {@link Long#MAX_VALUE} as a double. */
  public static final double UNLIMITED = Long.MAX_VALUE;

  /**
   * Reads a value. {@link #CHOICE} is read by {@link CongestionParameter}, which has the list.
   *
   * @param text what the user wrote
   * @return the value in the base unit
   * @throws IllegalArgumentException when the text is not such a value; the message has no name
   */
  double parse(String text) {
    String trimmed = text.trim();
    if (this == FLAG) {
      return parseFlag(trimmed);
    }
    if (trimmed.equalsIgnoreCase("unlimited") && (this == BYTES || this == BITS_PER_SECOND)) {
      return UNLIMITED;
    }
    int slash = trimmed.indexOf('/');
    if (this == RATIO && slash > 0) {
      return RATIO.parse(trimmed.substring(0, slash)) / RATIO.parse(trimmed.substring(slash + 1));
    }
    Matcher matcher = NUMBER.matcher(trimmed);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not " + form());
    }
    double value = Double.parseDouble(matcher.group(1)) * multiple(matcher.group(2), text);
    if (this == COUNT && value != StrictMath.rint(value)) {
      throw new IllegalArgumentException("'" + text + "' is not " + form());
    }
    return value;
  }

  /**
   * Writes a value so that {@link #parse} reads it back.
   *
   * @param value in the base unit
   * @return text with the largest fitting unit
   */
  String format(double value) {
    if ((this == BYTES || this == BITS_PER_SECOND) && value >= UNLIMITED) {
      return "unlimited";
    }
    return switch (this) {
      case BITS_PER_SECOND -> scaled(value, 1000, "bit", "kbit", "Mbit", "Gbit", "Tbit");
      case BYTES -> size(value);
      case NANOSECONDS -> scaled(value, 1000, "ns", "us", "ms", "s");
      case FLAG -> value != 0 ? "true" : "false";
      case RATIO -> ratio(value);
      case COUNT, CHOICE -> plain(value);
    };
  }

  private static double parseFlag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on", "yes", "1" -> 1;
      case "false", "off", "no", "0" -> 0;
      default -> throw new IllegalArgumentException("'" + text + "' is not " + FLAG.form());
    };
  }

  private double multiple(String suffix, String text) {
    if (suffix.isEmpty()) {
      return 1;
    }
    double multiple =
        switch (this) {
          case BITS_PER_SECOND -> bitMultiple(suffix);
          case BYTES -> byteMultiple(suffix);
          case NANOSECONDS -> timeMultiple(suffix);
          case RATIO -> suffix.equals("%") ? 0.01 : 0;
          case COUNT, FLAG, CHOICE -> 0;
        };
    if (multiple == 0) {
      throw new IllegalArgumentException("'" + text + "' is not " + form());
    }
    return multiple;
  }

  private static double bitMultiple(String suffix) {
    String bare = suffix.toLowerCase(Locale.ROOT);
    bare = bare.endsWith("/s") ? bare.substring(0, bare.length() - 2) : bare;
    return switch (bare) {
      case "bit", "bps" -> 1;
      case "k", "kbit", "kbps" -> 1e3;
      case "m", "mbit", "mbps" -> 1e6;
      case "g", "gbit", "gbps" -> 1e9;
      case "t", "tbit", "tbps" -> 1e12;
      default -> 0;
    };
  }

  private static double byteMultiple(String suffix) {
    return switch (suffix) {
      case "B" -> 1;
      case "kB", "KB" -> 1e3;
      case "MB" -> 1e6;
      case "GB" -> 1e9;
      case "K", "k", "KiB" -> 1024;
      case "M", "MiB" -> 1024 * 1024;
      case "G", "GiB" -> 1024 * 1024 * 1024;
      default -> 0;
    };
  }

  private static double timeMultiple(String suffix) {
    return switch (suffix) {
      case "ns" -> 1;
      case "us" -> 1e3;
      case "ms" -> 1e6;
      case "s" -> 1e9;
      default -> 0;
    };
  }

  private static String scaled(double value, double step, String... units) {
    double scaled = value;
    int unit = 0;
    while (unit < units.length - 1 && Math.abs(scaled) >= step) {
      scaled /= step;
      unit++;
    }
    return plain(scaled) + units[unit];
  }

  /** Decimal or binary units, whichever is shorter: 10MB, 64KiB. */
  private static String size(double bytes) {
    String decimal = scaled(bytes, 1000, "B", "kB", "MB", "GB");
    if (bytes < 1024 || bytes % 1024 != 0) {
      return decimal;
    }
    String binary = scaled(bytes / 1024, 1024, "KiB", "MiB", "GiB");
    return binary.length() < decimal.length() ? binary : decimal;
  }

  /** Small parts that are exact in 1024ths read better as fractions: 1/256, 5/1024. */
  private static String ratio(double value) {
    double parts = value * 1024;
    if (value <= 0 || value >= 0.1 || parts != StrictMath.rint(parts)) {
      return plain(value);
    }
    int numerator = (int) parts;
    int denominator = 1024;
    while (numerator % 2 == 0) {
      numerator /= 2;
      denominator /= 2;
    }
    return numerator + "/" + denominator;
  }

  private static String plain(double value) {
    if (value == StrictMath.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    return Double.toString(value);
  }

  private String form() {
    return switch (this) {
      case BITS_PER_SECOND -> "a rate such as 40Mbit or 10Gbit";
      case BYTES -> "a size such as 64K, 1MiB or 200kB";
      case NANOSECONDS -> "a time such as 55us or 1.5ms";
      case RATIO -> "a number such as 0.5, 1/256 or 5%";
      case COUNT -> "a whole number";
      case FLAG -> "true or false";
      case CHOICE -> "one of the choices";
    };
  }
}
