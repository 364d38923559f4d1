// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The parts of a Markdown page that the tests check: code blocks, commands in them, links. */
final class MarkdownPage {
  /**
   * A fenced block.
   *
   * @param line where its fence stands, from 1
   * @param language the word behind the fence, or empty
   * @param text what is inside
   */
  record Block(int line, String language, String text) {}

  /**
   * A command that a block shows.
   *
   * @param line of the page, from 1
   * @param words the program and its arguments
   */
  record Command(int line, List<String> words) {}

  private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  private final List<Block> blocks = new ArrayList<>();
  private final StringBuilder prose = new StringBuilder();

  MarkdownPage(String text) {
    String language = null;
    int began = 0;
    StringBuilder block = new StringBuilder();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String stripped = line.strip();
      if (stripped.startsWith("```")) {
        if (language == null) {
          language = stripped.substring(3).strip();
          began = number;
        } else {
          blocks.add(new Block(began, language, block.toString()));
          block.setLength(0);
          language = null;
        }
      } else if (language != null) {
        block.append(line).append('\n');
      } else {
        prose.append(line).append('\n');
      }
    }
    if (language != null) {
      throw new IllegalArgumentException("the block of line " + began + " has no end");
    }
  }

  List<Block> blocks() {
    return blocks;
  }

  /** Targets of links in the prose. */
  List<String> links() {
    return find(LINK);
  }

  /** What stands between backquotes in the prose. */
  List<String> codeWords() {
    return find(CODE);
  }

  private List<String> find(Pattern pattern) {
    List<String> found = new ArrayList<>();
    Matcher matcher = pattern.matcher(prose);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  /**
   * A command after a prompt and the lines below it.
   *
   * @param command the command
   * @param output the lines up to the next prompt or the end of the block
   */
  record Session(Command command, List<String> output) {}

  /** Commands of {@code console} blocks with what the page says they print. */
  List<Session> sessions() {
    List<Session> sessions = new ArrayList<>();
    for (Block block : blocks) {
      if (!block.language().equals("console")) {
        continue;
      }
      int number = block.line();
      List<String> output = null;
      for (String line : block.text().lines().toList()) {
        number++;
        if (line.startsWith("$ ")) {
          List<Command> one = new ArrayList<>();
          add(one, number, line.substring(2));
          output = new ArrayList<>();
          sessions.add(new Session(one.getFirst(), output));
        } else if (output != null) {
          output.add(line);
        }
      }
    }
    return sessions;
  }

  /**
   * Commands: every line of a {@code sh} block, lines after a prompt of a {@code console} block.
   */
  List<Command> commands() {
    List<Command> commands = new ArrayList<>();
    for (Block block : blocks) {
      int number = block.line();
      for (String line : block.text().lines().toList()) {
        number++;
        if (block.language().equals("console") && line.startsWith("$ ")) {
          add(commands, number, line.substring(2));
        } else if (block.language().equals("sh")) {
          add(commands, number, line);
        }
      }
    }
    return commands;
  }

  private static void add(List<Command> commands, int number, String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      String bare = matcher.group(3);
      if (bare != null && (bare.startsWith("#") || bare.matches("[|>&;].*|2>.*"))) {
        break;
      }
      words.add(bare != null ? bare : matcher.group(matcher.group(1) != null ? 1 : 2));
    }
    if (!words.isEmpty()) {
      commands.add(new Command(number, List.copyOf(words)));
    }
  }
}
