// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Checks the file of an option before the work starts, so that a file that cannot be written is
 * found at once, without touching what an earlier run left in it: a run that then fails to start
 * has cost nothing.
 */
public final class OutputFile {
  private OutputFile() {}

  /**
   * Checks that a file can be written. Its contents stay; a file that was not there is not there
   * afterwards.
   *
   * @param option that names the file, for the message
   * @param name of the file
   * @return the file
   * @throws ToolException when it cannot be written
   */
  public static Path check(String option, String name) {
    try {
      Path file = FileName.parse(name);
      boolean isNew = Files.notExists(file);
      FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE).close();
      if (isNew) {
        Files.delete(file);
      }
      return file;
    } catch (IOException e) {
      throw ToolException.usage(
          option + " " + name + ": cannot be written (" + IoReason.of(e) + "): name another file",
          e);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage(option + " " + e.getMessage(), e);
    }
  }
}
