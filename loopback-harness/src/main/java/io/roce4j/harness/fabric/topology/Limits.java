// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/** Range checks whose message names the field, the value and what is allowed. */
final class Limits {
  private Limits() {}

  static void check(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          field + " " + value + ": allowed " + least + " to " + most);
    }
  }

  static void check(String field, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          field + " " + value + ": allowed " + least + " to " + most);
    }
  }
}
