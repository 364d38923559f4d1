// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the reference tables of the test resources: comma separated, one header line. */
final class Vectors {

  private Vectors() {}

  static List<Map<String, String>> read(String name) {
    try (InputStream in = Vectors.class.getResourceAsStream(name);
        BufferedReader reader =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      String[] header = reader.readLine().split(",", -1);
      List<Map<String, String>> rows = new ArrayList<>();
      String line;
      while ((line = reader.readLine()) != null) {
        String[] cells = line.split(",", -1);
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < header.length; i++) {
          row.put(header[i], cells[i]);
        }
        rows.add(row);
      }
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rows by the value of one column, in order. */
  static Map<String, List<Map<String, String>>> groups(String name, String... columns) {
    Map<String, List<Map<String, String>>> groups = new LinkedHashMap<>();
    for (Map<String, String> row : read(name)) {
      StringBuilder key = new StringBuilder();
      for (String column : columns) {
        key.append(key.isEmpty() ? "" : "/").append(row.get(column));
      }
      groups.computeIfAbsent(key.toString(), k -> new ArrayList<>()).add(row);
    }
    return groups;
  }

  static double number(Map<String, String> row, String column) {
    return Double.parseDouble(row.get(column));
  }

  /** Microseconds of a table as whole nanoseconds. */
  static long micros(Map<String, String> row, String column) {
    return Math.round(number(row, column) * 1000);
  }
}
