// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import java.util.Map;

/**
 * How the queue pairs of a reliable connection are set up.
 *
 * @param pathMtuBytes 256, 512, 1024, 2048 or 4096
 * @param timeoutCode ACK timeout 4.096 us x 2^code, 1 to 31; 0 waits for ever
 * @param retryCount retries after a timeout or sequence error, 0 to 7
 * @param rnrRetryCount retries after an RNR NAK, 0 to 6; 7 is for ever
 * @param minRnrTimerCode what the responder asks for in an RNR NAK, 0 to 31
 * @param maxReads READs in flight each way, 1 or more
 * @param congestion name of the congestion controller
 * @param congestionParameters its parameters that are not left at their defaults
 * @param profile name of the transport profile
 * @param profileParameters what that profile takes besides, or null for its defaults
 * @param trafficClass TOS or traffic class byte of all packets, 0 to 255
 */
public record ConnectionSettings(
    int pathMtuBytes,
    int timeoutCode,
    int retryCount,
    int rnrRetryCount,
    int minRnrTimerCode,
    int maxReads,
    String congestion,
    Map<String, String> congestionParameters,
    String profile,
    Object profileParameters,
    int trafficClass) {
  private static final ConnectionSettings DEFAULTS =
      new ConnectionSettings(4096, 8, 7, 7, 12, 16, "none", Map.of(), "rc", null, 0);

  /** Copies the map. */
  public ConnectionSettings {
    congestionParameters = Map.copyOf(congestionParameters);
  }

  /**
   * Path MTU 4096, ACK timeout code 8 (1.05 ms), 7 retries, RNR for ever, no congestion control.
   *
   * @return the default settings
   */
  public static ConnectionSettings defaults() {
    return DEFAULTS;
  }

  /**
   * This with another path MTU.
   *
   * @param bytes 256, 512, 1024, 2048 or 4096
   * @return the changed copy
   */
  public ConnectionSettings withPathMtu(int bytes) {
    return new ConnectionSettings(
        bytes,
        timeoutCode,
        retryCount,
        rnrRetryCount,
        minRnrTimerCode,
        maxReads,
        congestion,
        congestionParameters,
        profile,
        profileParameters,
        trafficClass);
  }

  /**
   * This with another congestion controller.
   *
   * @param name of the controller
   * @return the changed copy
   */
  public ConnectionSettings withCongestion(String name) {
    return withCongestion(name, Map.of());
  }

  /**
   * This with another congestion controller.
   *
   * @param name of the controller
   * @param parameters those that are not left at their defaults, name to text
   * @return the changed copy
   */
  public ConnectionSettings withCongestion(String name, Map<String, String> parameters) {
    return new ConnectionSettings(
        pathMtuBytes,
        timeoutCode,
        retryCount,
        rnrRetryCount,
        minRnrTimerCode,
        maxReads,
        name,
        parameters,
        profile,
        profileParameters,
        trafficClass);
  }

  /**
   * This with another number of READs in flight.
   *
   * @param reads each way, 1 or more
   * @return the changed copy
   */
  public ConnectionSettings withReads(int reads) {
    return new ConnectionSettings(
        pathMtuBytes,
        timeoutCode,
        retryCount,
        rnrRetryCount,
        minRnrTimerCode,
        reads,
        congestion,
        congestionParameters,
        profile,
        profileParameters,
        trafficClass);
  }

  /**
   * This with another ACK timeout and retry count.
   *
   * @param code 4.096 us x 2^code
   * @param retries 0 to 7
   * @return the changed copy
   */
  public ConnectionSettings withTimeout(int code, int retries) {
    return new ConnectionSettings(
        pathMtuBytes,
        code,
        retries,
        rnrRetryCount,
        minRnrTimerCode,
        maxReads,
        congestion,
        congestionParameters,
        profile,
        profileParameters,
        trafficClass);
  }

  /**
   * This with another transport profile.
   *
   * @param name of the profile
   * @param parameters what it takes besides, or null for its defaults
   * @return the changed copy
   */
  public ConnectionSettings withProfile(String name, Object parameters) {
    return new ConnectionSettings(
        pathMtuBytes,
        timeoutCode,
        retryCount,
        rnrRetryCount,
        minRnrTimerCode,
        maxReads,
        congestion,
        congestionParameters,
        name,
        parameters,
        trafficClass);
  }

  /**
   * This with another traffic class.
   *
   * @param tos TOS or traffic class byte of all packets, 0 to 255
   * @return the changed copy
   */
  public ConnectionSettings withTrafficClass(int tos) {
    return new ConnectionSettings(
        pathMtuBytes,
        timeoutCode,
        retryCount,
        rnrRetryCount,
        minRnrTimerCode,
        maxReads,
        congestion,
        congestionParameters,
        profile,
        profileParameters,
        tos);
  }
}
