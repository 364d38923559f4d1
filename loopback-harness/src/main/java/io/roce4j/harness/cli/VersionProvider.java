// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version the build wrote into the classes, for {@code --version} and the JSON reports. */
public final class VersionProvider implements IVersionProvider {
  /** Used by picocli. */
  public VersionProvider() {}

  /**
   * The version of this build, such as {@code 0.1.0}.
   *
   * @return the Maven project version
   */
  public static String version() {
    try (InputStream in = VersionProvider.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException("version.properties is not readable on the class path", e);
    }
  }

  @Override
  public String[] getVersion() {
    return new String[] {
      "roce4j " + version(),
      "JVM " + Runtime.version() + " (" + System.getProperty("java.vendor", "unknown vendor") + ")"
    };
  }
}
