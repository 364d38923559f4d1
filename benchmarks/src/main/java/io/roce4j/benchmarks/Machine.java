// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a figure was measured on.
 *
 * @param cpu model name, or the architecture where the system does not tell
 * @param cores processors the JVM may use
 * @param system name and release of the operating system
 * @param jvm version of the JVM
 */
record Machine(String cpu, int cores, String system, String jvm) {
  static Machine here() {
    return new Machine(
        cpu(Path.of("/proc/cpuinfo")),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        "JVM " + Runtime.version());
  }

  private static String cpu(Path cpuinfo) {
    String architecture = System.getProperty("os.arch");
    if (!Files.isReadable(cpuinfo)) {
      return architecture;
    }
    try (var lines = Files.lines(cpuinfo)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(architecture);
    } catch (IOException e) {
      return architecture + " (" + e.getMessage() + ")";
    }
  }
}
