// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/**
 * The registry: congestion controllers by name, found through {@link ServiceLoader}. Control path,
 * safe from any thread; providers are looked up anew at each call, so that a class loader given
 * later is honoured.
 */
public final class CongestionControllers {

  private CongestionControllers() {}

  /**
   * Makes a controller.
   *
   * @param name registry name, for instance {@code dcqcn}
   * @param settings link, packet size and parameters
   * @return a new controller
   * @throws IllegalArgumentException for an unknown controller, an unknown parameter or a value out
   *     of its limits; the message lists what there is
   */
  public static CongestionController create(String name, CongestionSettings settings) {
    return validated(name, settings).create(settings);
  }

  /**
   * Makes a controller for a connection over several paths.
   *
   * @param name registry name
   * @param settings the sender's whole link (the sum over its planes), packet size and parameters
   * @param paths greatest number of paths, 1 or more
   * @param planes number of planes, 1 or more
   * @param use how a one-path algorithm is used
   * @return a new controller with no path opened
   * @throws IllegalArgumentException as {@link #create}, or when there is no path or no plane
   */
  public static MultipathController createMultipath(
      String name, CongestionSettings settings, int paths, int planes, PathUse use) {
    if (paths < 1 || planes < 1) {
      throw new IllegalArgumentException(
          paths + " paths over " + planes + " planes: both must be 1 or more");
    }
    return validated(name, settings).createMultipath(settings, paths, planes, use);
  }

  /**
   * Checks name and parameters, those too that only together are wrong or go with the link: a least
   * rate above it, for instance.
   *
   * @param name registry name
   * @param settings link, packet size and parameters
   * @throws IllegalArgumentException as {@link #create}
   */
  public static void check(String name, CongestionSettings settings) {
    CongestionController discarded = create(name, settings);
    if (discarded == null) {
      throw new IllegalStateException("the provider of " + name + " makes no controller");
    }
  }

  /**
   * Checks name and parameters one by one without making a controller.
   *
   * @param name registry name
   * @param settings link, packet size and parameters
   * @return the provider
   * @throws IllegalArgumentException as {@link #create}
   */
  public static CongestionControllerProvider validated(String name, CongestionSettings settings) {
    CongestionControllerProvider provider = provider(name);
    List<CongestionParameter> parameters = provider.parameters();
    List<String> known = new ArrayList<>();
    for (CongestionParameter parameter : parameters) {
      known.add(parameter.name());
    }
    for (String given : settings.parameters().keySet()) {
      if (!known.contains(given)) {
        throw new IllegalArgumentException(
            "congestion controller "
                + name
                + " has no parameter '"
                + given
                + "'; it has: "
                + (known.isEmpty() ? "none" : String.join(", ", known)));
      }
    }
    for (CongestionParameter parameter : parameters) {
      settings.value(parameter);
    }
    return provider;
  }

  /**
   * Finds a provider.
   *
   * @param name registry name
   * @return the provider
   * @throws IllegalArgumentException when there is none of that name; the message lists all
   */
  public static CongestionControllerProvider provider(String name) {
    Map<String, CongestionControllerProvider> all = load();
    CongestionControllerProvider provider = all.get(name);
    if (provider == null) {
      throw new IllegalArgumentException(
          "no congestion controller '" + name + "'; there are: " + String.join(", ", all.keySet()));
    }
    return provider;
  }

  /**
   * The names that {@link #create} knows.
   *
   * @return all names, sorted
   */
  public static List<String> names() {
    return List.copyOf(load().keySet());
  }

  /**
   * What a controller needs and a port cannot show.
   *
   * @param name registry name
   * @param visible the signals the port and the peer provide
   * @return the needed signals that are missing; empty when the controller makes sense there
   */
  public static Set<CongestionSignal> missingSignals(String name, Set<CongestionSignal> visible) {
    return provider(name).missing(visible);
  }

  /**
   * Whether the two halves of ECN control fit: marks that nobody reacts to, or a reaction that no
   * mark can ever reach, is an open loop that shows only when queues overflow [FC-36].
   *
   * @param name registry name
   * @param dataEcnCapable true when data leaves as ECT(0) or ECT(1)
   * @return a warning for the start of a run, or an empty string when the halves fit
   */
  public static String openLoopWarning(String name, boolean dataEcnCapable) {
    boolean reacts = provider(name).needs().contains(CongestionSignal.ECN);
    if (reacts && !dataEcnCapable) {
      return "congestion controller "
          + name
          + " waits for ECN marks but data leaves Not-ECT, so no switch can mark it: send ECT(0) or"
          + " choose another controller";
    }
    if (!reacts && dataEcnCapable && name.equals("none")) {
      return "data leaves ECN-capable but congestion controller none ignores marks: switches mark"
          + " instead of dropping and nobody slows down";
    }
    return "";
  }

  private static Map<String, CongestionControllerProvider> load() {
    List<CongestionControllerProvider> found = new ArrayList<>();
    ServiceLoader.load(CongestionControllerProvider.class).forEach(found::add);
    boolean oursFound = false;
    for (CongestionControllerProvider provider : found) {
      oursFound |= provider instanceof NoneProvider;
    }
    if (!oursFound) {
      // The context class loader may not see this library (plug-in hosts); our own always does.
      ServiceLoader.load(
              CongestionControllerProvider.class, CongestionControllers.class.getClassLoader())
          .forEach(found::add);
    }
    Map<String, CongestionControllerProvider> byName = new TreeMap<>();
    for (CongestionControllerProvider provider : found) {
      CongestionControllerProvider other = byName.putIfAbsent(provider.name(), provider);
      if (other != null && other.getClass() != provider.getClass()) {
        throw new IllegalStateException(
            "two congestion controllers are named '"
                + provider.name()
                + "': "
                + other.getClass().getName()
                + " and "
                + provider.getClass().getName());
      }
    }
    return byName;
  }
}
