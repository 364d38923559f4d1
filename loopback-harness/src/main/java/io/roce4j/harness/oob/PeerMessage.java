// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One message of the peer. The accessors check what the peer wrote: a field that is missing, of
 * another kind or out of range is a {@link PeerException} that names it.
 */
public final class PeerMessage {
  /** Longest text that is taken over from a peer. */
  public static final int MAX_TEXT = 300;

  private final String peer;
  private final ObjectNode object;

  PeerMessage(String peer, ObjectNode object) {
    this.peer = peer;
    this.object = object;
  }

  /**
   * What kind of message it is.
   *
   * @return the field {@code type}
   */
  public String type() {
    return text("type");
  }

  /**
   * A whole number.
   *
   * @param field name
   * @param least smallest allowed
   * @param most largest allowed
   * @return the value
   */
  public long integer(String field, long least, long most) {
    JsonNode node = object.get(field);
    if (node == null || !node.isIntegralNumber() || !node.canConvertToLong()) {
      throw refuse(field, node, "a whole number");
    }
    long value = node.longValue();
    if (value < least || value > most) {
      throw refuse(field, node, "a whole number from " + least + " to " + most);
    }
    return value;
  }

  /**
   * A whole number that fits an int.
   *
   * @param field name
   * @param least smallest allowed
   * @param most largest allowed
   * @return the value
   */
  public int integer(String field, int least, int most) {
    return (int) integer(field, (long) least, (long) most);
  }

  /**
   * A counter, 0 to 2^60.
   *
   * @param field name
   * @return the value
   */
  public long count(String field) {
    return integer(field, 0, 1L << 60);
  }

  /**
   * A share.
   *
   * @param field name
   * @return 0 to 1
   */
  public double fraction(String field) {
    JsonNode node = object.get(field);
    if (node == null || !node.isNumber() || !(node.doubleValue() >= 0 && node.doubleValue() <= 1)) {
      throw refuse(field, node, "a number from 0 to 1");
    }
    return node.doubleValue();
  }

  /**
   * Yes or no.
   *
   * @param field name
   * @return the value
   */
  public boolean flag(String field) {
    JsonNode node = object.get(field);
    if (node == null || !node.isBoolean()) {
      throw refuse(field, node, "true or false");
    }
    return node.booleanValue();
  }

  /**
   * A text, made fit to be printed.
   *
   * @param field name
   * @return at most {@link #MAX_TEXT} characters, none of them a control character
   */
  public String text(String field) {
    JsonNode node = object.get(field);
    if (node == null || !node.isTextual()) {
      throw refuse(field, node, "a text");
    }
    return printable(node.textValue());
  }

  /**
   * Several texts.
   *
   * @param field name
   * @param most of them are taken
   * @return each as {@link #text} gives it
   */
  public List<String> texts(String field, int most) {
    JsonNode node = object.get(field);
    if (node == null || !node.isArray()) {
      throw refuse(field, node, "a list of texts");
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode each : node) {
      if (!each.isTextual()) {
        throw refuse(field, node, "a list of texts");
      }
      if (texts.size() < most) {
        texts.add(printable(each.textValue()));
      }
    }
    return texts;
  }

  /**
   * Several whole numbers.
   *
   * @param field name
   * @param most of them are allowed
   * @param least smallest allowed
   * @param greatest largest allowed
   * @return in the order given
   */
  public List<Integer> integers(String field, int most, int least, int greatest) {
    JsonNode node = object.get(field);
    String expected = "at most " + most + " whole numbers from " + least + " to " + greatest;
    if (node == null || !node.isArray() || node.size() > most) {
      throw refuse(field, node, expected);
    }
    List<Integer> numbers = new ArrayList<>();
    for (JsonNode each : node) {
      if (!each.canConvertToInt()
          || !each.isIntegralNumber()
          || each.intValue() < least
          || each.intValue() > greatest) {
        throw refuse(field, node, expected);
      }
      numbers.add(each.intValue());
    }
    return numbers;
  }

  /**
   * Several texts, each with a name.
   *
   * @param field name
   * @param most of them are allowed
   * @return names and texts as {@link #text} gives them
   */
  public Map<String, String> namedTexts(String field, int most) {
    JsonNode node = object.get(field);
    if (node == null || !node.isObject() || node.size() > most) {
      throw refuse(field, node, "an object of at most " + most + " texts");
    }
    Map<String, String> texts = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      if (!each.getValue().isTextual()) {
        throw refuse(field, node, "an object of texts");
      }
      texts.put(printable(each.getKey()), printable(each.getValue().textValue()));
    }
    return texts;
  }

  /**
   * An object within the message.
   *
   * @param field name
   * @return its fields
   */
  public PeerMessage object(String field) {
    if (object.get(field) instanceof ObjectNode inner) {
      return new PeerMessage(peer, inner);
    }
    throw refuse(field, "an object");
  }

  /**
   * The refusal of a field.
   *
   * @param field name
   * @param expected what it should have been
   * @return to be thrown
   */
  public PeerException refuse(String field, String expected) {
    return refuse(field, object.get(field), expected);
  }

  private PeerException refuse(String field, JsonNode found, String expected) {
    String what = found == null ? "nothing" : printable(found.toString());
    return new PeerException(
        "peer " + peer + " says \"" + field + "\" is " + what + "; it must be " + expected);
  }

  /** What a terminal shows as it stands: a peer must not move the cursor or forge lines. */
  static String printable(String text) {
    StringBuilder clean = new StringBuilder();
    text.codePoints()
        .limit(MAX_TEXT)
        .map(c -> Character.isISOControl(c) || !isShown(c) ? '?' : c)
        .forEach(clean::appendCodePoint);
    return clean.toString();
  }

  private static boolean isShown(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.FORMAT,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE ->
          false;
      default -> true;
    };
  }

  @Override
  public String toString() {
    return printable(object.toString());
  }
}
