// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Round robin that passes over paths with congestion marks in their last round trip or a standing
 * queue of more than half their least round trip time; when all have one, the path with the
 * shortest queue is taken.
 */
final class EcnDelayAware implements PathSelector {
  private int next;

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    int path = turn(paths, trainBytes, avoid);
    if (path == NONE && trainBytes > packetBytes) {
      path = turn(paths, packetBytes, avoid);
    }
    if (path == NONE) {
      path = shortestQueue(paths, packetBytes, avoid);
    }
    return path == NONE && avoid != NONE ? shortestQueue(paths, packetBytes, NONE) : path;
  }

  private int turn(PathView paths, int bytes, int avoid) {
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int at = (next + i) % active;
      int path = paths.activePath(at);
      if (path != avoid && isClear(paths, path) && paths.hasRoom(path, bytes)) {
        next = at + 1;
        return path;
      }
    }
    return NONE;
  }

  private static boolean isClear(PathView paths, int path) {
    long least = paths.minimumRttNs(path);
    return paths.markFraction(path) == 0
        && (least <= 0 || paths.smoothedRttNs(path) - least <= least / 2);
  }

  private static int shortestQueue(PathView paths, int bytes, int avoid) {
    int best = NONE;
    double least = Double.POSITIVE_INFINITY;
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int path = paths.activePath(i);
      double queue =
          (paths.smoothedRttNs(path) - paths.minimumRttNs(path)) * (1 + paths.markFraction(path));
      if (path != avoid && queue < least && paths.hasRoom(path, bytes)) {
        best = path;
        least = queue;
      }
    }
    return best;
  }
}
