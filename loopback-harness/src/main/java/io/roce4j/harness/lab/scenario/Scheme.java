// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.topology.FabricSettings;
import java.util.List;
import java.util.Map;

/**
 * One of the things a lab compares: a transport with its congestion control, and the switches and
 * hosts it runs on.
 *
 * @param name for tables and claims
 * @param transport {@code rc} or {@code mx}
 * @param congestion name of the controller
 * @param congestionParameters its parameters that are not left at their defaults
 * @param paths of an MX connection, 1 or more; 1 for RC
 * @param trainPackets most packets in a train, 1 to 64
 * @param windowPackets most packets in flight of an RC connection
 * @param pathMtuBytes 256 to 4096
 * @param timeoutCode ACK timeout 4.096 us x 2^code
 * @param retryCount retries before a work request fails
 * @param tos TOS byte of the data
 * @param fabric how switches and hosts behave
 * @param faults what goes wrong in this scheme only
 * @param mayStall true when the scheme shows a standstill: that is then no failure
 */
public record Scheme(
    String name,
    String transport,
    String congestion,
    Map<String, String> congestionParameters,
    int paths,
    int trainPackets,
    int windowPackets,
    int pathMtuBytes,
    int timeoutCode,
    int retryCount,
    int tos,
    FabricSettings fabric,
    List<Fault> faults,
    boolean mayStall) {
  /** Copies the collections. */
  public Scheme {
    congestionParameters = Map.copyOf(congestionParameters);
    faults = List.copyOf(faults);
  }

  /**
   * This with another congestion controller.
   *
   * @param controller name of the controller
   * @param parameters those that are not left at their defaults
   * @param label name of the scheme
   * @return the changed copy
   */
  public Scheme withCongestion(String controller, Map<String, String> parameters, String label) {
    return new Scheme(
        label,
        transport,
        controller,
        parameters,
        paths,
        trainPackets,
        windowPackets,
        pathMtuBytes,
        timeoutCode,
        retryCount,
        tos,
        fabric,
        faults,
        mayStall);
  }
}
