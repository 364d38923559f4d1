// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Fractions as they are written on the command line: {@code 1%} or {@code 0.01}. A bare {@code 1}
 * is refused: half its writers mean one percent and the other half everything.
 */
public final class Fraction {
  private static final Pattern FORM =
      Pattern.compile("(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE]-?[0-9]+)?%?");

  private Fraction() {}

  /**
   * Reads a fraction.
   *
   * @param text such as {@code 1%}, {@code 0.01}, {@code 1e-4}
   * @return 0 to 1
   * @throws IllegalArgumentException naming the value and the forms allowed
   */
  public static double parse(String text) {
    String stripped = text.strip();
    if (!FORM.matcher(stripped).matches()) {
      throw new IllegalArgumentException("'" + text + "' is not a fraction: write 1% or 0.01");
    }
    if (stripped.equals("1")) {
      throw new IllegalArgumentException("'1' could be 1% or all: write 1% or 100%");
    }
    boolean percent = stripped.endsWith("%");
    double value = Double.parseDouble(stripped.replace("%", ""));
    double fraction = percent ? value / 100 : value;
    if (fraction > 1) {
      throw new IllegalArgumentException(
          "'" + text + "' is more than 100%: write 1% or 0.01 for one in a hundred");
    }
    return fraction;
  }

  /**
   * Writes a fraction as a percentage with at most four significant digits.
   *
   * @param fraction 0 to 1
   * @return such as {@code 1%}, {@code 0.25%}
   */
  public static String format(double fraction) {
    BigDecimal percent = new BigDecimal(fraction * 100, new MathContext(4));
    return percent.signum() == 0 ? "0%" : percent.stripTrailingZeros().toPlainString() + "%";
  }

  /** The picocli converter of {@link #parse}. */
  public static final class Converter implements ITypeConverter<Double> {
    /** Used by picocli. */
    public Converter() {}

    @Override
    public Double convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
