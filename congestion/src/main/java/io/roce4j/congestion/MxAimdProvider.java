// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Provider of {@code mx-aimd}: additive increase, multiplicative decrease per path and connection.
 */
public final class MxAimdProvider implements CongestionControllerProvider {

  /** For {@link java.util.ServiceLoader}. */
  public MxAimdProvider() {}

  @Override
  public String name() {
    return "mx-aimd";
  }

  @Override
  public String description() {
    return "AIMD windows per path and per connection, from ECN fractions and delay";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return MxParameters.AIMD;
  }

  /** Marks or delay, either will do; without both only timeouts would slow it down. */
  @Override
  public Set<CongestionSignal> missing(Set<CongestionSignal> visible) {
    return visible.contains(CongestionSignal.ECN) || visible.contains(CongestionSignal.RTT)
        ? Set.of()
        : Set.of(CongestionSignal.ECN, CongestionSignal.RTT);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new SinglePath(new MxAimd(settings, 1, 1));
  }

  @Override
  public MultipathController createMultipath(
      CongestionSettings settings, int paths, int planes, PathUse use) {
    return new MxAimd(settings, paths, planes);
  }
}
