// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The traffic classes of a port, 0 to 7, and which DSCP goes into which. The number of a class is
 * its PFC priority as well. Immutable.
 */
public final class TrafficClasses {
  /** Classes of every port. */
  public static final int COUNT = 8;

  /** The class of RoCE data in {@link #roce()}: DSCP 24 and 26. */
  public static final int DATA = 3;

  /** The class of control packets in {@link #roce()}: DSCP 46. */
  public static final int CONTROL = 5;

  /** The class of congestion notifications in {@link #roce()}: DSCP 48. */
  public static final int CNP = 6;

  private static final int DSCPS = 64;
  private static final TrafficClasses ROCE =
      new TrafficClasses(unnamed(), new int[DSCPS])
          .with(0, TrafficClass.weighted("bestEffort", 1))
          .with(DATA, TrafficClass.weighted("data", 1))
          .with(CONTROL, TrafficClass.strict("control"))
          .with(CNP, TrafficClass.strict("cnp"))
          .mapping(24, DATA)
          .mapping(26, DATA)
          .mapping(46, CONTROL)
          .mapping(48, CNP);

  private final List<TrafficClass> classes;
  private final int[] classOfDscp;

  private TrafficClasses(List<TrafficClass> classes, int[] classOfDscp) {
    this.classes = List.copyOf(classes);
    this.classOfDscp = classOfDscp;
  }

  private static List<TrafficClass> unnamed() {
    List<TrafficClass> list = new ArrayList<>();
    for (int number = 0; number < COUNT; number++) {
      list.add(TrafficClass.weighted("class" + number, 1));
    }
    return list;
  }

  /**
   * The usual map: DSCP 24 and 26 are data (class 3), 48 is CNP (class 6, strict), 46 is control
   * (class 5, strict), everything else is best effort (class 0).
   *
   * @return the default classes
   */
  public static TrafficClasses roce() {
    return ROCE;
  }

  /**
   * This with another class.
   *
   * @param number 0 to 7
   * @param value how it is served
   * @return the changed copy
   */
  public TrafficClasses with(int number, TrafficClass value) {
    Limits.check("class", number, 0, COUNT - 1L);
    List<TrafficClass> changed = new ArrayList<>(classes);
    changed.set(number, value);
    return new TrafficClasses(changed, classOfDscp);
  }

  /**
   * This with another place for a DSCP.
   *
   * @param dscp 0 to 63
   * @param number class, 0 to 7
   * @return the changed copy
   */
  public TrafficClasses mapping(int dscp, int number) {
    Limits.check("dscp", dscp, 0, DSCPS - 1L);
    Limits.check("class", number, 0, COUNT - 1L);
    int[] map = Arrays.copyOf(classOfDscp, DSCPS);
    map[dscp] = number;
    return new TrafficClasses(classes, map);
  }

  /**
   * The class of a packet.
   *
   * @param tos its TOS or traffic class byte, 0 to 255
   * @return 0 to 7
   */
  public int classOf(int tos) {
    return classOfDscp[(tos >>> 2) & (DSCPS - 1)];
  }

  /**
   * A class.
   *
   * @param number 0 to 7
   * @return how it is served
   */
  public TrafficClass get(int number) {
    return classes.get(number);
  }

  /**
   * The classes under PFC.
   *
   * @return bit for each class
   */
  public int losslessMask() {
    int mask = 0;
    for (int number = 0; number < COUNT; number++) {
      mask |= classes.get(number).lossless() ? 1 << number : 0;
    }
    return mask;
  }
}
