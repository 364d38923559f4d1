// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Sends everything that leaves at one time of the endpoint, one duty cycle of its agent, over one
 * path, the less loaded of two; the next burst chooses anew. The receiver takes such a burst with
 * few system calls and answers it with one acknowledgement, where one train a path costs one each.
 */
final class OnePathABurst implements PathSelector {
  private final LeastLoadedOfTwo chooser = new LeastLoadedOfTwo();
  private int current = NONE;
  private long burstNs = Long.MIN_VALUE;

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    boolean stay =
        nowNs == burstNs
            && current != NONE
            && current != avoid
            && paths.isActive(current)
            && paths.hasRoom(current, packetBytes);
    int path = stay ? current : chooser.select(paths, nowNs, packetBytes, trainBytes, avoid);
    if (path != NONE) {
      current = path;
      burstNs = nowNs;
    }
    return path;
  }
}
