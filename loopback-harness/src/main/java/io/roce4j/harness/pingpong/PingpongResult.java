// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.handshake.PingpongAddress;
import io.roce4j.harness.measure.LatencyRecorder;

/**
 * What came of a ping-pong.
 *
 * @param portName the kind of port
 * @param local our address
 * @param remote the peer's address
 * @param mtu path MTU
 * @param bytes of messages, both ways
 * @param elapsedNs from the first message to the last completion
 * @param roundTrips time from a message sent to the peer's next one received
 * @param checked messages compared, 0 without {@code -c}
 * @param counters of the endpoint
 */
record PingpongResult(
    String portName,
    PingpongAddress local,
    PingpongAddress remote,
    int mtu,
    long bytes,
    long elapsedNs,
    LatencyRecorder roundTrips,
    long checked,
    ObjectNode counters) {}
