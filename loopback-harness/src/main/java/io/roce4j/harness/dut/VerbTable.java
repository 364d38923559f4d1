// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The commands by name, each with the fields it takes. */
final class VerbTable {
  /** A command. */
  @FunctionalInterface
  interface Verb {
    /**
     * Carries it out.
     *
     * @param request its fields, all of them known ones
     * @param answer takes the fields of the answer
     */
    void run(Fields request, ObjectNode answer);
  }

  private record Entry(Verb verb, Set<String> fields) {}

  private final Map<String, Entry> entries = new HashMap<>();

  void add(String name, Verb verb, String... fields) {
    Set<String> known = new HashSet<>(List.of(fields));
    known.add("id");
    known.add("cmd");
    entries.put(name, new Entry(verb, known));
  }

  Set<String> names() {
    return Set.copyOf(entries.keySet());
  }

  void run(String name, Fields request, ObjectNode answer) {
    Entry entry = entries.get(name);
    if (entry == null) {
      throw new DutException(DutException.UNKNOWN_COMMAND, "no command " + shorten(name));
    }
    request.only(entry.fields());
    entry.verb().run(request, answer);
  }

  private static String shorten(String name) {
    return name.length() <= 40 ? name : name.substring(0, 37) + "...";
  }
}
