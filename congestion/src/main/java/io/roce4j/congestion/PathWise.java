// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Path-wise use: each path has a controller of its own, made for its part of the link; the
 * connection is bounded by the sum over the active paths. Hints are connection matters and have no
 * effect here.
 */
public final class PathWise implements MultipathController {

  private final CongestionControllerProvider provider;
  private final CongestionSettings pathSettings;
  private final CongestionController[] controllers;
  private final boolean[] active;

  /**
   * One controller a path, made now so that no later event allocates.
   *
   * @param provider makes the controllers
   * @param settings settings of the whole link
   * @param paths number of paths, 1 or more
   */
  public PathWise(CongestionControllerProvider provider, CongestionSettings settings, int paths) {
    this.provider = provider;
    this.pathSettings = settings.withLink(settings.linkBitsPerSecond() / paths);
    this.controllers = new CongestionController[paths];
    this.active = new boolean[paths];
    for (int i = 0; i < paths; i++) {
      controllers[i] = provider.create(pathSettings);
    }
  }

  @Override
  public void onPathOpened(long nowNs, int path, int plane) {
    active[path] = true;
  }

  @Override
  public void onPathSuspended(long nowNs, int path) {
    active[path] = false;
  }

  @Override
  public void onPathRestored(long nowNs, int path) {
    active[path] = true;
    controllers[path].onIdle(nowNs);
  }

  /** Starts the path anew. Control path: makes a new controller. */
  @Override
  public void onPathRevived(long nowNs, int path) {
    controllers[path] = provider.create(pathSettings);
    active[path] = true;
  }

  /** Starts the path anew. Control path: makes a new controller. */
  @Override
  public void onPathMoved(long nowNs, int path) {
    controllers[path] = provider.create(pathSettings);
  }

  /** Ends the path. Control path: makes a new controller for a later path of that number. */
  @Override
  public void onPathClosed(long nowNs, int path) {
    active[path] = false;
    controllers[path] = provider.create(pathSettings);
  }

  @Override
  public void onSent(long nowNs, int path, long bytes, long pathInflightBytes, long inflightBytes) {
    controllers[path].onSent(nowNs, bytes, pathInflightBytes);
  }

  @Override
  public void onAck(
      long nowNs,
      int path,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long pathInflightBytes,
      long inflightBytes,
      boolean appLimited) {
    controllers[path].onAck(
        nowNs, ackedBytes, ackedPackets, cePackets, rttNs, minRttNs, pathInflightBytes, appLimited);
  }

  @Override
  public void onMark(long nowNs, int path, long packets) {
    controllers[path].onMark(nowNs, packets);
  }

  @Override
  public void onCnp(long nowNs, int path) {
    controllers[path].onCnp(nowNs);
  }

  @Override
  public void onLoss(
      long nowNs, int path, long lostBytes, long pathInflightBytes, long inflightBytes) {
    controllers[path].onLoss(nowNs, lostBytes, pathInflightBytes);
  }

  @Override
  public void onPto(long nowNs, int path) {
    controllers[path].onPto(nowNs);
  }

  @Override
  public void onTrim(long nowNs, int path, long bytes) {
    controllers[path].onTrim(nowNs, bytes);
  }

  @Override
  public void onHostDelay(long nowNs, int path, long hostDelayNs) {
    controllers[path].onHostDelay(nowNs, hostDelayNs);
  }

  @Override
  public void onPenalty(long nowNs, int level) {
    for (CongestionController controller : controllers) {
      controller.onPenalty(nowNs, level);
    }
  }

  @Override
  public void onIdle(long nowNs) {
    for (CongestionController controller : controllers) {
      controller.onIdle(nowNs);
    }
  }

  @Override
  public void onTimer(long nowNs) {
    for (CongestionController controller : controllers) {
      if (controller.nextDeadlineNs() <= nowNs) {
        controller.onTimer(nowNs);
      }
    }
  }

  @Override
  public long nextDeadlineNs() {
    long earliest = CongestionController.NO_DEADLINE;
    for (CongestionController controller : controllers) {
      earliest = Math.min(earliest, controller.nextDeadlineNs());
    }
    return earliest;
  }

  @Override
  public long windowBytes() {
    long sum = 0;
    for (int i = 0; i < controllers.length; i++) {
      if (active[i]) {
        sum = saturatedAdd(sum, controllers[i].windowBytes());
      }
    }
    return Math.max(1, sum);
  }

  @Override
  public long rateBitsPerSecond() {
    long sum = 0;
    for (int i = 0; i < controllers.length; i++) {
      if (active[i]) {
        sum = saturatedAdd(sum, controllers[i].rateBitsPerSecond());
      }
    }
    return Math.max(1, sum);
  }

  @Override
  public long pathWindowBytes(int path) {
    return controllers[path].windowBytes();
  }

  @Override
  public long pathRateBitsPerSecond(int path) {
    return controllers[path].rateBitsPerSecond();
  }

  @Override
  public long pathChangesWanted(int path) {
    return controllers[path].pathChangesWanted();
  }

  /**
   * The controller of one path, for counters and plots.
   *
   * @param path path number
   * @return its controller
   */
  public CongestionController controller(int path) {
    return controllers[path];
  }

  private static long saturatedAdd(long a, long b) {
    long sum = a + b;
    return sum < 0 ? CongestionController.UNLIMITED : sum;
  }
}
