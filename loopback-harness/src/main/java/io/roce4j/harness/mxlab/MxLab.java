// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import java.util.List;
import java.util.function.Consumer;

/** One lab: a set of cases with what they must reach. */
public interface MxLab {
  /**
   * Its name on the command line.
   *
   * @return such as {@code mx-loss}
   */
  String name();

  /**
   * What it shows.
   *
   * @return one sentence
   */
  String about();

  /**
   * The topology and settings all cases share.
   *
   * @return one line
   */
  String setting();

  /**
   * Runs all cases.
   *
   * @param size how large
   * @param done is told of each case as it is finished
   * @return the cases, in the order of the table
   */
  List<LabCase> run(LabSize size, Consumer<LabCase> done);
}
