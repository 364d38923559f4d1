// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.EnumSet;
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
   * What the algorithm needs and cannot see.
   *
   * @param visible the signals the port and the peer provide
   * @return the missing signals; empty when the algorithm makes sense there. By default all of
   *     {@link #needs} that are not visible; an algorithm that makes do with one of several
   *     overrides it
   */
  default Set<CongestionSignal> missing(Set<CongestionSignal> visible) {
    Set<CongestionSignal> missing = EnumSet.noneOf(CongestionSignal.class);
    missing.addAll(needs());
    missing.removeAll(visible);
    return missing;
  }

  /**
   * How often the receiver is to tell a sender of this algorithm of marked packets.
   *
   * @param settings link, packet size and parameters
   * @return least time between two congestion notification packets of a flow, ns, 0 or more: 0 asks
   *     for one with each marked packet
   */
  default long notificationIntervalNs(CongestionSettings settings) {
    return CnpGenerator.DEFAULT_INTERVAL_NS;
  }

  /**
   * Makes a controller in its start state.
   *
   * @param settings link, packet size and parameters
   * @return a new controller, owned by the caller's thread
   * @throws IllegalArgumentException when a parameter is out of its limits, naming value and limit
   */
  CongestionController create(CongestionSettings settings);

  /**
   * Makes a controller for a connection over several paths. The default serves every one-path
   * algorithm; an algorithm with a window for each path of its own overrides it.
   *
   * @param settings the sender's whole link (the sum over its planes), packet size and parameters
   * @param paths greatest number of paths, 1 or more
   * @param planes number of planes, 1 or more
   * @param use how a one-path algorithm is used; ignored by algorithms that know paths themselves
   * @return a new controller with no path opened
   * @throws IllegalArgumentException when a parameter is out of its limits, naming value and limit
   */
  default MultipathController createMultipath(
      CongestionSettings settings, int paths, int planes, PathUse use) {
    return use == PathUse.PATH_WISE
        ? new PathWise(this, settings, paths)
        : new ConnectionWise(create(settings));
  }
}
