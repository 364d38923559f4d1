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
 * Times as they are written on the command line. The unit is always there, because {@code 10} means
 * seconds to one tool and milliseconds to the next; only {@code 0} needs none.
 */
public final class TimeSpan {
  private static final Pattern FORM =
      Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*(ns|us|ms|s|min|m|h)");

  private TimeSpan() {}

  /**
   * Reads a time.
   *
   * @param text such as {@code 10us}, {@code 1.5ms}, {@code 5s}, {@code 2min}, {@code 0}
   * @return nanoseconds, 0 to {@link Long#MAX_VALUE}
   * @throws IllegalArgumentException naming the value and the forms allowed
   */
  public static long parse(String text) {
    if (text.strip().equals("0")) {
      return 0;
    }
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a time: write 10us, 5ms or 5s (the unit is needed)");
    }
    BigDecimal factor = BigDecimal.valueOf(factorNs(matcher.group(2)));
    try {
      return new BigDecimal(matcher.group(1)).multiply(factor).longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a whole number of nanoseconds below 2^63: write 10us or 5s", e);
    }
  }

  /**
   * Writes a time for people: three significant digits, the unit that fits.
   *
   * @param ns nanoseconds, 0 or more
   * @return such as {@code 12.3us}, {@code 5.00s}
   */
  public static String format(double ns) {
    String[] units = {"ns", "us", "ms", "s"};
    double value = ns;
    int unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    String digits = unit == 0 || value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, digits, value) + units[unit];
  }

  private static long factorNs(String unit) {
    return switch (unit) {
      case "ns" -> 1L;
      case "us" -> 1_000L;
      case "ms" -> 1_000_000L;
      case "s" -> 1_000_000_000L;
      case "m", "min" -> 60_000_000_000L;
      default -> 3_600_000_000_000L;
    };
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
