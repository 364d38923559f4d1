// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Paths in proportion to the rate each can carry, window over round trip time, in smooth weighted
 * round robin: every path collects its weight, the richest with room is taken and pays the sum.
 */
final class WeightedByRate implements PathSelector {
  private final double[] credit;

  WeightedByRate(int paths) {
    this.credit = new double[paths];
  }

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    int path = richest(paths, trainBytes, avoid);
    if (path == NONE && trainBytes > packetBytes) {
      path = richest(paths, packetBytes, avoid);
    }
    if (path == NONE && avoid != NONE) {
      path = richest(paths, packetBytes, NONE);
    }
    if (path != NONE) {
      pay(paths, path);
    }
    return path;
  }

  private int richest(PathView paths, int bytes, int avoid) {
    int best = NONE;
    double most = Double.NEGATIVE_INFINITY;
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int path = paths.activePath(i);
      double after = credit[path] + weight(paths, path);
      if (path != avoid && after > most && paths.hasRoom(path, bytes)) {
        best = path;
        most = after;
      }
    }
    return best;
  }

  private void pay(PathView paths, int chosen) {
    double sum = 0;
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int path = paths.activePath(i);
      double weight = weight(paths, path);
      // A path that stays without room must not save up for a burst.
      credit[path] = Math.min(credit[path] + weight, weight * active);
      sum += weight;
    }
    credit[chosen] -= sum;
  }

  private static double weight(PathView paths, int path) {
    long window = Math.min(paths.windowBytes(path), 1L << 40);
    return (double) window / paths.smoothedRttNs(path);
  }
}
