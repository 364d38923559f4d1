// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.congestion;

import io.roce4j.congestion.CongestionController;
import java.util.ArrayList;
import java.util.List;

/**
 * A controller as the engine drives it, with a record of what it was told and what it made of it.
 */
public final class WitnessedController implements CongestionController {
  private static final ThreadLocal<List<WitnessedController>> MADE =
      ThreadLocal.withInitial(ArrayList::new);

  /**
   * A moment: a round trip sample or a notification.
   *
   * @param nowNs when
   * @param rttNs the sample, 0 for none
   * @param ackedBytes bytes acknowledged with it
   * @param rate bit/s after it
   * @param metrics of the controller after it, in its order
   */
  public record Moment(long nowNs, long rttNs, long ackedBytes, long rate, List<Double> metrics) {}

  private final CongestionController own;
  private final List<Moment> acknowledgements = new ArrayList<>();
  private final List<Moment> notifications = new ArrayList<>();

  WitnessedController(CongestionController own) {
    this.own = own;
    MADE.get().add(this);
  }

  /**
   * The controllers that this thread has made since it asked last.
   *
   * @return in the order of their making
   */
  public static List<WitnessedController> takeAll() {
    List<WitnessedController> made = List.copyOf(MADE.get());
    MADE.get().clear();
    return made;
  }

  /**
   * Acknowledgements that came with a round trip sample.
   *
   * @return in order
   */
  public List<Moment> samples() {
    return acknowledgements;
  }

  /**
   * Congestion notification packets.
   *
   * @return in order
   */
  public List<Moment> notifications() {
    return notifications;
  }

  private Moment moment(long nowNs, long rttNs, long ackedBytes) {
    List<Double> metrics = new ArrayList<>();
    for (int i = 0; i < own.metricCount(); i++) {
      metrics.add(own.metric(i));
    }
    return new Moment(nowNs, rttNs, ackedBytes, own.rateBitsPerSecond(), metrics);
  }

  @Override
  public void onSent(long nowNs, long bytes, long inflightBytes) {
    own.onSent(nowNs, bytes, inflightBytes);
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
    own.onAck(
        nowNs, ackedBytes, ackedPackets, cePackets, rttNs, minRttNs, inflightBytes, appLimited);
    if (rttNs > 0) {
      acknowledgements.add(moment(nowNs, rttNs, ackedBytes));
    }
  }

  @Override
  public void onCnp(long nowNs) {
    own.onCnp(nowNs);
    notifications.add(moment(nowNs, 0, 0));
  }

  @Override
  public void onLoss(long nowNs, long lostBytes, long inflightBytes) {
    own.onLoss(nowNs, lostBytes, inflightBytes);
  }

  @Override
  public void onPto(long nowNs) {
    own.onPto(nowNs);
  }

  @Override
  public void onIdle(long nowNs) {
    own.onIdle(nowNs);
  }

  @Override
  public void onTimer(long nowNs) {
    own.onTimer(nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    return own.nextDeadlineNs();
  }

  @Override
  public long windowBytes() {
    return own.windowBytes();
  }

  @Override
  public long rateBitsPerSecond() {
    return own.rateBitsPerSecond();
  }
}
