// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

/**
 * A constant window and a constant rate: {@code none} and {@code fixed}. It reacts to nothing, but
 * counts the congestion notifications it ignored, so that a run with marking on and reaction off is
 * seen for what it is [FC-36].
 */
public final class FixedController implements CongestionController {

  private final long windowBytes;
  private final long rateBitsPerSecond;
  private long ignoredCnps;

  /**
   * A controller that always answers the same.
   *
   * @param windowBytes bytes in flight, 1 or more, or {@link #UNLIMITED}
   * @param rateBitsPerSecond bit/s, 1 or more, or {@link #UNLIMITED}
   */
  public FixedController(long windowBytes, long rateBitsPerSecond) {
    if (windowBytes < 1) {
      throw new IllegalArgumentException("window " + windowBytes + " bytes: must be 1 or more");
    }
    if (rateBitsPerSecond < 1) {
      throw new IllegalArgumentException("rate " + rateBitsPerSecond + " bit/s: must be 1 or more");
    }
    this.windowBytes = windowBytes;
    this.rateBitsPerSecond = rateBitsPerSecond;
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
      boolean appLimited) {}

  @Override
  public void onCnp(long nowNs) {
    ignoredCnps++;
  }

  @Override
  public long windowBytes() {
    return windowBytes;
  }

  @Override
  public long rateBitsPerSecond() {
    return rateBitsPerSecond;
  }

  /**
   * Congestion notifications received and ignored.
   *
   * @return count since the start
   */
  public long ignoredCnps() {
    return ignoredCnps;
  }

  @Override
  public int metricCount() {
    return 1;
  }

  @Override
  public String metricName(int index) {
    return "ignoredCnps";
  }

  @Override
  public double metric(int index) {
    return ignoredCnps;
  }
}
