// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Makes controllers of one algorithm. To add an algorithm, implement this with a public no-argument
 * constructor and name the class in {@code
 * META-INF/services/io.roce4j.congestion.CongestionControllerProvider}; every tool then finds it by
 * {@link #name()}. Control path: may allocate and throw.
 */
public interface CongestionControllerProvider {

  /**
   * The name users select the algorithm by.
   *
   * @return lower case letters, digits and dashes, unique among all providers
   */
  String name();

  /**
   * One line for listings.
   *
   * @return what the algorithm is and where it is described
   */
  default String description() {
    return name();
  }

  /**
   * The named parameters a user may set. {@link CongestionControllers#create} refuses any other.
   *
   * @return all parameters, in the order of the documentation
   */
  default List<CongestionParameter> parameters() {
    return List.of();
  }

  /**
   * The signals without which the algorithm has no effect.
   *
   * @return the signals that must be seen; empty when it needs none
   */
  default Set<CongestionSignal> needs() {
    return Set.of();
  }

  /**
   * Makes a controller in its start state.
   *
   * @param settings link, packet size and parameters
   * @return a new controller, owned by the caller's thread
   * @throws IllegalArgumentException when a parameter is out of its limits, naming value and limit
   */
  CongestionController create(CongestionSettings settings);
}
