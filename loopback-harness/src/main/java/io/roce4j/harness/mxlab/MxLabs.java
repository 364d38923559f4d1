// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.mxlab;

import java.util.List;
import java.util.Optional;

/** The labs there are. */
public final class MxLabs {
  private static final List<MxLab> ALL =
      List.of(new LossLab(), new PermutationLab(), new PlanesLab(), new IncastLab());

  private MxLabs() {}

  /**
   * All labs.
   *
   * @return in the order of the list
   */
  public static List<MxLab> all() {
    return ALL;
  }

  /**
   * The names of all labs.
   *
   * @return in the order of the list
   */
  public static List<String> names() {
    return ALL.stream().map(MxLab::name).toList();
  }

  /**
   * A lab by name.
   *
   * @param name as users give it
   * @return empty when there is none
   */
  public static Optional<MxLab> find(String name) {
    for (MxLab lab : ALL) {
      if (lab.name().equals(name)) {
        return Optional.of(lab);
      }
    }
    return Optional.empty();
  }
}
