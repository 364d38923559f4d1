// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the text of the whole project to its house rules; says for each finding where and why. */
class TidyTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", ".idea", ".vscode");
  private static final Set<String> TEXT_ENDINGS =
      Set.of(
          "java", "xml", "md", "sh", "py", "txt", "json", "properties", "options", "yml", "toml");
  private static final Set<String> TEXT_NAMES = Set.of("roce4j", "run", "stamp");
  private static final String HEADER =
      "// Copyright 2026 the roce4j authors\n// SPDX-License-Identifier: Apache-2.0\n";

  private static final Map<String, String> FILES = new TreeMap<>();

  @BeforeAll
  static void readFiles() throws IOException {
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED_FOLDERS.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String name = file.getFileName().toString();
            String ending = name.substring(name.lastIndexOf('.') + 1);
            if (attributes.isRegularFile()
                && (TEXT_ENDINGS.contains(ending) || TEXT_NAMES.contains(name))) {
              String path = ROOT.relativize(file).toString().replace('\\', '/');
              FILES.put(path, Files.readString(file));
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static Map<String, String> javaFiles() {
    Map<String, String> java = new TreeMap<>(FILES);
    java.keySet().removeIf(path -> !path.endsWith(".java"));
    return java;
  }

  @Test
  void theWalkSeesTheProject() {
    assertTrue(FILES.containsKey("pom.xml"), () -> "no pom.xml in " + ROOT);
    assertTrue(FILES.containsKey("roce4j"));
    assertTrue(FILES.containsKey(".ci/run"));
    assertTrue(javaFiles().size() > 100, () -> "only " + javaFiles().size() + " Java files");
  }

  @Test
  void textIsTidy() {
    List<String> findings = new ArrayList<>();
    FILES.forEach(
        (path, text) ->
            findings.addAll(
                path.endsWith(".java")
                    ? TidyRules.javaText(path, text)
                    : TidyRules.anyText(path, text)));
    assertEquals("", String.join("\n", findings));
  }

  @Test
  void syntaxIsTidy() throws IOException {
    assertEquals("", String.join("\n", SyntaxRules.check(javaFiles())));
  }

  @Test
  void everyMainPackageSaysWhatItIsFor() {
    List<String> missing = new ArrayList<>();
    for (String path : javaFiles().keySet()) {
      String folder = path.substring(0, path.lastIndexOf('/') + 1);
      if (path.contains("/src/main/java/") && !FILES.containsKey(folder + "package-info.java")) {
        missing.add(folder);
      }
    }
    assertEquals(List.of(), missing.stream().distinct().toList());
  }

  // ---- each rule can fail ---------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(
      strings = {
        "class A {} // TO" + "DO finish",
        "class A {} // FIX" + "ME",
        "class A { String p = \"/wo" + "rk/main\"; }",
        "class A { String p = \"../sha" + "red/vectors\"; }",
        "class A { String p = \"/usr/lib/jvm/tem" + "urin-25\"; }",
        "class A { String p = \"https://repo1.ma" + "ven.org\"; }",
        "class QueueMana" + "ger {}",
        "class A { @SuppressWarnings(\"restricted\") void a() {} }",
      })
  void badTextIsFound(String text) {
    assertEquals(1, TidyRules.javaText("wire/src/main/java/A.java", HEADER + text).size(), text);
  }

  @Test
  void missingHeaderLongFileAndLongLineAreFound() {
    assertEquals(1, TidyRules.javaText("A.java", "class A {}").size());
    assertEquals(
        1, TidyRules.javaText("A.java", HEADER + "f();\n".repeat(TidyRules.MAX_FILE_LINES)).size());
    assertEquals(
        1,
        TidyRules.javaText("A.java", HEADER + "/".repeat(TidyRules.MAX_LINE_CHARACTERS + 1))
            .size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "int a(int psn) { return psn + 1; }",
        "int a(int startPsn) { return 5 - startPsn; }",
        "int a(View v) { return v.psn() + 1; }",
        "int a(int msn) { return ++msn; }",
        "int a(int psn) { return psn += 2; }",
        "boolean a(int psn, int endPsn) { return psn < endPsn; }",
        "int a(int x) { return x & 0xFF_FFFF; }",
        "void a() { try { b(); } catch (Exception e) { } }",
        "void a() { System.out.println(); }",
        "void a(Exception e) { e.printStackTrace(); }",
      })
  void badSyntaxIsFound(String member) throws IOException {
    Map<String, String> file =
        Map.of("transport/src/main/java/A.java", "class A { " + member + "}");
    assertEquals(1, SyntaxRules.check(file).size(), () -> "not found: " + member);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "String a(int psn) { return \"psn \" + psn + \" and\"; }",
        "boolean a(int psn) { return psn < 0 || psn > MASK; }",
        "int a(int psn) { return Psn.add(psn, 1); }",
        "int a(int x) { return x & 0xFFFF; }",
        "int a(int psn, int pad) { return pad + 1; }",
      })
  void goodSyntaxIsNotFound(String member) throws IOException {
    Map<String, String> file =
        Map.of("transport/src/main/java/A.java", "class A { " + member + "}");
    assertEquals(List.of(), SyntaxRules.check(file));
  }

  @Test
  void longMethodsAndSleepingTestsAreFound() throws IOException {
    String lines = "b();\n".repeat(SyntaxRules.MAX_METHOD_LINES);
    assertEquals(
        1, SyntaxRules.check(Map.of("A.java", "class A { void a() {\n" + lines + "} }")).size());
    String sleeps = "class A { void a() { Thread.sleep(1); } }";
    assertEquals(1, SyntaxRules.check(Map.of("wire/src/test/java/A.java", sleeps)).size());
    assertEquals(
        List.of(), SyntaxRules.check(Map.of("loopback-harness/src/test/java/A.java", sleeps)));
  }
}
