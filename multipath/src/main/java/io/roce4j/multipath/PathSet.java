// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.MultipathController;

/** The paths of one send half and which of them carry data. What selectors see of them, too. */
final class PathSet implements PathView {
  private final SendPath[] all;
  private final int[] active;
  private final MultipathController congestion;
  private final PathDice dice;
  private final int span;
  private int activeCount;
  private long nowNs;

  /**
   * Paths, all active.
   *
   * @param all the paths by id
   * @param congestion whose windows bound them
   * @param dice the connection's generator
   * @param span most transmissions from the oldest live to the next
   */
  PathSet(SendPath[] all, MultipathController congestion, PathDice dice, int span) {
    this.all = all;
    this.active = new int[all.length];
    this.congestion = congestion;
    this.dice = dice;
    this.span = span;
    refresh();
  }

  /** Time for pacing questions; set at the start of each transmission. */
  void now(long nowNs) {
    this.nowNs = nowNs;
  }

  /** Rebuilds the list of active paths after a state changed. */
  void refresh() {
    activeCount = 0;
    for (SendPath path : all) {
      if (path.isActive()) {
        active[activeCount++] = path.id;
      }
    }
  }

  int count() {
    return all.length;
  }

  SendPath get(int path) {
    return all[path];
  }

  @Override
  public int activeCount() {
    return activeCount;
  }

  @Override
  public int activePath(int index) {
    return active[index];
  }

  @Override
  public boolean isActive(int path) {
    return all[path].isActive();
  }

  @Override
  public boolean hasRoom(int path, int bytes) {
    SendPath p = all[path];
    if (Serial.distance32(p.ring.oldestLive(), p.ring.next()) > span) {
      return false;
    }
    long rate = congestion.pathRateBitsPerSecond(path);
    if (rate != CongestionController.UNLIMITED) {
      p.pacer.rate(nowNs, rate);
      if (p.pacer.earliestNs(nowNs, bytes) > nowNs) {
        return false;
      }
    }
    long inflight = p.ring.liveBytes();
    return inflight == 0 || inflight + bytes <= congestion.pathWindowBytes(path);
  }

  /** When the pacer of some active path lets a packet go, if only that holds it back. */
  long earliestPacedNs(int bytes) {
    long earliest = SendPath.NEVER;
    for (int i = 0; i < activeCount; i++) {
      SendPath p = all[active[i]];
      if (congestion.pathRateBitsPerSecond(p.id) != CongestionController.UNLIMITED) {
        earliest = Math.min(earliest, p.pacer.earliestNs(nowNs, bytes));
      }
    }
    return earliest;
  }

  @Override
  public long inflightBytes(int path) {
    return all[path].ring.liveBytes();
  }

  @Override
  public long windowBytes(int path) {
    return congestion.pathWindowBytes(path);
  }

  @Override
  public long smoothedRttNs(int path) {
    return all[path].rtt.smoothedNs();
  }

  @Override
  public long minimumRttNs(int path) {
    return all[path].rtt.minimumNs();
  }

  @Override
  public double markFraction(int path) {
    return all[path].markFraction;
  }

  @Override
  public double lossFraction(int path) {
    return Math.max(congestion.pathLossFraction(path), all[path].lossFraction());
  }

  @Override
  public int random(int bound) {
    return dice.below(bound);
  }

  /**
   * A suspect path with nothing in flight, for when no path is active: a path that is kept carries
   * one packet at a time.
   *
   * @return path number or {@link PathSelector#NONE}
   */
  int lastResort() {
    int start = dice.below(all.length);
    for (int i = 0; i < all.length; i++) {
      SendPath p = all[(start + i) % all.length];
      if (p.state == PathState.SUSPECT && p.ring.liveCount() == 0) {
        return p.id;
      }
    }
    return PathSelector.NONE;
  }
}
