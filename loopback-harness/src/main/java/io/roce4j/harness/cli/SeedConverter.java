// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Seeds as they are written on the command line: a 64-bit number, decimal or {@code 0x} hex. */
public final class SeedConverter implements ITypeConverter<Long> {
  /** Used by picocli. */
  public SeedConverter() {}

  @Override
  public Long convert(String value) {
    try {
      if (value.startsWith("0x") || value.startsWith("0X")) {
        return Long.parseUnsignedLong(value.substring(2), 16);
      }
      return value.startsWith("-") ? Long.parseLong(value) : Long.parseUnsignedLong(value);
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'" + value + "' is not a seed: write a 64-bit number such as 7 or 0x1f");
    }
  }
}
