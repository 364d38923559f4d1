// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a tool's JSON goes: a file, standard output, or nowhere. Opened before the work starts;
 * written once, or once a line for JSON Lines.
 */
public final class JsonReport implements AutoCloseable {
  // Plain decimals: a reader that greps the report should not have to know 1.0E-4.
  private static final ObjectMapper MAPPER =
      new ObjectMapper().configure(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN, true);

  private static final ObjectWriter PRETTY = MAPPER.writerWithDefaultPrettyPrinter();

  private final String name;
  private final Path file;
  private Writer writer;

  /** Over a writer that stays open. */
  private JsonReport(String name, Writer writer) {
    this.name = name;
    this.file = null;
    this.writer = writer;
  }

  /** Over a file, which is emptied when the first object is written and not before. */
  private JsonReport(String name, Path file) {
    this.name = name;
    this.file = file;
  }

  /**
   * The one object mapper of the tools.
   *
   * @return a mapper that the caller does not reconfigure
   */
  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /**
   * Opens a report.
   *
   * @param target a file name, {@code -} for standard output, or null for none
   * @param out standard output
   * @return the report
   * @throws ToolException when the file cannot be written
   */
  public static JsonReport open(String target, PrintWriter out) {
    if (target == null) {
      return new JsonReport("none", Writer.nullWriter());
    }
    if (target.equals("-")) {
      return new JsonReport("standard output", out);
    }
    return new JsonReport(target, OutputFile.check("--json", target));
  }

  /**
   * Refuses a report that would overwrite another file of the run.
   *
   * @param target as for {@link #open}
   * @param what how the user calls the other file, such as {@code --pcap}
   * @param other the file that must stay what it is, or null for none
   * @throws ToolException when both are one file
   */
  public static void checkApart(String target, String what, Path other) {
    if (target == null || other == null || target.equals("-") || target.isBlank()) {
      return;
    }
    if (FileName.isSameFile(FileName.parse(target), other)) {
      throw ToolException.usage(
          "--json " + target + ": is the same file as " + what + " " + other + ": name another");
    }
  }

  /**
   * Writes one object over several lines.
   *
   * @param object the whole report
   * @throws ToolException when the disk refuses it
   */
  public void write(JsonNode object) {
    print(PRETTY, object);
  }

  /**
   * Writes one object as one line, for JSON Lines.
   *
   * @param object one record
   * @throws ToolException when the disk refuses it
   */
  public void writeLine(JsonNode object) {
    print(MAPPER.writer(), object);
  }

  /**
   * Empties the file although there may be nothing to write: a report without lines is not the
   * report of an earlier run.
   *
   * @throws ToolException when the disk refuses it
   */
  public void begin() {
    try {
      if (writer == null) {
        writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      throw ToolException.machine("--json " + name + ": write failed: " + IoReason.of(e), e);
    }
  }

  private void print(ObjectWriter form, JsonNode object) {
    begin();
    try {
      writer.write(form.writeValueAsString(object));
      writer.write('\n');
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of nodes is always writable", e);
    } catch (IOException e) {
      throw ToolException.machine("--json " + name + ": write failed: " + IoReason.of(e), e);
    }
  }

  @Override
  public void close() {
    if (writer == null) {
      return;
    }
    try {
      writer.flush();
      if (file != null) {
        writer.close();
      }
    } catch (IOException e) {
      throw ToolException.machine("--json " + name + ": write failed: " + IoReason.of(e), e);
    }
  }
}
