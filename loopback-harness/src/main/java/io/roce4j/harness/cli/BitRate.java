// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Rates as they are written on the command line: bits per second, units decimal (1 Gbit is 10^9
 * bits, never 2^30) [FC-58].
 */
public final class BitRate {
  private static final Pattern FORM =
      Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([KkMGT]?)(?:bit(?:/s)?|bps)");

  private BitRate() {}

  /**
   * Reads a rate.
   *
   * @param text such as {@code 10Gbit}, {@code 2.5Gbit/s}, {@code 100Mbps}
   * @return bits per second, 0 to {@link Long#MAX_VALUE}
   * @throws IllegalArgumentException naming the value and the forms allowed
   */
  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a rate: write 10Gbit, 2.5Gbit or 100Mbit");
    }
    int power = " KMGT".indexOf((matcher.group(2) + " ").toUpperCase(Locale.ROOT).charAt(0));
    try {
      return new BigDecimal(matcher.group(1)).scaleByPowerOfTen(3 * power).longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a whole number of bits per second below 2^63: write 10Gbit", e);
    }
  }

  /**
   * Writes a rate for people, three significant digits and a decimal unit.
   *
   * @param bitsPerSecond 0 or more
   * @return such as {@code 9.87 Gbit/s}
   */
  public static String format(double bitsPerSecond) {
    String[] units = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
    double value = bitsPerSecond;
    int unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    String digits = value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, digits, value) + " " + units[unit];
  }

  /** The picocli converter of {@link #parse}. */
  public static final class Converter implements ITypeConverter<Long> {
    /** Used by picocli. */
    public Converter() {}

    @Override
    public Long convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
