// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.ControlTlv;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Tells the peer which paths of a send half changed their source port. Telemetry: nothing depends
 * on it, so it waits ten round trips between two messages and must not delay credit.
 */
final class MoveAnnouncer {
  private static final int ITEM = 5;
  private static final int PAUSE_RTTS = 10;

  private final PathSet paths;
  private final int[] announced;
  private int pending;
  private long nextNs = Long.MIN_VALUE;

  MoveAnnouncer(PathSet paths) {
    this.paths = paths;
    this.announced = new int[paths.count()];
  }

  /** A path moved. */
  void onMoved() {
    pending++;
  }

  /** When {@link #write} has something to say. */
  long deadlineNs() {
    return pending == 0 ? SendPath.NEVER : nextNs;
  }

  /**
   * Writes the moves the peer was not told of, the latest of each path.
   *
   * @param buffer gets the items
   * @param offset first byte
   * @param room items fit up to here
   * @param nowNs time of the endpoint, ns
   * @param roundTripNs of the connection
   * @return offset behind the items
   */
  int write(UnsafeBuffer buffer, int offset, int room, long nowNs, long roundTripNs) {
    int at = offset;
    if (nowNs < deadlineNs()) {
      return at;
    }
    nextNs = nowNs + PAUSE_RTTS * roundTripNs;
    pending = 0;
    for (int i = 0; i < paths.count(); i++) {
      SendPath path = paths.get(i);
      if (announced[i] == path.epoch) {
        continue;
      }
      if (room - at < ITEM) {
        pending++;
        continue;
      }
      announced[i] = path.epoch;
      at = ControlTlv.writePathMove(buffer, at, path.id, path.epoch, path.plane);
    }
    return at;
  }
}
