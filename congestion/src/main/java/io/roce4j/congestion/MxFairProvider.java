// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/** Provider of {@code mx-fair}: {@code mx-aimd} steered by the receiver's fair-share hints. */
public final class MxFairProvider implements CongestionControllerProvider {

  /** For {@link java.util.ServiceLoader}. */
  public MxFairProvider() {}

  @Override
  public String name() {
    return "mx-fair";
  }

  @Override
  public String description() {
    return "receiver fair-share hints over AIMD windows per path and per connection";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return MxParameters.FAIR;
  }

  @Override
  public Set<CongestionSignal> needs() {
    return Set.of(CongestionSignal.HINT);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new SinglePath(new MxFair(settings, 1, 1));
  }

  @Override
  public MultipathController createMultipath(
      CongestionSettings settings, int paths, int planes, PathUse use) {
    return new MxFair(settings, paths, planes);
  }
}
