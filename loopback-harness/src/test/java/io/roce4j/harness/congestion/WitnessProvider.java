// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.CongestionControllerProvider;
import io.roce4j.congestion.CongestionControllers;
import io.roce4j.congestion.CongestionParameter;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.congestion.CongestionSignal;
import io.roce4j.congestion.MultipathController;
import io.roce4j.congestion.PathUse;
import java.util.List;
import java.util.Set;

/**
 * A registered algorithm under another name, whose controllers are {@link WitnessedController}s.
 */
abstract class WitnessProvider implements CongestionControllerProvider {
  private final String witnessed;

  WitnessProvider(String witnessed) {
    this.witnessed = witnessed;
  }

  private CongestionControllerProvider own() {
    return CongestionControllers.provider(witnessed);
  }

  @Override
  public String name() {
    return "witness-" + witnessed;
  }

  @Override
  public List<CongestionParameter> parameters() {
    return own().parameters();
  }

  @Override
  public Set<CongestionSignal> needs() {
    return own().needs();
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new WitnessedController(own().create(settings));
  }

  @Override
  public MultipathController createMultipath(
      CongestionSettings settings, int paths, int planes, PathUse use) {
    return WitnessedPaths.of(own().createMultipath(settings, paths, planes, use));
  }

  @Override
  public long notificationIntervalNs(CongestionSettings settings) {
    return own().notificationIntervalNs(settings);
  }

  /** Paper-style DCQCN. */
  public static final class OfDcqcn extends WitnessProvider {
    /** For {@link java.util.ServiceLoader}. */
    public OfDcqcn() {
      super("dcqcn");
    }
  }

  /** Patched TIMELY. */
  public static final class OfTimelyPatched extends WitnessProvider {
    /** For {@link java.util.ServiceLoader}. */
    public OfTimelyPatched() {
      super("timely-patched");
    }
  }

  /** Hints of the receiver over AIMD windows. */
  public static final class OfMxFair extends WitnessProvider {
    /** For {@link java.util.ServiceLoader}. */
    public OfMxFair() {
      super("mx-fair");
    }
  }
}
