// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Connection-wise use: one controller hears the events of all paths and bounds the connection; the
 * single path is not bounded. A path's own minimum accompanies each sample, so that paths of
 * different length do not look like queues to a controller that uses it.
 */
public final class ConnectionWise implements MultipathController {

  private final CongestionController controller;

  /**
   * Uses a controller for a whole connection.
   *
   * @param controller made for the whole link
   */
  public ConnectionWise(CongestionController controller) {
    this.controller = controller;
  }

  @Override
  public void onPathOpened(long nowNs, int path, int plane) {}

  @Override
  public void onPathSuspended(long nowNs, int path) {}

  @Override
  public void onPathRestored(long nowNs, int path) {}

  @Override
  public void onPathRevived(long nowNs, int path) {}

  @Override
  public void onPathMoved(long nowNs, int path) {}

  @Override
  public void onPathClosed(long nowNs, int path) {}

  @Override
  public void onSent(long nowNs, int path, long bytes, long pathInflightBytes, long inflightBytes) {
    controller.onSent(nowNs, bytes, inflightBytes);
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
    controller.onAck(
        nowNs, ackedBytes, ackedPackets, cePackets, rttNs, minRttNs, inflightBytes, appLimited);
  }

  @Override
  public void onMark(long nowNs, int path, long packets) {
    controller.onMark(nowNs, packets);
  }

  @Override
  public void onCnp(long nowNs, int path) {
    controller.onCnp(nowNs);
  }

  @Override
  public void onLoss(
      long nowNs, int path, long lostBytes, long pathInflightBytes, long inflightBytes) {
    controller.onLoss(nowNs, lostBytes, inflightBytes);
  }

  @Override
  public void onPto(long nowNs, int path) {
    controller.onPto(nowNs);
  }

  @Override
  public void onTrim(long nowNs, int path, long bytes) {
    controller.onTrim(nowNs, bytes);
  }

  @Override
  public void onHint(long nowNs, int plane, int generation, long bitsPerSecond) {
    controller.onHint(nowNs, bitsPerSecond);
  }

  @Override
  public void onHostDelay(long nowNs, int path, long hostDelayNs) {
    controller.onHostDelay(nowNs, hostDelayNs);
  }

  @Override
  public void onPenalty(long nowNs, int level) {
    controller.onPenalty(nowNs, level);
  }

  @Override
  public void onIdle(long nowNs) {
    controller.onIdle(nowNs);
  }

  @Override
  public void onTimer(long nowNs) {
    controller.onTimer(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return controller.nextDeadlineNs();
  }

  @Override
  public long windowBytes() {
    return controller.windowBytes();
  }

  @Override
  public long rateBitsPerSecond() {
    return controller.rateBitsPerSecond();
  }

  @Override
  public long pathWindowBytes(int path) {
    return CongestionController.UNLIMITED;
  }

  @Override
  public long pathRateBitsPerSecond(int path) {
    return CongestionController.UNLIMITED;
  }

  @Override
  public long trickleNs() {
    return controller.trickleNs();
  }

  @Override
  public int metricCount() {
    return controller.metricCount();
  }

  @Override
  public String metricName(int index) {
    return controller.metricName(index);
  }

  @Override
  public double metric(int index) {
    return controller.metric(index);
  }
}
