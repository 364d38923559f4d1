// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.congestion.MultipathController;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** A controller of several paths as the engine drives it, with a record of its rates. */
final class WitnessedPaths {
  private static final ThreadLocal<List<WitnessedPaths>> MADE =
      ThreadLocal.withInitial(ArrayList::new);

  /**
   * What the controller answered after an event.
   *
   * @param event name of the event
   * @param nowNs when
   * @param rate bit/s
   * @param window bytes
   */
  record Moment(String event, long nowNs, long rate, long window) {}

  private final List<Moment> moments = new ArrayList<>();

  private WitnessedPaths() {}

  static MultipathController of(MultipathController own) {
    WitnessedPaths witness = new WitnessedPaths();
    MADE.get().add(witness);
    return (MultipathController)
        Proxy.newProxyInstance(
            MultipathController.class.getClassLoader(),
            new Class<?>[] {MultipathController.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(own, arguments);
                if (method.getName().startsWith("on") && arguments[0] instanceof Long nowNs) {
                  witness.moments.add(
                      new Moment(
                          method.getName(), nowNs, own.rateBitsPerSecond(), own.windowBytes()));
                }
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** The witnesses made on this thread since it asked last, in the order of their making. */
  static List<WitnessedPaths> takeAll() {
    List<WitnessedPaths> made = List.copyOf(MADE.get());
    MADE.get().clear();
    return made;
  }

  List<Moment> moments() {
    return moments;
  }

  /** When an event came first; the greatest time when it never did. */
  long firstNs(String event) {
    return moments.stream()
        .filter(moment -> moment.event().equals(event))
        .mapToLong(Moment::nowNs)
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  /** When an event came last, up to a time. */
  long lastNs(String event, long untilNs) {
    return moments.stream()
        .filter(moment -> moment.event().equals(event) && moment.nowNs() <= untilNs)
        .mapToLong(Moment::nowNs)
        .max()
        .orElseThrow();
  }

  /** The rate as of a time, bit/s. */
  long rateAt(long nowNs) {
    long rate = Long.MAX_VALUE;
    for (Moment moment : moments) {
      if (moment.nowNs() > nowNs) {
        break;
      }
      rate = moment.rate();
    }
    return rate;
  }
}
