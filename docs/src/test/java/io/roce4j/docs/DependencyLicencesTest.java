// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds docs/DEPENDENCIES.md to the libraries on the class path. */
class DependencyLicencesTest {
  private static final Set<String> LICENCES =
      Set.of("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT");
  private static final Pattern OURS_OR_TESTS =
      Pattern.compile("roce4j-.*|junit-.*|opentest4j.*|apiguardian-.*");
  private static final Pattern ROW = Pattern.compile("\\| (`.*`) \\| (\\S+) \\|.*");

  private record Row(List<Pattern> names, String licence) {}

  private static Set<String> libraries() {
    // Surefire hides the class path behind one jar and keeps the real one here.
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Set<String> names = new TreeSet<>();
    for (String entry : path.split(Pattern.quote(File.pathSeparator), -1)) {
      String file = entry.substring(entry.lastIndexOf(File.separatorChar) + 1);
      if (file.endsWith(".jar") && !OURS_OR_TESTS.matcher(file).matches()) {
        names.add(file.replaceFirst("-[0-9].*", ""));
      }
    }
    return names;
  }

  private static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("DEPENDENCIES.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        List<Pattern> names = new ArrayList<>();
        for (String name : row.group(1).replace("`", "").split(", *", -1)) {
          names.add(Pattern.compile(name.replace("*", ".*")));
        }
        rows.add(new Row(names, row.group(2)));
      }
    }
    return rows;
  }

  @Test
  void everyLibraryHasALicenceAndEveryNameALibrary() throws IOException {
    Set<String> libraries = libraries();
    assertTrue(libraries.contains("agrona"), libraries::toString);
    Set<String> unnamed = new TreeSet<>(libraries);
    for (Row row : rows()) {
      assertTrue(LICENCES.contains(row.licence()), row::toString);
      for (Pattern name : row.names()) {
        assertTrue(
            libraries.stream().anyMatch(name.asMatchPredicate()), () -> name + " is not used");
        unnamed.removeIf(name.asMatchPredicate());
      }
    }
    assertEquals(Set.of(), unnamed);
  }
}
