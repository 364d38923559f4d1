// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * The fields of one JSON object of a request, read by kind. A field that is missing, unknown or of
 * another kind is BAD_FIELD; a number that no verb could take is EINVAL, like one that a verb
 * refuses. A null counts as absent.
 */
final class Fields {
  private static final BigInteger WORD_64_MAX =
      BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);
  private static final BigInteger WORD_32_MAX = BigInteger.valueOf(0xFFFF_FFFFL);
  private static final String HEX_PREFIX = "0x";
  private static final int HEX_DIGITS_MAX = 16;

  private final JsonNode node;

  /**
   * Fields of an object.
   *
   * @param node a JSON object
   */
  Fields(JsonNode node) {
    this.node = node;
  }

  /** An object without fields. */
  static Fields none() {
    return new Fields(JsonNodeFactory.instance.objectNode());
  }

  /** Refuses fields that are not among the names. */
  void only(Set<String> names) {
    Iterator<String> given = node.fieldNames();
    while (given.hasNext()) {
      String name = given.next();
      if (!names.contains(name)) {
        throw DutException.badField(
            name
                + " is no field here: there are "
                + String.join(" ", names.stream().sorted().toList()));
      }
    }
  }

  boolean has(String name) {
    return node.hasNonNull(name);
  }

  /** Whether a field is there and null, for the one field where that means something. */
  boolean isNull(String name) {
    return node.has(name) && node.get(name).isNull();
  }

  private JsonNode need(String name) {
    if (!has(name)) {
      throw DutException.badField(name + " is missing");
    }
    return node.get(name);
  }

  private BigInteger number(String name) {
    JsonNode value = need(name);
    if (!value.isIntegralNumber()) {
      throw DutException.badField(name + " " + shorten(value) + " is not an integer");
    }
    return value.bigIntegerValue();
  }

  private static long within(String name, BigInteger value, BigInteger least, BigInteger most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw DutException.invalid(name + " " + shorten(value) + ": allowed " + least + ".." + most);
    }
    return value.longValue();
  }

  private static String shorten(Object value) {
    String text = value.toString();
    return text.length() <= 40 ? text : text.substring(0, 37) + "...";
  }

  /** A number of 32 bits, signed; the verbs know its range. */
  int integer(String name) {
    return (int)
        within(
            name,
            number(name),
            BigInteger.valueOf(Integer.MIN_VALUE),
            BigInteger.valueOf(Integer.MAX_VALUE));
  }

  int integer(String name, int otherwise) {
    return has(name) ? integer(name) : otherwise;
  }

  /** A count of bytes or nanoseconds, 0 to 2^63 - 1. */
  long size(String name) {
    return within(name, number(name), BigInteger.ZERO, BigInteger.valueOf(Long.MAX_VALUE));
  }

  /** 64 bits: an address, a key, an operand; an integer or a string of hex digits behind 0x. */
  long word64(String name) {
    return within(name, word(name), BigInteger.ZERO, WORD_64_MAX);
  }

  long word64(String name, long otherwise) {
    return has(name) ? word64(name) : otherwise;
  }

  /** 32 bits, in either form of {@link #word64}. */
  int word32(String name) {
    return (int) within(name, word(name), BigInteger.ZERO, WORD_32_MAX);
  }

  int word32(String name, int otherwise) {
    return has(name) ? word32(name) : otherwise;
  }

  private BigInteger word(String name) {
    JsonNode value = need(name);
    if (!value.isTextual()) {
      return number(name);
    }
    String text = value.textValue();
    String digits = text.startsWith(HEX_PREFIX) ? text.substring(HEX_PREFIX.length()) : "";
    boolean hex =
        !digits.isEmpty() && digits.chars().allMatch(c -> c < 0x80 && Character.digit(c, 16) >= 0);
    if (!hex || digits.length() > HEX_DIGITS_MAX) {
      throw DutException.badField(
          name + " " + shorten(value) + " is neither an integer nor 0x and up to 16 hex digits");
    }
    return new BigInteger(digits, 16);
  }

  /** True or false; 1 and 0 as in C, too. */
  boolean flag(String name, boolean otherwise) {
    if (!has(name)) {
      return otherwise;
    }
    JsonNode value = node.get(name);
    boolean number = value.isInt() && (value.intValue() & ~1) == 0;
    if (!value.isBoolean() && !number) {
      throw DutException.badField(name + " " + shorten(value) + " is neither true nor false");
    }
    return value.asBoolean();
  }

  String text(String name) {
    JsonNode value = need(name);
    if (!value.isTextual()) {
      throw DutException.badField(name + " " + shorten(value) + " is not a string");
    }
    return value.textValue();
  }

  String text(String name, String otherwise) {
    return has(name) ? text(name) : otherwise;
  }

  byte[] hex(String name) {
    return hexOf(name, need(name));
  }

  static byte[] hexOf(String name, JsonNode value) {
    if (value.isTextual()) {
      try {
        return HexFormat.of().parseHex(value.textValue());
      } catch (IllegalArgumentException e) {
        // Said below, as for what is no string at all.
        return refuseHex(name, value);
      }
    }
    return refuseHex(name, value);
  }

  private static byte[] refuseHex(String name, JsonNode value) {
    throw DutException.badField(name + " " + shorten(value) + " is not a string of hex bytes");
  }

  Fields object(String name) {
    JsonNode value = need(name);
    if (!value.isObject()) {
      throw DutException.badField(name + " " + shorten(value) + " is not an object");
    }
    return new Fields(value);
  }

  /** The elements of a list. */
  List<JsonNode> list(String name) {
    JsonNode value = need(name);
    if (!value.isArray()) {
      throw DutException.badField(name + " " + shorten(value) + " is not a list");
    }
    List<JsonNode> elements = new ArrayList<>(value.size());
    value.forEach(elements::add);
    return elements;
  }

  /** A list of objects; none when the field is absent. */
  List<Fields> objects(String name) {
    List<Fields> all = new ArrayList<>();
    if (has(name)) {
      for (JsonNode element : list(name)) {
        if (!element.isObject()) {
          throw DutException.badField(name + " holds " + shorten(element) + ", not an object");
        }
        all.add(new Fields(element));
      }
    }
    return all;
  }

  /** A list of names; none when the field is absent. */
  List<String> names(String name) {
    List<String> all = new ArrayList<>();
    if (has(name)) {
      for (JsonNode element : list(name)) {
        if (!element.isTextual()) {
          throw DutException.badField(name + " holds " + shorten(element) + ", not a name");
        }
        all.add(element.textValue());
      }
    }
    return all;
  }
}
