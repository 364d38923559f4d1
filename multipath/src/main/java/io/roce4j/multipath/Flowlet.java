// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Stays on one path while packets follow each other closely, and chooses anew after a pause of half
 * a round trip or when the path is full: reordering between paths then cannot happen inside a
 * burst.
 */
final class Flowlet implements PathSelector {
  private final LeastLoadedOfTwo chooser = new LeastLoadedOfTwo();
  private int current = NONE;
  private long lastNs;

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    boolean stay =
        current != NONE
            && current != avoid
            && paths.isActive(current)
            && nowNs - lastNs < paths.smoothedRttNs(current) / 2
            && paths.hasRoom(current, packetBytes);
    int path = stay ? current : chooser.select(paths, nowNs, packetBytes, trainBytes, avoid);
    if (path != NONE) {
      current = path;
      lastNs = nowNs;
    }
    return path;
  }
}
