// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.lab.scenario.Scenario;
import io.roce4j.harness.lab.scenario.ScenarioReader;
import io.roce4j.harness.mxlab.MxLabs;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The scenarios that come with roce4j, and those in files. */
final class ShippedLabs {
  private static final String FOLDER = "/labs/";
  private static final String INDEX = "index.txt";

  private ShippedLabs() {}

  /** The names, in the order of the index. */
  static List<String> names() {
    return text(INDEX).lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  /** The scenario of a name, or of a file. */
  static Scenario find(String nameOrFile) {
    if (names().contains(nameOrFile)) {
      return ScenarioReader.read(nameOrFile, text(nameOrFile + ".yaml"));
    }
    if (!nameOrFile.contains(".") && !nameOrFile.contains("/") && !exists(nameOrFile)) {
      throw ToolException.usage(
          "there is no lab "
              + nameOrFile
              + ": "
              + String.join(", ", names())
              + ", "
              + String.join(", ", MxLabs.names())
              + ", "
              + ControllersLab.NAME
              + ", or a scenario file");
    }
    return ScenarioReader.read(Path.of(nameOrFile));
  }

  private static boolean exists(String file) {
    return Files.exists(Path.of(file));
  }

  /** A text among the shipped ones. */
  static String text(String name) {
    try (InputStream stream = ShippedLabs.class.getResourceAsStream(FOLDER + name)) {
      if (stream == null) {
        throw new IllegalStateException(name + " is not on the class path: the build is broken");
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(name + " cannot be read from the class path", e);
    }
  }
}
