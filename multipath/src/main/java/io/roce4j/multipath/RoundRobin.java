// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** One path after the other, whatever their state, as long as they have room. */
final class RoundRobin implements PathSelector {
  private int next;

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    int path = turn(paths, trainBytes, avoid);
    if (path == NONE && trainBytes > packetBytes) {
      path = turn(paths, packetBytes, avoid);
    }
    return path == NONE && avoid != NONE ? turn(paths, packetBytes, NONE) : path;
  }

  private int turn(PathView paths, int bytes, int avoid) {
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int at = (next + i) % active;
      int path = paths.activePath(at);
      if (path != avoid && paths.hasRoom(path, bytes)) {
        next = at + 1;
        return path;
      }
    }
    return NONE;
  }
}
