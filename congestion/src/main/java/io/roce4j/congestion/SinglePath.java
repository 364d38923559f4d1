// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * Runs a multipath controller under the one path of a plain connection. Both of its windows and
 * both of its rates bind.
 */
public final class SinglePath implements CongestionController {

  private static final int PATH = 0;
  private static final int PLANE = 0;

  private final MultipathController controller;
  private int generation;
  private boolean opened;

  /**
   * Uses a multipath controller for one path.
   *
   * @param controller made for one path and one plane, no path opened yet
   */
  public SinglePath(MultipathController controller) {
    this.controller = controller;
    // The windows can be asked for before the first event; time only matters from that event on.
    controller.onPathOpened(0, PATH, PLANE);
  }

  private void open(long nowNs) {
    if (!opened) {
      opened = true;
      controller.onPathClosed(nowNs, PATH);
      controller.onPathOpened(nowNs, PATH, PLANE);
    }
  }

  @Override
  public void onSent(long nowNs, long bytes, long inflightBytes) {
    open(nowNs);
    controller.onSent(nowNs, PATH, bytes, inflightBytes, inflightBytes);
  }

  @Override
  public void onAck(
      long nowNs,
      long ackedBytes,
      long ackedPackets,
      long cePackets,
      long rttNs,
      long minRttNs,
      long inflightBytes,
      boolean appLimited) {
    open(nowNs);
    controller.onAck(
        nowNs,
        PATH,
        ackedBytes,
        ackedPackets,
        cePackets,
        rttNs,
        minRttNs,
        inflightBytes,
        inflightBytes,
        appLimited);
  }

  @Override
  public void onMark(long nowNs, long packets) {
    open(nowNs);
    controller.onMark(nowNs, PATH, packets);
  }

  @Override
  public void onCnp(long nowNs) {
    open(nowNs);
    controller.onCnp(nowNs, PATH);
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    open(nowNs);
    controller.onLoss(nowNs, PATH, lostBytes, inflightBytes, inflightBytes);
  }

  @Override
  public void onPto(long nowNs) {
    open(nowNs);
    controller.onPto(nowNs, PATH);
  }

  @Override
  public void onTrim(long nowNs, long bytes) {
    open(nowNs);
    controller.onTrim(nowNs, PATH, bytes);
  }

  @Override
  public void onHint(long nowNs, long bitsPerSecond) {
    open(nowNs);
    generation = (generation + 1) & 0xff;
    controller.onHint(nowNs, PLANE, generation, bitsPerSecond);
  }

  @Override
  public void onHostDelay(long nowNs, long hostDelayNs) {
    open(nowNs);
    controller.onHostDelay(nowNs, PATH, hostDelayNs);
  }

  @Override
  public void onPenalty(long nowNs, int level) {
    open(nowNs);
    controller.onPenalty(nowNs, level);
  }

  @Override
  public void onIdle(long nowNs) {
    open(nowNs);
    controller.onIdle(nowNs);
  }

  @Override
  public void onTimer(long nowNs) {
    open(nowNs);
    controller.onTimer(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return controller.nextDeadlineNs();
  }

  @Override
  public long windowBytes() {
    return Math.min(controller.windowBytes(), controller.pathWindowBytes(PATH));
  }

  @Override
  public long rateBitsPerSecond() {
    return Math.min(controller.rateBitsPerSecond(), controller.pathRateBitsPerSecond(PATH));
  }

  @Override
  public long trickleNs() {
    return controller.trickleNs();
  }

  @Override
  public long pathChangesWanted() {
    return controller.pathChangesWanted(PATH);
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
