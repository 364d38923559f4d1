// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds the marks {@code [rc 12-4]}, {@code [rc 20-1..12]} and {@code [FC-17]} in sources, and the
 * class or method each belongs to: the one around it, or the next one when it stands in front.
 */
final class RequirementMarks {

  /** A mark may be broken over two lines of a comment. */
  private static final Pattern MARK =
      Pattern.compile("\\[(?:rc(?:\\s|\\*|//)+([^\\]\\s]+(?: windows)?)|FC-(\\d+))\\]");

  private static final Pattern RANGE = Pattern.compile("(.*-)(\\d+)\\.\\.(\\d+)");

  /**
   * One mark of one number.
   *
   * @param id for example {@code 12-4}, {@code Q13} or {@code FC-17}
   * @param place class, or class and member
   * @param inTestMethod whether the place is a method that JUnit runs
   */
  record Mark(String id, String place, boolean inTestMethod) {}

  private record Member(long start, long end, String name, boolean test) {}

  private RequirementMarks() {}

  /** All marks of some files, in their order. */
  static List<Mark> of(Collection<Path> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<Mark> marks = new ArrayList<>();
    try (StandardJavaFileManager manager =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  problem -> {
                    throw new IllegalStateException("does not parse: " + problem);
                  },
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        Members members = new Members(unit, positions);
        members.scan(unit, null);
        addMarks(unit.getSourceFile().getCharContent(true).toString(), members.found, marks);
      }
    }
    return marks;
  }

  private static void addMarks(String text, List<Member> members, List<Mark> marks) {
    Matcher matcher = MARK.matcher(text);
    while (matcher.find()) {
      Member owner = owner(members, text, matcher.start());
      for (String id : ids(matcher)) {
        marks.add(new Mark(id, owner.name(), owner.test()));
      }
    }
  }

  private static List<String> ids(Matcher mark) {
    if (mark.group(2) != null) {
      return List.of("FC-" + mark.group(2));
    }
    Matcher range = RANGE.matcher(mark.group(1));
    if (!range.matches()) {
      return List.of(mark.group(1));
    }
    List<String> ids = new ArrayList<>();
    for (int i = Integer.parseInt(range.group(2)); i <= Integer.parseInt(range.group(3)); i++) {
      ids.add(range.group(1) + i);
    }
    return ids;
  }

  /** The innermost method around a place; else the member that ends on its line, or the next. */
  private static Member owner(List<Member> members, String text, int at) {
    Member around = null;
    Member next = null;
    Member sameLine = null;
    int line = text.lastIndexOf('\n', at);
    for (Member member : members) {
      if (member.start() <= at && at < member.end()) {
        around = member;
      } else if (member.start() > at && (next == null || member.start() < next.start())) {
        next = member;
      } else if (member.end() > line && member.end() <= at) {
        sameLine = member;
      }
    }
    boolean inClassBody = around != null && !around.name().contains(".");
    if (around != null && !inClassBody) {
      return around;
    }
    if (sameLine != null) {
      return sameLine;
    }
    // In a class body, but not behind its last member: the next member is meant.
    if (next != null && (around == null || next.start() < around.end())) {
      return next;
    }
    if (around == null) {
      throw new IllegalStateException("a mark behind the end of all classes");
    }
    return around;
  }

  private static final class Members extends TreeScanner<Void, String> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<Member> found = new ArrayList<>();

    Members(CompilationUnitTree unit, SourcePositions positions) {
      this.unit = unit;
      this.positions = positions;
    }

    private void add(Tree tree, String name, boolean test) {
      long start = positions.getStartPosition(unit, tree);
      found.add(new Member(start, positions.getEndPosition(unit, tree), name, test));
    }

    @Override
    public Void visitClass(ClassTree tree, String outer) {
      String name = tree.getSimpleName().toString();
      if (name.isEmpty()) {
        return super.visitClass(tree, outer);
      }
      add(tree, name, false);
      for (Tree member : tree.getMembers()) {
        if (member instanceof MethodTree method) {
          boolean constructor = method.getName().contentEquals("<init>");
          add(method, name + "." + (constructor ? "new" : method.getName()), isTest(method));
        } else if (member instanceof VariableTree variable) {
          add(variable, name + "." + variable.getName(), false);
        }
      }
      return super.visitClass(tree, name);
    }

    private static boolean isTest(MethodTree method) {
      return method.getModifiers().getAnnotations().stream()
          .anyMatch(a -> a.getAnnotationType().toString().matches("\\w*Test|FuzzTest"));
    }
  }
}
