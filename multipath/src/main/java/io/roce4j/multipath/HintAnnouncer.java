// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.FairShareHint;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Tells a sender of a changed share when no acknowledgement will: two round trips after the last
 * one, if the share has another generation by then. While acknowledgements flow they carry it.
 */
final class HintAnnouncer {
  private static final int ITEM = 6;

  private final InboundShare share;
  private final ReceivePath[] paths;
  private final int[] carried;
  private final boolean[] everCarried;
  private long checkNs = SendPath.NEVER;

  /**
   * An announcer for one receive half.
   *
   * @param share what the receiving port grants, or null without hints
   * @param planes planes agreed on
   * @param paths of the half
   */
  HintAnnouncer(InboundShare share, int planes, ReceivePath[] paths) {
    this.share = share;
    this.paths = paths;
    this.carried = new int[planes];
    this.everCarried = new boolean[planes];
  }

  /** An acknowledgement carried the share of a plane. */
  void onCarried(int plane, int generation, long nowNs, long roundTripNs) {
    if (share != null) {
      carried[plane] = generation;
      everCarried[plane] = true;
      checkNs = nowNs + 2 * roundTripNs;
    }
  }

  /** When {@link #write} has something to look at. */
  long deadlineNs() {
    return checkNs;
  }

  /**
   * Writes what the sender does not know.
   *
   * @param buffer gets the items
   * @param offset first byte
   * @param room items fit up to here
   * @param nowNs time of the endpoint, ns
   * @return offset behind the items
   */
  int write(UnsafeBuffer buffer, int offset, int room, long nowNs) {
    int at = offset;
    if (nowNs < checkNs) {
      return at;
    }
    checkNs = SendPath.NEVER;
    for (int plane = 0; plane < carried.length && room - at >= ITEM; plane++) {
      if (!everCarried[plane]) {
        continue;
      }
      int hint = share.hint(plane, nowNs);
      int generation = share.generation(plane);
      if (generation != carried[plane] && hint != FairShareHint.NONE) {
        carried[plane] = generation;
        at = ControlTlv.writeHintUpdate(buffer, at, pathOf(plane), hint, generation);
      }
    }
    return at;
  }

  private int pathOf(int plane) {
    for (ReceivePath path : paths) {
      if (path.plane == plane) {
        return path.id;
      }
    }
    throw new IllegalStateException("plane " + plane + " has no path");
  }
}
