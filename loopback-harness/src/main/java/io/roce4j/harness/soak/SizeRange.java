// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.workload.SizeMix;

/** Reads {@code --size}: one size, or two with a dash between. */
final class SizeRange {
  private static final String FORMS = "write 4096, 64K, or a range such as 1-1MiB";

  private SizeRange() {}

  /**
   * Reads it.
   *
   * @param text as given
   * @return the sizes
   * @throws ToolException naming the value and what is wrong with it
   */
  static SizeMix parse(String text) {
    String value = text.strip();
    int dash = value.indexOf('-');
    if (value.isEmpty()) {
      throw wrong(text, "is empty: " + FORMS);
    }
    if (dash == 0) {
      throw wrong(text, "a size cannot be negative, and a range needs its smallest size: " + FORMS);
    }
    if (dash == value.length() - 1) {
      throw wrong(text, "the largest size of the range is missing: " + FORMS);
    }
    long least = size(text, dash < 0 ? value : value.substring(0, dash));
    long most = size(text, dash < 0 ? value : value.substring(dash + 1));
    if (least > most) {
      throw wrong(
          text,
          "the smallest size comes first: "
              + ByteSize.format(most)
              + " is below "
              + ByteSize.format(least));
    }
    return SizeMix.between((int) least, (int) most);
  }

  private static long size(String text, String part) {
    long bytes;
    try {
      bytes = ByteSize.parse(part);
    } catch (IllegalArgumentException e) {
      throw ToolException.usage("--size " + text + ": " + e.getMessage(), e);
    }
    if (bytes > SoakLimits.MAX_MESSAGE_BYTES) {
      throw wrong(text, "allowed are 0 to 64MiB");
    }
    return bytes;
  }

  private static ToolException wrong(String text, String why) {
    return ToolException.usage("--size " + text + ": " + why);
  }
}
