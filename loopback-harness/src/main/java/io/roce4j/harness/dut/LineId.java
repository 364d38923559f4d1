// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The id by which an answer names its request. Numbers, strings and booleans are given back as they
 * came; anything else is no id.
 */
final class LineId {
  private static final String NAME = "id";
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** Without the checks that made the line no request. */
  private static final JsonFactory FACTORY = new JsonFactory();

  private LineId() {}

  /** The id of a request that could be read, or a null. */
  static JsonNode of(JsonNode request) {
    JsonNode id = request.get(NAME);
    return id == null || id.isContainerNode() ? NODES.nullNode() : id;
  }

  /** The first id of a line that is no request, when it stands before what is wrong, or a null. */
  static JsonNode of(byte[] line) {
    InputStreamReader text =
        new InputStreamReader(new ByteArrayInputStream(line), StandardCharsets.UTF_8);
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return NODES.nullNode();
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean isId = NAME.equals(parser.currentName());
        JsonToken value = parser.nextToken();
        if (isId) {
          return scalar(parser, value);
        }
        parser.skipChildren();
      }
      return NODES.nullNode();
    } catch (IOException e) {
      // What is wrong stands before the id or in it.
      return NODES.nullNode();
    }
  }

  private static JsonNode scalar(JsonParser parser, JsonToken value) throws IOException {
    return switch (value) {
      case VALUE_STRING -> NODES.textNode(parser.getText());
      case VALUE_NUMBER_INT -> NODES.numberNode(parser.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDecimalValue());
      case VALUE_TRUE -> NODES.booleanNode(true);
      case VALUE_FALSE -> NODES.booleanNode(false);
      case null, default -> NODES.nullNode();
    };
  }
}
