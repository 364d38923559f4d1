// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.cli.BitRate;
import io.roce4j.harness.cli.ByteSize;
import io.roce4j.harness.cli.Fraction;
import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.cli.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The fields of one map of a scenario file. Each getter names a field and says what it must be;
 * {@link #end} refuses the fields that no getter asked for. All faults are {@link ToolException}s
 * of one line: file, line, field, value, what is allowed.
 */
final class Section implements YamlTree.Value {
  private final String file;
  private final String path;
  private final int line;
  private final Map<String, YamlTree.Value> values;
  private final TreeSet<String> asked = new TreeSet<>();

  Section(String file, String path, int line, Map<String, YamlTree.Value> values) {
    this.file = file;
    this.path = path;
    this.line = line;
    this.values = values;
  }

  @Override
  public int line() {
    return line;
  }

  /** Whether the field is there. */
  boolean has(String name) {
    asked.add(name);
    return values.containsKey(name);
  }

  /** Whether the field is one word, and not fields of its own. */
  boolean isText(String name) {
    asked.add(name);
    return values.get(name) instanceof YamlTree.Scalar;
  }

  /** The names of all fields, in the order of the file. */
  List<String> names() {
    return List.copyOf(values.keySet());
  }

  /** Refuses the fields that nobody asked for. Call it last. */
  void end() {
    for (Map.Entry<String, YamlTree.Value> entry : values.entrySet()) {
      if (!asked.contains(entry.getKey())) {
        throw ToolException.usage(
            place(entry.getValue().line())
                + full(entry.getKey())
                + " is not a field here: allowed are "
                + String.join(", ", asked));
      }
    }
  }

  private String place(int atLine) {
    return file + ":" + atLine + ": ";
  }

  private String full(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /** The fault of a field: its place and name, then the message. */
  ToolException fault(String name, String message) {
    YamlTree.Value value = values.get(name);
    return ToolException.usage(
        place(value == null ? line : value.line()) + full(name) + ": " + message);
  }

  /** The fault of the section as a whole. */
  ToolException fault(String message) {
    return ToolException.usage(place(line) + (path.isEmpty() ? "" : path + ": ") + message);
  }

  private <T> T parsed(String name, T fallback, Function<String, T> parser) {
    if (!has(name)) {
      if (fallback == null) {
        throw fault(name, "is missing");
      }
      return fallback;
    }
    if (!(values.get(name) instanceof YamlTree.Scalar scalar)) {
      throw fault(name, "must be one value, not a list or fields");
    }
    try {
      return parser.apply(scalar.text());
    } catch (IllegalArgumentException e) {
      throw fault(name, e.getMessage());
    }
  }

  private long within(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw fault(name, value + " is not allowed: " + least + " to " + most);
    }
    return value;
  }

  /** A text; null as fallback makes it needed. */
  String text(String name, String fallback) {
    return parsed(name, fallback, text -> text);
  }

  /** One of some words; null as fallback makes it needed. */
  String oneOf(String name, String fallback, List<String> allowed) {
    String value = text(name, fallback);
    if (!allowed.contains(value)) {
      throw fault(name, "'" + value + "' is not known: allowed are " + String.join(", ", allowed));
    }
    return value;
  }

  /** A whole number without unit; null as fallback makes it needed. */
  long count(String name, Long fallback, long least, long most) {
    long value = parsed(name, fallback, Section::wholeNumber);
    return within(name, value, least, most);
  }

  private static long wholeNumber(String text) {
    try {
      return Long.parseLong(text.replace("_", ""));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not a whole number: write 16", e);
    }
  }

  /** A number without unit, such as a factor; null as fallback makes it needed. */
  double number(String name, Double fallback, double least, double most) {
    double value = parsed(name, fallback, Section::decimal);
    if (!(value >= least && value <= most)) {
      throw fault(name, value + " is not allowed: " + least + " to " + most);
    }
    return value;
  }

  private static double decimal(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not a number: write 0.5", e);
    }
  }

  /** A yes or no; null as fallback makes it needed. */
  boolean flag(String name, Boolean fallback) {
    return parsed(
        name,
        fallback,
        text -> {
          if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("'" + text + "': write true or false");
          }
          return text.equals("true");
        });
  }

  /** Nanoseconds, written with a unit; null as fallback makes it needed. */
  long timeNs(String name, Long fallback, long leastNs, long mostNs) {
    return within(name, parsed(name, fallback, TimeSpan::parse), leastNs, mostNs);
  }

  /** Bits per second, written with a unit; null as fallback makes it needed. */
  long bitsPerSecond(String name, Long fallback, long least, long most) {
    return within(name, parsed(name, fallback, BitRate::parse), least, most);
  }

  /** Bytes, written with a unit; null as fallback makes it needed. */
  long bytes(String name, Long fallback, long least, long most) {
    return within(name, parsed(name, fallback, Section::bytesWithUnit), least, most);
  }

  private static long bytesWithUnit(String text) {
    if (!text.isEmpty() && !text.equals("0") && Character.isDigit(text.charAt(text.length() - 1))) {
      throw new IllegalArgumentException(
          "'" + text + "' has no unit: write " + text + "B, or KiB, MiB, kB, MB");
    }
    return ByteSize.parse(text);
  }

  /** A fraction, 0 to 1, written as 1% or 0.01; null as fallback makes it needed. */
  double fraction(String name, Double fallback) {
    return parsed(name, fallback, Fraction::parse);
  }

  /** The fields under a field, or none of them when it is not there. */
  Section section(String name) {
    if (!has(name)) {
      return new Section(file, full(name), line, Map.of());
    }
    if (values.get(name) instanceof Section section) {
      return section;
    }
    throw fault(name, "must have fields of its own");
  }

  /** A list of maps; none when the field is not there. */
  List<Section> sections(String name) {
    List<Section> found = new ArrayList<>();
    for (YamlTree.Value value : items(name)) {
      if (!(value instanceof Section section)) {
        throw fault(name, "each entry must have fields, such as '- name: ...'");
      }
      found.add(section);
    }
    return found;
  }

  /** A list of words, or one word; none when the field is not there. */
  List<String> texts(String name) {
    List<String> found = new ArrayList<>();
    for (YamlTree.Value value : items(name)) {
      if (!(value instanceof YamlTree.Scalar scalar)) {
        throw fault(name, "each entry must be one word");
      }
      found.add(scalar.text());
    }
    return found;
  }

  private List<YamlTree.Value> items(String name) {
    if (!has(name)) {
      return List.of();
    }
    YamlTree.Value value = values.get(name);
    return value instanceof YamlTree.Items items ? items.values() : List.of(value);
  }
}
