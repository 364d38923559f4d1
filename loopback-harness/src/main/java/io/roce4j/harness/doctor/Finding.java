// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.doctor;

import java.util.Locale;

/**
 * What one check found.
 *
 * @param check what was looked at, in a word or two
 * @param status how it is
 * @param text what was seen, and for what is not good what it causes
 * @param cure what to do, empty when there is nothing to do
 */
record Finding(String check, Status status, String text, String cure) {
  /** How it is. */
  enum Status {
    /** As it should be. */
    OK,
    /** Works, but slower or with less than it could. */
    WARN,
    /** What is wanted does not work without it. */
    FAIL;

    /** As it is printed, also in JSON. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Finding ok(String check, String text) {
    return new Finding(check, Status.OK, text, "");
  }

  static Finding warn(String check, String text, String cure) {
    return new Finding(check, Status.WARN, text, cure);
  }

  static Finding fail(String check, String text, String cure) {
    return new Finding(check, Status.FAIL, text, cure);
  }
}
