// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/** Provider of {@code none}: no congestion control at all. */
public final class NoneProvider implements CongestionControllerProvider {

  /** For {@link java.util.ServiceLoader}. */
  public NoneProvider() {}

  @Override
  public String name() {
    return "none";
  }

  @Override
  public String description() {
    return "no congestion control: no window, no pacing";
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new FixedController(CongestionController.UNLIMITED, CongestionController.UNLIMITED);
  }
}
