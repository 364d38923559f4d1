// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.Timeline;

/** Which classes of a port the peer has paused, until when, how often and how long. */
final class PauseState {
  private static final int CLASSES = TrafficClasses.COUNT;

  private final long[] untilPs = new long[CLASSES];
  private final long[] sincePs = new long[CLASSES];
  private final long[] lastSeenPs = new long[CLASSES];
  private final long[] pausedPs = new long[CLASSES];
  private final int[] depths = new int[CLASSES];
  private int mask;
  private int maxDepth;
  private long frames;

  /** A pause frame has come for a class. */
  void pause(int trafficClass, long nowPs, long newUntilPs, int depth) {
    frames++;
    if (!isPaused(trafficClass, nowPs)) {
      sincePs[trafficClass] = nowPs;
    }
    mask |= 1 << trafficClass;
    untilPs[trafficClass] = newUntilPs;
    lastSeenPs[trafficClass] = nowPs;
    depths[trafficClass] = depth;
    maxDepth = Math.max(maxDepth, depth);
  }

  /** A frame that says go on has come for a class. */
  void resume(int trafficClass, long nowPs) {
    frames++;
    if (isPaused(trafficClass, nowPs)) {
      end(trafficClass, nowPs);
    }
  }

  private void end(int trafficClass, long atPs) {
    mask &= ~(1 << trafficClass);
    pausedPs[trafficClass] += atPs - sincePs[trafficClass];
    depths[trafficClass] = 0;
  }

  /** Forgets all pauses: the cable has gone down. */
  void clear(long nowPs) {
    for (int rest = pausedNow(nowPs); rest != 0; rest &= rest - 1) {
      end(Integer.numberOfTrailingZeros(rest), nowPs);
    }
  }

  /** Classes that are paused now; those whose time is over are no longer. */
  int pausedNow(long nowPs) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      int trafficClass = Integer.numberOfTrailingZeros(rest);
      if (untilPs[trafficClass] <= nowPs) {
        end(trafficClass, untilPs[trafficClass]);
      }
    }
    return mask;
  }

  boolean isPaused(int trafficClass, long nowPs) {
    return (pausedNow(nowPs) >>> trafficClass & 1) != 0;
  }

  /** When the first of some paused classes goes on by itself. */
  long nextEndPs(int classes) {
    long next = Timeline.NEVER;
    for (int rest = mask & classes; rest != 0; rest &= rest - 1) {
      next = Math.min(next, untilPs[Integer.numberOfTrailingZeros(rest)]);
    }
    return next;
  }

  long sincePs(int trafficClass) {
    return sincePs[trafficClass];
  }

  long lastSeenPs(int trafficClass) {
    return lastSeenPs[trafficClass];
  }

  int depth(int trafficClass, long nowPs) {
    return isPaused(trafficClass, nowPs) ? depths[trafficClass] : 0;
  }

  int maxDepth() {
    return maxDepth;
  }

  long frames() {
    return frames;
  }

  long pausedPs(int trafficClass, long nowPs) {
    long running = isPaused(trafficClass, nowPs) ? nowPs - sincePs[trafficClass] : 0;
    return pausedPs[trafficClass] + running;
  }
}
