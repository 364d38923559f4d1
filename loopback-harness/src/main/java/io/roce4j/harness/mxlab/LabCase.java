// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import java.util.Locale;

/**
 * One line of a lab's table.
 *
 * @param name of the case
 * @param value mean over the seeds
 * @param bound what the value must at least reach, or not exceed; NaN when it is only shown
 * @param aim what the design aims at, NaN for none
 * @param isCeiling whether the value must not exceed the bound
 * @param beside what stands beside it: the other transport, the parts of the value
 */
public record LabCase(
    String name, double value, double bound, double aim, boolean isCeiling, String beside) {
  /**
   * A case that must reach something.
   *
   * @param name of the case
   * @param value measured
   * @param least what it must reach
   * @param aim what it aims at
   * @param beside what stands beside it
   * @return the case
   */
  public static LabCase atLeast(
      String name, double value, double least, double aim, String beside) {
    return new LabCase(name, value, least, aim, false, beside);
  }

  /**
   * A case that must not exceed something.
   *
   * @param name of the case
   * @param value measured
   * @param most what it must not exceed
   * @param aim what it aims at
   * @param beside what stands beside it
   * @return the case
   */
  public static LabCase atMost(String name, double value, double most, double aim, String beside) {
    return new LabCase(name, value, most, aim, true, beside);
  }

  /**
   * A case that is shown and not judged.
   *
   * @param name of the case
   * @param value measured
   * @param beside what stands beside it
   * @return the case
   */
  public static LabCase shown(String name, double value, String beside) {
    return new LabCase(name, value, Double.NaN, Double.NaN, false, beside);
  }

  /**
   * Whether the case is kept.
   *
   * @return true for one that is only shown
   */
  public boolean passes() {
    if (Double.isNaN(bound)) {
      return true;
    }
    return isCeiling ? value <= bound : value >= bound;
  }

  /**
   * The verdict as a word.
   *
   * @return {@code pass}, {@code short}, or {@code -} for a case that is only shown
   */
  public String verdict() {
    return Double.isNaN(bound) ? "-" : passes() ? "pass" : "short";
  }

  /**
   * A number of the table.
   *
   * @param value any
   * @return four digits, {@code -} for NaN
   */
  public static String number(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.4g", value);
  }
}
