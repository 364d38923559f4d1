// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** Makes path selectors of one kind; found through {@code ServiceLoader}. Control path. */
public interface PathSelectorProvider {
  /**
   * The name users ask for.
   *
   * @return lower case with hyphens
   */
  String name();

  /**
   * What it does, in a line.
   *
   * @return a phrase
   */
  String description();

  /**
   * Makes a selector for one send half.
   *
   * @param paths largest number of paths
   * @return a new selector
   */
  PathSelector create(int paths);
}
