// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import java.util.Arrays;

/**
 * What a side says with {@code connect} or {@code accept}: librdmacm's {@code rdma_conn_param}. A
 * bag to be filled and given; one thread.
 */
public final class ConnectionParameters {
  /** For the two depths: the largest that the device, and with {@code accept} the REQ, allows. */
  public static final int LARGEST = -1;

  private static final int COUNT_MAX = 7;
  private static final int DEPTH_MAX = 255;

  private byte[] privateData = {};
  private int responderResources = LARGEST;
  private int initiatorDepth = LARGEST;
  private int retryCount = COUNT_MAX;
  private int rnrRetryCount = COUNT_MAX;

  /** No private data, the largest depths, 7 retries of each kind. */
  public ConnectionParameters() {}

  /**
   * Application data for the peer.
   *
   * @param value copied; the limit depends on the message and is checked when it is sent
   * @return this
   */
  public ConnectionParameters privateData(byte... value) {
    privateData = value.clone();
    return this;
  }

  /**
   * Application data for the peer.
   *
   * @return a copy
   */
  public byte[] privateData() {
    return privateData.clone();
  }

  /**
   * READs and atomics of the peer that this side serves at a time.
   *
   * @param value 0 to 255 or {@link #LARGEST}; cut to what the peer will issue
   * @return this
   * @throws IllegalArgumentException when out of range
   */
  public ConnectionParameters responderResources(int value) {
    responderResources = inRange("responderResources", value, LARGEST, DEPTH_MAX);
    return this;
  }

  /**
   * READs and atomics of the peer that this side serves at a time.
   *
   * @return 0 to 255 or {@link #LARGEST}
   */
  public int responderResources() {
    return responderResources;
  }

  /**
   * READs and atomics this side issues at a time.
   *
   * @param value 0 to 255 or {@link #LARGEST}; cut to what the peer serves
   * @return this
   * @throws IllegalArgumentException when out of range
   */
  public ConnectionParameters initiatorDepth(int value) {
    initiatorDepth = inRange("initiatorDepth", value, LARGEST, DEPTH_MAX);
    return this;
  }

  /**
   * READs and atomics this side issues at a time.
   *
   * @return 0 to 255 or {@link #LARGEST}
   */
  public int initiatorDepth() {
    return initiatorDepth;
  }

  /**
   * Retries after timeouts, for both sides; the side that accepts takes what it was asked with.
   *
   * @param value 0 to 7
   * @return this
   * @throws IllegalArgumentException when out of range
   */
  public ConnectionParameters retryCount(int value) {
    retryCount = inRange("retryCount", value, 0, COUNT_MAX);
    return this;
  }

  /**
   * Retries after timeouts.
   *
   * @return 0 to 7
   */
  public int retryCount() {
    return retryCount;
  }

  /**
   * Retries of the <i>peer</i> when this side has no receive posted.
   *
   * @param value 0 to 6, or 7 for ever
   * @return this
   * @throws IllegalArgumentException when out of range
   */
  public ConnectionParameters rnrRetryCount(int value) {
    rnrRetryCount = inRange("rnrRetryCount", value, 0, COUNT_MAX);
    return this;
  }

  /**
   * Retries of the peer when this side has no receive posted.
   *
   * @return 0 to 7
   */
  public int rnrRetryCount() {
    return rnrRetryCount;
  }

  /**
   * A depth as it is asked for.
   *
   * @param wish a field of this
   * @param limits all of them apply
   */
  static int depth(int wish, int... limits) {
    int depth = wish == LARGEST ? DEPTH_MAX : wish;
    for (int limit : limits) {
      depth = Math.min(depth, limit);
    }
    return depth;
  }

  private static int inRange(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " " + value + ": allowed " + Math.max(least, 0) + " to " + most);
    }
    return value;
  }

  @Override
  public String toString() {
    return "responderResources "
        + responderResources
        + " initiatorDepth "
        + initiatorDepth
        + " retryCount "
        + retryCount
        + " rnrRetryCount "
        + rnrRetryCount
        + " privateData "
        + Arrays.toString(privateData);
  }
}
