// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import io.roce4j.docs.RequirementMarks.Mark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The rules of {@code docs/requirements}, each with the code that does it and the tests of it. */
final class RequirementIndex {

  /** Share of the rules that may be left out, with a reason. */
  static final int EXCEPTIONS_PERCENT_MAX = 5;

  private static final String HEAD =
      """
      # Requirements of RC, UC and UD

      Every rule, the code that does it and the tests that show it. The table is made from the marks in the sources
      (`[rc 12-4]` stands at the code and at the test of rule 12-4) and from `docs/requirements`; a test fails when a
      rule has no code or no test, when a mark names no rule, and when this page is stale. Choices where sources
      disagree: [RC.md](RC.md).

      """;

  /**
   * A rule.
   *
   * @param id its number
   * @param rule in a few words
   * @param exception why it is not done, or null
   */
  record Rule(String id, String rule, String exception) {}

  private final Map<String, List<Rule>> sections = new LinkedHashMap<>();
  private final Map<String, Rule> rules = new LinkedHashMap<>();
  private final Map<String, SortedSet<String>> code = new TreeMap<>();
  private final Map<String, SortedSet<String>> tests = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();

  /** Reads the rules and the marks of all modules under a root. */
  static RequirementIndex read(Path root) throws IOException {
    RequirementIndex index = new RequirementIndex();
    index.addRules(Files.readAllLines(root.resolve("docs/requirements/rc.tsv")));
    index.addRules(Files.readAllLines(root.resolve("docs/requirements/field-cases.tsv")));
    index.addMarks(RequirementMarks.of(sources(root, "main")), true);
    index.addMarks(RequirementMarks.of(sources(root, "test")), false);
    return index;
  }

  private static List<Path> sources(Path root, String part) throws IOException {
    List<Path> marked = new ArrayList<>();
    for (String module :
        List.of("wire", "congestion", "transport", "multipath", "loopback-harness")) {
      try (Stream<Path> files = Files.walk(root.resolve(module + "/src/" + part + "/java"))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).sorted().toList()) {
          String text = Files.readString(file);
          if (text.contains("[rc") || text.contains("[FC-")) {
            marked.add(file);
          }
        }
      }
    }
    return marked;
  }

  /** Lines {@code ## section}, {@code id TAB rule} and {@code id TAB rule TAB reason}. */
  void addRules(List<String> lines) {
    List<Rule> section = null;
    for (String line : lines) {
      if (line.startsWith("## ")) {
        section = new ArrayList<>();
        sections.put(line.substring(3), section);
      } else if (!line.startsWith("#")) {
        String[] cells = line.split("\t", -1);
        Rule rule = new Rule(cells[0], cells[1], cells.length > 2 ? cells[2] : null);
        if (section == null || rules.put(rule.id(), rule) != null) {
          throw new IllegalArgumentException("rule " + rule.id() + " stands twice or nowhere");
        }
        section.add(rule);
      }
    }
  }

  void addMarks(List<Mark> marks, boolean main) {
    for (Mark mark : marks) {
      Rule rule = rules.get(mark.id());
      if (rule != null) {
        boolean shows = main || mark.inTestMethod();
        if (!shows && !isCase(mark.id())) {
          faults.add(mark.id() + " stands in " + mark.place() + ", which is no test method");
        }
        if (shows) {
          (main ? code : tests).computeIfAbsent(mark.id(), id -> new TreeSet<>()).add(mark.place());
        }
      } else if (!isCase(mark.id()) && !isSection(mark.id())) {
        faults.add("no rule " + mark.id() + ", which " + mark.place() + " names");
      }
    }
  }

  private static boolean isCase(String id) {
    return id.startsWith("FC-");
  }

  /** The number of a section is a pointer and shows nothing. */
  private boolean isSection(String id) {
    return sections.keySet().stream().anyMatch(name -> name.startsWith(id + " "));
  }

  /** What is missing or wrong, one line each. */
  List<String> faults() {
    List<String> all = new ArrayList<>(faults);
    for (Rule rule : rules.values()) {
      if (rule.exception() != null) {
        continue;
      }
      if (!tests.containsKey(rule.id())) {
        all.add("no test of " + rule.id() + ": " + rule.rule());
      }
      if (!code.containsKey(rule.id()) && !isCase(rule.id())) {
        all.add("no code for " + rule.id() + ": " + rule.rule());
      }
    }
    if (exceptions() * 100 > (long) rules.size() * EXCEPTIONS_PERCENT_MAX) {
      all.add(exceptions() + " exceptions of " + rules.size() + " rules");
    }
    return all;
  }

  private long exceptions() {
    return rules.values().stream().filter(r -> r.exception() != null).count();
  }

  /** The page. */
  String page() {
    StringBuilder page = new StringBuilder(HEAD);
    long cases = rules.keySet().stream().filter(RequirementIndex::isCase).count();
    page.append(rules.size() - cases)
        .append(" rules, ")
        .append(exceptions())
        .append(" of them not done here, with the reason; ")
        .append(cases)
        .append(" cases from the field.\n");
    sections.forEach(
        (name, list) -> {
          page.append("\n## ").append(name).append("\n\n");
          page.append("| | rule | code | tests |\n| --- | --- | --- | --- |\n");
          list.forEach(rule -> appendRow(page, rule));
        });
    return page.toString();
  }

  private void appendRow(StringBuilder page, Rule rule) {
    page.append("| ").append(rule.id()).append(" | ").append(rule.rule()).append(" | ");
    if (rule.exception() != null) {
      page.append("not here: ").append(rule.exception()).append(" | |\n");
      return;
    }
    page.append(places(code, rule.id())).append(" | ");
    page.append(places(tests, rule.id())).append(" |\n");
  }

  private static String places(Map<String, SortedSet<String>> of, String id) {
    return String.join(", ", of.getOrDefault(id, new TreeSet<>()));
  }
}
