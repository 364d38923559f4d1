// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

import java.util.ArrayList;
import java.util.List;

/**
 * What the checkers found wrong in a run: all are counted, the first few are kept in words. Written
 * by the one thread that checks; the count may be read by others.
 */
public final class Findings {
  private static final int KEPT = 20;

  private final List<String> first = new ArrayList<>();
  private volatile long count;

  /** Makes empty findings. */
  public Findings() {}

  /**
   * Adds a finding.
   *
   * @param finding one line: what was expected and what was seen
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  public void add(String finding) {
    if (first.size() < KEPT) {
      first.add(finding);
    }
    count++;
  }

  /**
   * Adds a finding that explains the others and so comes before them.
   *
   * @param finding one line: what was expected and what was seen
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
  public void addCause(String finding) {
    if (first.size() == KEPT) {
      first.removeLast();
    }
    first.addFirst(finding);
    count++;
  }

  /**
   * How many were found.
   *
   * @return 0 when all is well
   */
  public long count() {
    return count;
  }

  /**
   * The first findings.
   *
   * @return at most 20 lines, in the order in which they were found
   */
  public List<String> first() {
    return List.copyOf(first);
  }
}
