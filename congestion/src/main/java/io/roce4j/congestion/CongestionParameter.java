// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * Description of one named parameter of a controller: unit, limits, default and where the default
 * comes from. Immutable; control path.
 *
 * @param name the paper's name for it, for instance {@code g} or {@code Rai}
 * @param unit what it measures
 * @param minimum least allowed value, in the base unit
 * @param maximum greatest allowed value, in the base unit
 * @param choices the words of a {@link ParameterUnit#CHOICE}, else empty
 * @param defaultValue the value used when none is set; may depend on the link and on the preset
 * @param description what it does, one line
 * @param source where the default comes from
 */
public record CongestionParameter(
    String name,
    ParameterUnit unit,
    double minimum,
    double maximum,
    List<String> choices,
    ToDoubleFunction<CongestionSettings> defaultValue,
    String description,
    String source) {

  /** Checks that limits are in order. */
  public CongestionParameter {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(defaultValue, "defaultValue");
    choices = List.copyOf(choices);
    if (!(minimum <= maximum)) {
      throw new IllegalArgumentException(
          "parameter " + name + ": minimum " + minimum + " is above maximum " + maximum);
    }
  }

  /**
   * A parameter whose default is a constant.
   *
   * @param name the paper's name
   * @param unit what it measures
   * @param minimum least allowed value
   * @param maximum greatest allowed value
   * @param defaultValue default, in the base unit
   * @param description what it does
   * @param source where the default comes from
   * @return the description
   */
  public static CongestionParameter of(
      String name,
      ParameterUnit unit,
      double minimum,
      double maximum,
      double defaultValue,
      String description,
      String source) {
    return scaled(name, unit, minimum, maximum, s -> defaultValue, description, source);
  }

  /**
   * A parameter whose default follows from the link or the preset.
   *
   * @param name the paper's name
   * @param unit what it measures
   * @param minimum least allowed value
   * @param maximum greatest allowed value
   * @param defaultValue default as a function of the settings, in the base unit
   * @param description what it does
   * @param source where the default comes from
   * @return the description
   */
  public static CongestionParameter scaled(
      String name,
      ParameterUnit unit,
      double minimum,
      double maximum,
      ToDoubleFunction<CongestionSettings> defaultValue,
      String description,
      String source) {
    return new CongestionParameter(
        name, unit, minimum, maximum, List.of(), defaultValue, description, source);
  }

  /**
   * A parameter that is on or off.
   *
   * @param name the paper's name
   * @param defaultValue default
   * @param description what it does
   * @param source where the default comes from
   * @return the description
   */
  public static CongestionParameter flag(
      String name, boolean defaultValue, String description, String source) {
    return of(name, ParameterUnit.FLAG, 0, 1, defaultValue ? 1 : 0, description, source);
  }

  /**
   * A parameter that is one of some words; the first is the default.
   *
   * @param name the parameter's name
   * @param choices the words
   * @param description what it does
   * @param source where the default comes from
   * @return the description
   */
  public static CongestionParameter choice(
      String name, List<String> choices, String description, String source) {
    return new CongestionParameter(
        name, ParameterUnit.CHOICE, 0, choices.size() - 1, choices, s -> 0, description, source);
  }

  /**
   * Reads and checks a value.
   *
   * @param text what the user wrote
   * @return the value in the base unit
   * @throws IllegalArgumentException naming parameter, value and limits
   */
  public double parse(String text) {
    double value;
    if (unit == ParameterUnit.CHOICE) {
      value = choices.indexOf(text.trim());
      if (value < 0) {
        throw new IllegalArgumentException(
            name + "=" + text + ": must be one of " + String.join(", ", choices));
      }
      return value;
    }
    try {
      value = unit.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(name + "=" + text + ": " + e.getMessage(), e);
    }
    return check(value);
  }

  /**
   * Checks a value against the limits.
   *
   * @param value in the base unit
   * @return the value
   * @throws IllegalArgumentException naming parameter, value and limits
   */
  public double check(double value) {
    if (!(value >= minimum && value <= maximum)) {
      throw new IllegalArgumentException(
          name
              + "="
              + format(value)
              + ": must be from "
              + format(minimum)
              + " to "
              + format(maximum));
    }
    return value;
  }

  /**
   * Writes a value of this parameter.
   *
   * @param value in the base unit
   * @return text that {@link #parse} accepts
   */
  public String format(double value) {
    return unit == ParameterUnit.CHOICE ? choices.get((int) value) : unit.format(value);
  }
}
