// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A client of one session in this process. Fields of requests are written as JSON with apostrophes
 * instead of quotation marks.
 */
final class DutDriver implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  final StringWriter log = new StringWriter();
  final DutSession session = new DutSession(new PrintWriter(log, true), null);
  private int nextId = 1;

  /** Answers to a line as it stands. */
  JsonNode line(String line) {
    return line(line.getBytes(StandardCharsets.UTF_8));
  }

  JsonNode line(byte[] line) {
    try {
      return MAPPER.readTree(session.answer(line));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends a command and gives back its answer, which has its id. */
  JsonNode send(String cmd, String fields) {
    int id = nextId++;
    String rest = fields.isEmpty() ? "" : "," + fields.replace('\'', '"');
    JsonNode answer = line("{\"id\":" + id + ",\"cmd\":\"" + cmd + "\"" + rest + "}");
    assertEquals(id, answer.get("id").asInt());
    assertEquals("", log.toString());
    return answer;
  }

  /** A command that works. */
  JsonNode ok(String cmd, String fields) {
    JsonNode answer = send(cmd, fields);
    assertTrue(answer.get("ok").asBoolean(), answer::toString);
    return answer;
  }

  /** A command that is refused; gives back the error's name. */
  String error(String cmd, String fields) {
    JsonNode answer = send(cmd, fields);
    assertEquals(false, answer.get("ok").asBoolean(), answer::toString);
    assertTrue(!answer.get("message").asText().isEmpty());
    return answer.get("error").asText();
  }

  DutDriver open(String bind) {
    ok("open", "'port':'control','bind':'" + bind + "','clock':'manual','seed':7");
    return this;
  }

  /** Frames that left, as hex. */
  List<String> drain() {
    List<String> frames = new ArrayList<>();
    ok("drain", "").get("frames").forEach(f -> frames.add(f.get("hex").asText()));
    return frames;
  }

  /** Hands frames in; the counters that say why some were dropped, "null" for those that passed. */
  List<String> inject(List<String> frames) {
    StringBuilder list = new StringBuilder();
    for (String frame : frames) {
      list.append(list.isEmpty() ? "'" : ",'").append(frame).append('\'');
    }
    List<String> results = new ArrayList<>();
    ok("inject", "'frames':[" + list + "]").get("results").forEach(r -> results.add(r.asText()));
    return results;
  }

  /** Completions as {@code wrId STATUS}, or {@code wrId SUCCESS OPCODE byteLen}. */
  List<String> poll(int cq) {
    List<String> all = new ArrayList<>();
    for (JsonNode c : ok("poll_cq", "'cq':" + cq + ",'max':64").get("completions")) {
      String text = c.get("wrId").asText() + " " + c.get("status").asText();
      if (c.has("opcode")) {
        text += " " + c.get("opcode").asText() + " " + c.get("byteLen").asText();
      }
      all.add(text);
    }
    return all;
  }

  List<String> events() {
    List<String> all = new ArrayList<>();
    ok("async_events", "")
        .get("events")
        .forEach(e -> all.add(e.get("event").asText() + e.at("/qp").asText()));
    return all;
  }

  long counter(String name) {
    return ok("counters", "").get("values").get(name).asLong();
  }

  String memory(int mr, int offset, int length) {
    return ok("read_memory", "'mr':" + mr + ",'offset':" + offset + ",'length':" + length)
        .get("hex")
        .asText();
  }

  String state(int qp) {
    return ok("query_qp", "'qp':" + qp).at("/attr/qpState").asText();
  }

  /** BTH opcodes of frames over IPv4, in hex. */
  static List<String> opcodes(List<String> frames) {
    return frames.stream().map(f -> f.substring(56, 58)).toList();
  }

  /** One byte of a frame changed. */
  static String changed(String frame, int at, int value) {
    byte[] bytes = HexFormat.of().parseHex(frame);
    bytes[at] = (byte) value;
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void close() {
    session.close();
  }
}
