// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

/**
 * What a ping-pong is to do.
 *
 * @param host of the server, or null for the server itself
 * @param port TCP port
 * @param type of the queue pair
 * @param sizeBytes message size, 1 or more
 * @param mtu path MTU, 0 for the port's; UD has none
 * @param rxDepth receives kept posted, 1 or more
 * @param iterations messages each way
 * @param isEventDriven waits for completion events instead of polling
 * @param isChecked compares every message received
 */
record PingpongPlan(
    String host,
    int port,
    int type,
    int sizeBytes,
    int mtu,
    int rxDepth,
    long iterations,
    boolean isEventDriven,
    boolean isChecked) {
  boolean isClient() {
    return host != null;
  }
}
