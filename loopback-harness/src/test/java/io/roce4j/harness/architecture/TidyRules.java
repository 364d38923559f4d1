// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the text of a file must and must not hold. Each rule takes the path below the root, with
 * slashes, and the text, and gives one line per finding: {@code path:line: what, and what instead}.
 */
final class TidyRules {
  static final int MAX_FILE_LINES = 600;

  static final int MAX_LINE_CHARACTERS = 120;

  private static final String HEADER =
      "// Copyright 2026 the roce4j authors\n// SPDX-License-Identifier: Apache-2.0\n";

  // The words are put together here, or this file would be the first finding.
  private static final Pattern LEFTOVER =
      Pattern.compile("(?<![A-Za-z])(TO" + "DO|FIX" + "ME|X" + "XX|HA" + "CK)(?![A-Za-z])");
  private static final Pattern MACHINE_PATH =
      Pattern.compile(
          "(?<![A-Za-z0-9_.-])/(work|root|home/[a-z]+)/|/usr/lib/jvm/(tem"
              + "urin|java-[0-9])|\\.\\./sha"
              + "red\\b");
  private static final Pattern REGISTRY_HOST =
      Pattern.compile(
          "(repo1?\\.ma"
              + "ven|central\\.sona"
              + "type|registry\\.np"
              + "mjs|py"
              + "pi\\.org|deb\\.deb"
              + "ian|maven-cen"
              + "tral\\.)");
  private static final Pattern VAGUE_NAME =
      Pattern.compile(
          "\\b(class|interface|record|enum) \\w*(Mana"
              + "ger|Ut"
              + "ils?|Im"
              + "pl|Hel"
              + "per)\\b");

  private TidyRules() {}

  /** Every rule over the text of a Java file. */
  static List<String> javaText(String path, String text) {
    List<String> findings = new ArrayList<>(anyText(path, text));
    if (!text.startsWith(HEADER)) {
      findings.add(path + ":1: no licence header of two lines");
    }
    // Javadoc is not counted: a well described class must not have to be split.
    long lines = text.lines().map(String::strip).filter(TidyRules::isCode).count();
    if (lines > MAX_FILE_LINES) {
      findings.add(
          path + ":" + lines + ": more than " + MAX_FILE_LINES + " lines of code: split it");
    }
    find(VAGUE_NAME, path, text, "a name that says nothing: name the role", findings);
    boolean port = path.contains("/transport/port/");
    if (!port) {
      find(
          Pattern.compile("@SuppressWarnings\\([^)]*\"restricted\""),
          path,
          text,
          "restricted calls are for classes of transport.port",
          findings);
    }
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      if (line.length() > MAX_LINE_CHARACTERS) {
        findings.add(path + ":" + number + ": longer than " + MAX_LINE_CHARACTERS + " characters");
      }
    }
    return findings;
  }

  /** The rules over any text file of the project. */
  static List<String> anyText(String path, String text) {
    List<String> findings = new ArrayList<>();
    find(LEFTOVER, path, text, "finish it, or write an issue", findings);
    find(MACHINE_PATH, path, text, "the path of one machine: the project stands alone", findings);
    find(
        REGISTRY_HOST,
        path,
        text,
        "a package registry's host: that is the user's choice",
        findings);
    return findings;
  }

  private static boolean isCode(String line) {
    return !line.isEmpty() && !line.startsWith("/**") && !line.startsWith("*");
  }

  private static void find(
      Pattern pattern, String path, String text, String advice, List<String> findings) {
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      long line = 1 + text.substring(0, matcher.start()).chars().filter(c -> c == '\n').count();
      findings.add(path + ":" + line + ": '" + matcher.group().strip() + "': " + advice);
    }
  }
}
