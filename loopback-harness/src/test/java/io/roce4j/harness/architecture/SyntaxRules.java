// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.architecture;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.CompoundAssignmentTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.UnaryTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The rules that need to know what is code and what is text: the compiler parses the files and this
 * class walks the trees. Findings have the form of {@link TidyRules}.
 */
final class SyntaxRules {
  static final int MAX_METHOD_LINES = 70;

  private static final int MASK_24 = 0xFF_FFFF;
  private static final Pattern SEQUENCE_NUMBER = Pattern.compile("(.*P|.*M|p|m|cp)sn");
  private static final Set<Tree.Kind> STEPS =
      EnumSet.of(
          Tree.Kind.PREFIX_INCREMENT,
          Tree.Kind.POSTFIX_INCREMENT,
          Tree.Kind.PREFIX_DECREMENT,
          Tree.Kind.POSTFIX_DECREMENT);
  private static final Set<Tree.Kind> ORDERS =
      EnumSet.of(
          Tree.Kind.LESS_THAN,
          Tree.Kind.LESS_THAN_EQUAL,
          Tree.Kind.GREATER_THAN,
          Tree.Kind.GREATER_THAN_EQUAL);

  private SyntaxRules() {}

  /** Parses the files, path to text, and returns what breaks a rule. */
  static List<String> check(Map<String, String> files) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<JavaFileObject> sources = new ArrayList<>();
    files.forEach((path, text) -> sources.add(new TextFile(path, text)));
    List<String> findings = new ArrayList<>();
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null,
                null,
                problem -> findings.add("does not parse: " + problem),
                List.of("-proc:none"),
                null,
                sources);
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    for (CompilationUnitTree unit : task.parse()) {
      String path = unit.getSourceFile().toUri().getPath().substring(1);
      new Walk(path, unit, positions, findings).scan(unit, null);
    }
    return findings;
  }

  private static final class TextFile extends SimpleJavaFileObject {
    private final String text;

    TextFile(String path, String text) {
      super(URI.create("text:///" + path.replace(' ', '_')), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static final class Walk extends TreeScanner<Void, Void> {
    private final String path;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> findings;
    private final boolean main;
    private final boolean sequence;
    private final boolean bytes;

    Walk(String path, CompilationUnitTree unit, SourcePositions positions, List<String> findings) {
      this.path = path;
      this.unit = unit;
      this.positions = positions;
      this.findings = findings;
      main = path.contains("/src/main/");
      sequence = path.contains("/wire/sequence/");
      bytes = path.startsWith("wire/") || path.contains("/transport/port/");
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      if (method.getBody() != null) {
        long lines = lastLine(method.getBody()) - line(method.getBody()) + 1;
        if (lines > MAX_METHOD_LINES && (main || !isTable(method))) {
          report(
              method, method.getName() + " has " + lines + " lines: at most " + MAX_METHOD_LINES);
        }
      }
      return super.visitMethod(method, null);
    }

    /** A test's table of cases: one return, no logic that could be split. */
    private static boolean isTable(MethodTree method) {
      List<? extends StatementTree> statements = method.getBody().getStatements();
      return statements.size() == 1 && statements.getFirst() instanceof ReturnTree;
    }

    @Override
    public Void visitCatch(CatchTree caught, Void nothing) {
      if (main && caught.getBlock().getStatements().isEmpty()) {
        report(caught, "an exception caught and dropped: count it, return a code, or pass it on");
      }
      return super.visitCatch(caught, null);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void nothing) {
      String name = call.getMethodSelect().toString();
      if (name.endsWith(".printStackTrace") && !path.startsWith("loopback-harness/")) {
        report(call, "a stack trace printed by the library: throw, or count");
      }
      if (name.equals("Thread.sleep") && !main && !LIVE_TEST.matcher(path).matches()) {
        report(call, "a test that sleeps: drive the time by hand");
      }
      return super.visitMethodInvocation(call, null);
    }

    private static final Pattern LIVE_TEST =
        Pattern.compile("(loopback-harness|benchmarks|docs)/.*|.*/transport/port/.*");

    @Override
    public Void visitMemberSelect(MemberSelectTree select, Void nothing) {
      String name = select.toString();
      if (main
          && (name.equals("System.out") || name.equals("System.err"))
          && !path.startsWith("loopback-harness/")
          && !path.startsWith("benchmarks/")
          && !path.startsWith("docs/")) {
        report(select, "the library prints: return it, or count it");
      }
      return super.visitMemberSelect(select, null);
    }

    @Override
    public Void visitBinary(BinaryTree tree, Void nothing) {
      if (main && !sequence) {
        Tree.Kind kind = tree.getKind();
        ExpressionTree left = bare(tree.getLeftOperand());
        ExpressionTree right = bare(tree.getRightOperand());
        if ((kind == Tree.Kind.PLUS || kind == Tree.Kind.MINUS)
            && (isSequenceNumber(left) || isSequenceNumber(right))
            && !isText(left)
            && !isText(right)) {
          report(tree, "'" + tree + "': 24-bit arithmetic is Psn's and Msn's");
        }
        if (ORDERS.contains(kind) && isSequenceNumber(left) && isSequenceNumber(right)) {
          report(tree, "'" + tree + "': sequence numbers wrap, ask Psn.isBefore");
        }
        if (kind == Tree.Kind.AND && !bytes && (isMask24(left) || isMask24(right))) {
          report(tree, "'" + tree + "': 24-bit masks are for headers, Psn and Msn");
        }
      }
      return super.visitBinary(tree, null);
    }

    @Override
    public Void visitUnary(UnaryTree tree, Void nothing) {
      if (main && !sequence && STEPS.contains(tree.getKind())) {
        step(tree, tree.getExpression());
      }
      return super.visitUnary(tree, null);
    }

    @Override
    public Void visitCompoundAssignment(CompoundAssignmentTree tree, Void nothing) {
      boolean sum =
          tree.getKind() == Tree.Kind.PLUS_ASSIGNMENT
              || tree.getKind() == Tree.Kind.MINUS_ASSIGNMENT;
      if (main && !sequence && sum) {
        step(tree, tree.getVariable());
      }
      return super.visitCompoundAssignment(tree, null);
    }

    private void step(Tree tree, ExpressionTree variable) {
      if (isSequenceNumber(bare(variable))) {
        report(tree, "'" + tree + "': 24-bit arithmetic is Psn's and Msn's");
      }
    }

    private static boolean isSequenceNumber(ExpressionTree tree) {
      String name =
          switch (tree) {
            case IdentifierTree identifier -> identifier.getName().toString();
            case MemberSelectTree select -> select.getIdentifier().toString();
            case MethodInvocationTree call when call.getArguments().isEmpty() ->
                call.getMethodSelect().toString().replaceFirst(".*\\.", "");
            default -> "";
          };
      return SEQUENCE_NUMBER.matcher(name).matches();
    }

    /** A string literal, or a sum that holds one: then the plus joins text. */
    private static boolean isText(ExpressionTree tree) {
      return switch (tree) {
        case LiteralTree literal -> literal.getKind() == Tree.Kind.STRING_LITERAL;
        case BinaryTree sum ->
            sum.getKind() == Tree.Kind.PLUS
                && (isText(bare(sum.getLeftOperand())) || isText(bare(sum.getRightOperand())));
        case AssignmentTree assignment -> isText(bare(assignment.getExpression()));
        default -> false;
      };
    }

    private static boolean isMask24(ExpressionTree tree) {
      return tree instanceof LiteralTree literal
          && literal.getValue() instanceof Number number
          && number.longValue() == MASK_24;
    }

    private static ExpressionTree bare(ExpressionTree tree) {
      return tree instanceof ParenthesizedTree brackets ? bare(brackets.getExpression()) : tree;
    }

    private void report(Tree tree, String what) {
      findings.add(path + ":" + line(tree) + ": " + what);
    }

    private long line(Tree tree) {
      return unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
    }

    private long lastLine(Tree tree) {
      return unit.getLineMap().getLineNumber(positions.getEndPosition(unit, tree));
    }
  }
}
