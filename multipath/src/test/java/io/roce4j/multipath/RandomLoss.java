// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import java.util.SplittableRandom;

/**
 * Constant delay; every packet of endpoint 0 is lost with some probability, acknowledgements too.
 */
class RandomLoss extends Weather {
  final SplittableRandom random;
  private final double data;
  private final double sacks;

  RandomLoss(long oneWayNs, long seed, double data, double sacks) {
    super(oneWayNs);
    this.random = new SplittableRandom(seed);
    this.data = data;
    this.sacks = sacks;
  }

  @Override
  int fate(Packet packet) {
    double p = packet.isNumbered() || packet.isProbe() ? data : packet.isSack() ? sacks : 0;
    return p > 0 && random.nextDouble() < p ? DROP : PASS;
  }
}
