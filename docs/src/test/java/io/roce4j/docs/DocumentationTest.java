// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.docs.MarkdownPage.Block;
import io.roce4j.docs.MarkdownPage.Command;
import io.roce4j.harness.cli.Roce4jCommand;
import io.roce4j.wire.icrc.IcrcCause;
import io.roce4j.wire.packet.WireFault;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * Holds the pages to the code: every command shown is parsed by the command line itself, every Java
 * block stands in a sample that is compiled, every class named exists, every link leads somewhere.
 */
class DocumentationTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  /** What the launcher does itself, without the command line behind it. */
  private static final Set<String> LAUNCHER_COMMANDS = Set.of("test", "bench", "clean");

  /** With this property set the page of the requirements is written before it is compared. */
  private static final String WRITE_REQUIREMENTS = "roce4j.requirements.write";

  private static final Map<String, MarkdownPage> PAGES = new TreeMap<>();

  /** Simple names of our classes to the text of their file. */
  private static final Map<String, String> CLASSES = new HashMap<>();

  private static String samples;

  @BeforeAll
  static void read() throws IOException {
    for (Path page : pages()) {
      PAGES.put(ROOT.relativize(page).toString(), new MarkdownPage(Files.readString(page)));
    }
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        String path = ROOT.relativize(file).toString();
        if (path.contains("/target/")) {
          continue;
        }
        CLASSES.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
        if (path.startsWith("docs/src/main/")) {
          text.append(Files.readString(file));
        }
      }
    }
    samples = withoutIndentation(text.toString());
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      Stream.concat(top, docs)
          .filter(p -> p.toString().endsWith(".md") && !p.toString().contains("/target/"))
          .forEach(pages::add);
    }
    return pages;
  }

  private static CommandLine commandLine() {
    return Roce4jCommand.commandLine(
        new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter()));
  }

  @Test
  void pagesAreFound() {
    assertTrue(PAGES.containsKey("README.md"), PAGES.keySet()::toString);
    assertTrue(PAGES.containsKey("docs/ARCHITECTURE.md"), PAGES.keySet()::toString);
  }

  @Test
  void everyCommandShownIsOneThatTheToolTakes() {
    List<String> wrong = new ArrayList<>();
    PAGES.forEach(
        (path, page) -> {
          for (Command command : page.commands()) {
            String problem = problemOf(command.words());
            if (problem != null) {
              wrong.add(path + ":" + command.line() + ": " + command.words() + ": " + problem);
            }
          }
        });
    assertEquals("", String.join("\n", wrong));
  }

  /** Why the tool would refuse the words, or null when it takes them or they are not for it. */
  private static String problemOf(List<String> words) {
    int tool = 0;
    while (tool < words.size() && words.get(tool).matches("[A-Z0-9_]+=.*|sudo|time")) {
      tool++;
    }
    if (tool == words.size() || !words.get(tool).matches("(.*/)?roce4j")) {
      return null;
    }
    List<String> arguments = words.subList(tool + 1, words.size());
    if (!arguments.isEmpty() && LAUNCHER_COMMANDS.contains(arguments.getFirst())) {
      return null;
    }
    try {
      CommandLine.ParseResult parsed = commandLine().parseArgs(arguments.toArray(String[]::new));
      boolean help = parsed.isUsageHelpRequested() || parsed.isVersionHelpRequested();
      return parsed.hasSubcommand() || help ? null : "no command";
    } catch (ParameterException e) {
      return e.getMessage();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"./roce4j nonsense", "./roce4j", "X=y ./roce4j nonsense", "roce4j --nonsense"})
  void wrongCommandsAreSeen(String command) {
    assertTrue(problemOf(List.of(command.split(" ", -1))) != null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"./roce4j --help", "./roce4j bench wire", "mvn --nonsense", "cd roce4j"})
  void rightCommandsAndThoseOfOthersPass(String command) {
    assertEquals(null, problemOf(List.of(command.split(" ", -1))));
  }

  /** decode is deterministic: what a page shows of it is made again and compared. */
  @Test
  void outputsOfDecodeAreWhatItPrints() {
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    for (Map.Entry<String, MarkdownPage> page : PAGES.entrySet()) {
      for (MarkdownPage.Session session : page.getValue().sessions()) {
        List<String> words = session.command().words();
        if (words.size() > 1 && words.get(1).equals("decode")) {
          compared++;
          String difference = difference(words.subList(1, words.size()), session.output());
          if (difference != null) {
            wrong.add(page.getKey() + ":" + session.command().line() + ": " + difference);
          }
        }
      }
    }
    assertEquals("", String.join("\n", wrong));
    assertTrue(compared >= 5, "only " + compared + " outputs compared");
  }

  private static String difference(List<String> words, List<String> shown) {
    // Pages name files from the root of the project, tests run in the folder of the module.
    String[] arguments =
        words.stream()
            .map(
                word ->
                    Files.isRegularFile(ROOT.resolve(word)) ? ROOT.resolve(word).toString() : word)
            .toArray(String[]::new);
    StringWriter text = new StringWriter();
    PrintWriter both = new PrintWriter(text, true);
    Roce4jCommand.commandLine(both, both).execute(arguments);
    List<String> printed = text.toString().replace(ROOT + "/", "").lines().toList();
    boolean cut = !shown.isEmpty() && shown.getLast().equals("...");
    List<String> expected = cut ? shown.subList(0, shown.size() - 1) : shown;
    for (int i = 0; i < Math.max(expected.size(), cut ? 0 : printed.size()); i++) {
      String want = i < expected.size() ? expected.get(i) : "the end";
      String have = i < printed.size() ? printed.get(i) : "the end";
      if (!want.equals(have)) {
        return "page: " + want + System.lineSeparator() + "  tool: " + have;
      }
    }
    return null;
  }

  /** The page of the requirements is made from the marks in the sources; see RequirementIndex. */
  @Test
  void everyRuleHasItsCodeAndItsTestAndThePageIsFresh() throws IOException {
    RequirementIndex index = RequirementIndex.read(ROOT);
    assertEquals("", String.join("\n", index.faults()));
    Path page = ROOT.resolve("docs/REQUIREMENTS.md");
    if (Boolean.getBoolean(WRITE_REQUIREMENTS)) {
      Files.writeString(page, index.page());
    }
    assertTrue(
        Files.exists(page) && Files.readString(page).equals(index.page()),
        "docs/REQUIREMENTS.md is stale: run this test with -D" + WRITE_REQUIREMENTS + "=true");
  }

  @Test
  void everyFaultAndCauseIsExplained() {
    Set<String> explained = Set.copyOf(PAGES.get("docs/DECODE.md").codeWords());
    List<String> missing = new ArrayList<>();
    for (int fault = 0; fault < WireFault.count(); fault++) {
      missing.add(WireFault.name(fault));
    }
    for (IcrcCause cause : IcrcCause.values()) {
      missing.add(cause.name());
    }
    missing.removeAll(explained);
    assertEquals(List.of(), missing);
  }

  static Stream<String> subcommands() {
    return Stream.concat(Stream.of(""), commandLine().getSubcommands().keySet().stream());
  }

  @ParameterizedTest
  @MethodSource("subcommands")
  void everyCommandHelps(String name) {
    StringWriter out = new StringWriter();
    CommandLine root =
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(new StringWriter()));
    String[] words = name.isEmpty() ? new String[] {"--help"} : new String[] {name, "--help"};
    assertEquals(0, root.execute(words));
    assertTrue(out.toString().contains("Usage: roce4j"), out::toString);
  }

  @Test
  void everyCommandIsShownOnSomePage() {
    List<String> unseen = new ArrayList<>(commandLine().getSubcommands().keySet());
    for (MarkdownPage page : PAGES.values()) {
      page.commands().forEach(c -> unseen.removeAll(c.words()));
    }
    assertEquals(List.of(), unseen);
  }

  @Test
  void everyJavaBlockIsInACompiledSample() {
    List<String> wrong = new ArrayList<>();
    PAGES.forEach(
        (path, page) -> {
          for (Block block : page.blocks()) {
            if (block.language().equals("java")
                && !samples.contains(withoutIndentation(block.text()))) {
              wrong.add(path + ":" + block.line());
            }
          }
        });
    assertEquals(List.of(), wrong);
  }

  private static String withoutIndentation(String text) {
    return text.replaceAll("(?m)^\\s+", "").strip();
  }

  @Test
  void everyClassThatTheArchitectureNamesExists() {
    List<String> wrong = new ArrayList<>();
    for (String word : PAGES.get("docs/ARCHITECTURE.md").codeWords()) {
      if (!word.matches("[A-Z][a-z]\\w*(\\.[a-z]\\w*)?")) {
        continue;
      }
      String[] parts = word.split("\\.", -1);
      String text = CLASSES.get(parts[0]);
      boolean member =
          parts.length == 1 || (text != null && text.matches("(?s).*\\b" + parts[1] + "\\b.*"));
      if (text == null || !member) {
        wrong.add(word);
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void everyLinkLeadsToAFile() {
    List<String> wrong = new ArrayList<>();
    PAGES.forEach(
        (path, page) -> {
          Path folder = ROOT.resolve(path).getParent();
          for (String link : page.links()) {
            String file = link.replaceFirst("#.*", "");
            if (!link.contains("://") && !file.isEmpty() && !Files.exists(folder.resolve(file))) {
              wrong.add(path + ": " + link);
            }
          }
        });
    assertEquals(List.of(), wrong);
  }

  @Test
  void blocksCommandsAndLinksAreFoundInAPage() {
    MarkdownPage page =
        new MarkdownPage(
            """
            Text with `Code` and a [link](a/b.md#c).
            ```sh
            # a comment
            ./roce4j soak --seed 7 | tee 'a file'  # why
            ```
            ```console
            $ A=b ./roce4j decode "x y" 2> z
            output
            ```
            """);
    assertEquals(List.of("a/b.md#c"), page.links());
    assertEquals(List.of("Code"), page.codeWords());
    assertEquals(
        List.of(
            new Command(4, List.of("./roce4j", "soak", "--seed", "7")),
            new Command(7, List.of("A=b", "./roce4j", "decode", "x y"))),
        page.commands());
  }
}
