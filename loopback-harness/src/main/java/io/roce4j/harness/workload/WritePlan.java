// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.transport.verbs.AddressVector;

/**
 * A flow of RDMA WRITEs from one host to another.
 *
 * @param messageBytes of each WRITE, 1 to 2^30
 * @param messages WRITEs, 1 or more; {@link #FOREVER} until {@link WriteFlow#stop}
 * @param depth WRITEs in flight, 1 to 1024
 * @param startNs when the first is posted, 0 or more
 * @param udpSourcePort the flow's entropy, 1 to 65535, or {@link AddressVector#ANY_SOURCE_PORT} to
 *     derive it from the queue pair numbers
 * @param connection how the queue pairs are set up
 */
public record WritePlan(
    int messageBytes,
    long messages,
    int depth,
    long startNs,
    int udpSourcePort,
    ConnectionSettings connection) {
  /** As many messages as there is time for. */
  public static final long FOREVER = Long.MAX_VALUE;

  private static final int MAX_MESSAGE_BYTES = 1 << 30;
  private static final int MAX_DEPTH = 1_024;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public WritePlan {
    check("messageBytes", messageBytes, 1, MAX_MESSAGE_BYTES);
    check("messages", messages, 1, FOREVER);
    check("depth", depth, 1, MAX_DEPTH);
    check("startNs", startNs, 0, Long.MAX_VALUE / 1_000);
  }

  private static void check(String field, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          field + " " + value + ": allowed " + least + " to " + most);
    }
  }

  /**
   * One message, posted at the start.
   *
   * @param bytes of the message
   * @return the plan, over a default reliable connection
   */
  public static WritePlan once(int bytes) {
    return new WritePlan(
        bytes, 1, 1, 0, AddressVector.ANY_SOURCE_PORT, ConnectionSettings.defaults());
  }

  /**
   * Message after message.
   *
   * @param bytes of each message
   * @param depth messages in flight
   * @return the plan, over a default reliable connection
   */
  public static WritePlan endless(int bytes, int depth) {
    return new WritePlan(
        bytes, FOREVER, depth, 0, AddressVector.ANY_SOURCE_PORT, ConnectionSettings.defaults());
  }

  /**
   * This with another number of messages.
   *
   * @param count 1 or more
   * @param inFlight WRITEs in flight
   * @return the changed copy
   */
  public WritePlan withMessages(long count, int inFlight) {
    return new WritePlan(messageBytes, count, inFlight, startNs, udpSourcePort, connection);
  }

  /**
   * This with another start.
   *
   * @param ns virtual time
   * @return the changed copy
   */
  public WritePlan startingAtNs(long ns) {
    return new WritePlan(messageBytes, messages, depth, ns, udpSourcePort, connection);
  }

  /**
   * This with a source port of the caller's choice.
   *
   * @param port UDP source port
   * @return the changed copy
   */
  public WritePlan withUdpSourcePort(int port) {
    return new WritePlan(messageBytes, messages, depth, startNs, port, connection);
  }

  /**
   * This over another connection.
   *
   * @param value how the queue pairs are set up
   * @return the changed copy
   */
  public WritePlan over(ConnectionSettings value) {
    return new WritePlan(messageBytes, messages, depth, startNs, udpSourcePort, value);
  }
}
