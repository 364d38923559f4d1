// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * As least-of-two for new data, but retransmissions take the active path with the smallest round
 * trip time that has room: the sooner a hole is filled, the sooner a stream moves on.
 */
final class FastestRetransmission implements PathSelector {
  private final LeastLoadedOfTwo chooser = new LeastLoadedOfTwo();

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    return chooser.select(paths, nowNs, packetBytes, trainBytes, avoid);
  }

  @Override
  public int selectForRetransmission(
      PathView paths,
      long nowNs,
      int packetBytes,
      int trainBytes,
      int lastPath,
      boolean loneLoss,
      boolean sameBefore) {
    int best = NONE;
    int active = paths.activeCount();
    for (int i = 0; i < active; i++) {
      int path = paths.activePath(i);
      boolean repeated = sameBefore && path == lastPath && active > 1;
      if (!repeated
          && paths.hasRoom(path, packetBytes)
          && (best == NONE || paths.smoothedRttNs(path) < paths.smoothedRttNs(best))) {
        best = path;
      }
    }
    return best;
  }
}
