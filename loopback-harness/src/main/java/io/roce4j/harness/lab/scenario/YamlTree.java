// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.roce4j.harness.cli.ToolException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A YAML text as a tree that remembers the line of each value. All scalars stay text: what a value
 * is, the reader of the field decides.
 */
final class YamlTree {
  private static final YAMLFactory FACTORY = new YAMLFactory();
  private static final int MAX_DEPTH = 20;

  private final String file;
  private final JsonParser parser;

  /** A value and where it stands. */
  sealed interface Value permits Scalar, Items, Section {
    /** Line in the file, from 1. */
    int line();
  }

  /** A word or number, as written. */
  record Scalar(String text, int line) implements Value {}

  /** A list. */
  record Items(List<Value> values, int line) implements Value {}

  private YamlTree(String file, JsonParser parser) {
    this.file = file;
    this.parser = parser;
  }

  /**
   * Reads a text.
   *
   * @param file its name, for messages
   * @param text YAML, one document whose root is a map
   * @return the root
   * @throws ToolException naming file and line
   */
  static Section read(String file, String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      YamlTree tree = new YamlTree(file, parser);
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw ToolException.usage(
            file + ": is not a scenario: its root must be fields such as 'topology:'");
      }
      return tree.section("", 0);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      throw ToolException.usage(
          file + ":" + line + ": is not YAML: " + firstLine(e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new IllegalStateException("a text in memory is always readable", e);
    }
  }

  private static String firstLine(String message) {
    String line = message.lines().findFirst().orElse("").strip();
    return line.isEmpty() ? "it cannot be parsed" : line.toLowerCase(Locale.ROOT);
  }

  private int line() {
    return parser.currentTokenLocation().getLineNr();
  }

  private Section section(String path, int depth) throws IOException {
    int line = line();
    Map<String, Value> values = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      int nameLine = line();
      String full = path.isEmpty() ? name : path + "." + name;
      parser.nextToken();
      if (values.put(name, value(full, depth + 1)) != null) {
        throw ToolException.usage(file + ":" + nameLine + ": " + full + " is there twice");
      }
    }
    return new Section(file, path, line, values);
  }

  private Value value(String path, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw ToolException.usage(
          file + ":" + line() + ": " + path + ": nested deeper than " + MAX_DEPTH);
    }
    JsonToken token = parser.currentToken();
    int line = line();
    if (token == JsonToken.START_OBJECT) {
      return section(path, depth);
    }
    if (token == JsonToken.START_ARRAY) {
      List<Value> values = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        values.add(value(path + "[" + values.size() + "]", depth + 1));
      }
      return new Items(values, line);
    }
    return new Scalar(token == JsonToken.VALUE_NULL ? "" : parser.getText(), line);
  }
}
