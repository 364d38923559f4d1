// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** The lowest-numbered active path only: the baseline without spraying. */
final class SinglePathOnly implements PathSelector {
  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    int lowest = NONE;
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int path = paths.activePath(i);
      if (lowest == NONE || path < lowest) {
        lowest = path;
      }
    }
    return lowest != NONE && paths.hasRoom(lowest, packetBytes) ? lowest : NONE;
  }
}
