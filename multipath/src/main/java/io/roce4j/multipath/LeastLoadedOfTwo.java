// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * The less loaded of two paths drawn at random: nearly as good as the best of all, and without the
 * herd that follows when every connection picks the one best path. Load is the time the packet
 * would need, {@code (inflight + bytes) / window * srtt}; a path that loses more than 5% goes
 * behind one that does not.
 */
final class LeastLoadedOfTwo implements PathSelector {
  private static final int DRAWS = 6;
  private static final double LOSSY = 0.05;

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    int active = paths.activeCount();
    if (active == 0) {
      return NONE;
    }
    int path = draw(paths, active, trainBytes, avoid);
    if (path == NONE && trainBytes > packetBytes) {
      path = draw(paths, active, packetBytes, avoid);
    }
    if (path == NONE
        && avoid != NONE
        && paths.isActive(avoid)
        && paths.hasRoom(avoid, packetBytes)) {
      path = avoid;
    }
    return path;
  }

  private static int draw(PathView paths, int active, int bytes, int avoid) {
    int first = NONE;
    for (int i = 0; i < DRAWS && active > 3; i++) {
      int path = paths.activePath(paths.random(active));
      if (path != first && path != avoid && paths.hasRoom(path, bytes)) {
        if (first != NONE) {
          return better(paths, first, path, bytes);
        }
        first = path;
      }
    }
    int start = active == 1 ? 0 : paths.random(active);
    for (int i = 0; i < active; i++) {
      int at = start + i;
      int path = paths.activePath(at < active ? at : at - active);
      if (path != first && path != avoid && paths.hasRoom(path, bytes)) {
        if (first != NONE) {
          return better(paths, first, path, bytes);
        }
        first = path;
      }
    }
    return first;
  }

  private static int better(PathView paths, int a, int b, int bytes) {
    boolean lossyA = paths.lossFraction(a) > LOSSY;
    boolean lossyB = paths.lossFraction(b) > LOSSY;
    if (lossyA != lossyB) {
      return lossyA ? b : a;
    }
    return load(paths, a, bytes) <= load(paths, b, bytes) ? a : b;
  }

  private static double load(PathView paths, int path, int bytes) {
    double share = (double) (paths.inflightBytes(path) + bytes) / paths.windowBytes(path);
    return share * paths.smoothedRttNs(path);
  }
}
