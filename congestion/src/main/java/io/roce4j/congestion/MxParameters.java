// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;

/**
 * The parameters of {@code mx-aimd} and {@code mx-fair}. Their rules and defaults are this
 * project's own; docs/CONGESTION.md states them.
 */
public final class MxParameters {

  private static final String OURS = "ours";

  /** Gain of the marking estimate of a path. */
  public static final CongestionParameter G =
      CongestionParameter.of(
          "g", ParameterUnit.RATIO, 1e-6, 1, 1.0 / 16, "gain of a path's marking estimate", OURS);

  /** Queueing target. */
  public static final CongestionParameter TARGET_Q =
      CongestionParameter.of(
          "targetQ",
          ParameterUnit.RATIO,
          0.01,
          100,
          0.75,
          "queueing delay target as part of the base RTT; a loss at more than half of it counts as"
              + " congestion",
          OURS + "; NSCC's target with trimming");

  /** Floor of the windows. */
  public static final CongestionParameter MIN_PACKETS =
      CongestionParameter.of(
          "minPackets",
          ParameterUnit.COUNT,
          1,
          1024,
          2,
          "least window, packets",
          OURS + ": a window of one packet turns each loss into a timeout");

  /** Packets of a train. */
  public static final CongestionParameter TRAIN =
      CongestionParameter.of(
          "train",
          ParameterUnit.COUNT,
          1,
          1024,
          1,
          "packets that leave in one system call; no window is smaller",
          OURS);

  /** Start window of each path. */
  public static final CongestionParameter START_PER_PATH =
      CongestionParameter.of(
          "startPerPath",
          ParameterUnit.BYTES,
          64,
          1e12,
          65_536,
          "the start window is at most this for each path",
          OURS);

  /** Start window of plain AIMD. */
  public static final CongestionParameter START_BDP_AIMD =
      CongestionParameter.of(
          "startBdp",
          ParameterUnit.RATIO,
          0.001,
          2,
          1,
          "the start window is at most this part of the bandwidth-delay product",
          OURS);

  /** Start window with hints. */
  public static final CongestionParameter START_BDP_FAIR =
      CongestionParameter.of(
          "startBdp",
          ParameterUnit.RATIO,
          0.001,
          2,
          0.5,
          "the start window is at most this part of the bandwidth-delay product",
          OURS + ": half cuts an incast's retransmissions by 40% or more");

  /** Cap of the connection window. */
  public static final CongestionParameter MAX_BDP =
      CongestionParameter.of(
          "maxBdp",
          ParameterUnit.RATIO,
          0.1,
          100,
          2,
          "greatest connection window, bandwidth-delay products",
          OURS);

  /** Longest acknowledgement delay of the peer. */
  public static final CongestionParameter MAX_ACK_DELAY =
      CongestionParameter.scaled(
          "maxAckDelay",
          ParameterUnit.NANOSECONDS,
          0,
          1e9,
          s -> Math.max(5_000, 0.25 * s.baseRttNs()),
          "longest time the peer holds an acknowledgement back",
          OURS);

  /** Life of a hint in round trips. */
  public static final CongestionParameter HINT_RTTS =
      CongestionParameter.of(
          "hintRtts",
          ParameterUnit.RATIO,
          0.1,
          1000,
          4,
          "a hint holds this many smoothed RTTs, then halves each time as long again",
          OURS);

  /** Least life of a hint. */
  public static final CongestionParameter HINT_MIN =
      CongestionParameter.of(
          "hintMin", ParameterUnit.NANOSECONDS, 0, 10e9, 100_000, "least life of a hint", OURS);

  /** Pause after which a connection starts anew. */
  public static final CongestionParameter IDLE_RTTS =
      CongestionParameter.of(
          "idleRtts",
          ParameterUnit.RATIO,
          1,
          1e6,
          10,
          "a pause longer than this many smoothed RTTs forgets hints and restarts",
          OURS);

  static final List<CongestionParameter> AIMD =
      List.of(G, TARGET_Q, MIN_PACKETS, TRAIN, START_PER_PATH, START_BDP_AIMD, MAX_BDP);

  static final List<CongestionParameter> FAIR =
      List.of(
          G,
          TARGET_Q,
          MIN_PACKETS,
          TRAIN,
          START_PER_PATH,
          START_BDP_FAIR,
          MAX_BDP,
          MAX_ACK_DELAY,
          HINT_RTTS,
          HINT_MIN,
          IDLE_RTTS);

  private MxParameters() {}
}
