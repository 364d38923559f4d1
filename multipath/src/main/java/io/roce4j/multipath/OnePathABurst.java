// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.Sackh;

/**
 * Stays on one path, the less loaded of two, until it carried as many packets as one
 * acknowledgement describes, and then to the end of the burst, what leaves in one duty cycle of the
 * agent; the next burst draws anew. The receiver takes what comes over one path with few system
 * calls and answers it with one acknowledgement, where one train a path costs one each; and what
 * follows on the same path soon after a burst shows what its end lost, without a timer.
 */
final class OnePathABurst implements PathSelector {
  private static final int STAY_PACKETS = Sackh.VECTOR_BITS;

  private final LeastLoadedOfTwo chooser = new LeastLoadedOfTwo();
  private int current = NONE;
  private int packetsLeft;
  private long burstNs = Long.MIN_VALUE;

  @Override
  public int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid) {
    boolean stay =
        (packetsLeft > 0 || nowNs == burstNs)
            && current != NONE
            && current != avoid
            && paths.isActive(current)
            && paths.hasRoom(current, packetBytes);
    int path = stay ? current : chooser.select(paths, nowNs, packetBytes, trainBytes, avoid);
    if (path != NONE) {
      packetsLeft = stay ? packetsLeft : STAY_PACKETS;
      packetsLeft -= Math.max(1, trainBytes / packetBytes);
      current = path;
      burstNs = nowNs;
    }
    return path;
  }
}
