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
 * Byte counts as they are written on the command line.
 *
 * <p>{@code K}, {@code M}, {@code G} and {@code KiB}, {@code MiB}, {@code GiB} are powers of 1024
 * (the habit of perftest); {@code kB}, {@code MB}, {@code GB} are powers of 1000; no unit, or
 * {@code B}, is bytes.
 */
public final class ByteSize {
  private static final Pattern FORM =
      Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*(B|[KMGkmg](?:iB|B)?)?");

  private ByteSize() {}

  /**
   * Reads a byte count.
   *
   * @param text such as {@code 4096}, {@code 64K}, {@code 1MiB}, {@code 1.5GB}
   * @return bytes, 0 to {@link Long#MAX_VALUE}
   * @throws IllegalArgumentException naming the value and the forms allowed
   */
  public static long parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not a size: write 4096, 64K or 1MiB");
    }
    String unit = matcher.group(2) == null ? "" : matcher.group(2);
    long factor = factor(unit);
    BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(factor));
    try {
      return bytes.longValueExact();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a whole number of bytes below 2^63: write 4096, 64K or 1MiB", e);
    }
  }

  /**
   * Writes a byte count in the largest binary unit that divides it, so that {@link #parse} reads it
   * back exactly.
   *
   * @param bytes 0 or more
   * @return such as {@code 1MiB}, {@code 64KiB}, {@code 1000B}
   */
  public static String format(long bytes) {
    String[] units = {"GiB", "MiB", "KiB"};
    for (int i = 0; i < units.length; i++) {
      int shift = 30 - 10 * i;
      if (bytes != 0 && (bytes & ((1L << shift) - 1)) == 0) {
        return (bytes >> shift) + units[i];
      }
    }
    return bytes + "B";
  }

  private static long factor(String unit) {
    if (unit.isEmpty() || unit.equals("B")) {
      return 1;
    }
    int power = 1 + "KMG".indexOf(unit.substring(0, 1).toUpperCase(Locale.ROOT));
    boolean decimal = unit.length() == 2;
    long factor = 1;
    for (int i = 0; i < power; i++) {
      factor *= decimal ? 1000 : 1024;
    }
    return factor;
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
