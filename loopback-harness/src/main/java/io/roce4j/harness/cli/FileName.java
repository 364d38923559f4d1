// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** File names as they are written on the command line. */
public final class FileName {
  private FileName() {}

  /**
   * Reads a file name.
   *
   * @param text as written
   * @return the path, which need not exist
   * @throws IllegalArgumentException naming the value and what is wrong with it
   */
  public static Path parse(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("'" + text + "' is an empty file name: name a file");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a file name (" + e.getReason() + ")", e);
    }
  }

  /**
   * Whether two names lead to one regular file, so that writing one would destroy the other. A
   * device such as /dev/null may be named twice.
   *
   * @param first need not exist
   * @param second need not exist
   * @return true when they are the same file, or will be
   */
  static boolean isSameFile(Path first, Path second) {
    try {
      if (Files.exists(first) && Files.exists(second)) {
        return Files.isRegularFile(first) && Files.isSameFile(first, second);
      }
    } catch (IOException e) {
      // Then opening them says why; the names alone decide here.
      return first.equals(second);
    }
    return first.toAbsolutePath().normalize().equals(second.toAbsolutePath().normalize());
  }

  /** The picocli converter of {@link #parse}, for every option that is a Path. */
  static final class Converter implements ITypeConverter<Path> {
    @Override
    public Path convert(String value) {
      try {
        return parse(value);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
