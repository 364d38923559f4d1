// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;

/** The parameters of {@link FairShareAllocator}. Rules and defaults are this project's own. */
public final class FairShareParameters {

  private static final String OURS = "ours";

  /** Part of the line that is given out. */
  public static final CongestionParameter ETA =
      CongestionParameter.of(
          "eta",
          ParameterUnit.RATIO,
          0.1,
          1,
          0.98,
          "part of the link that is given out, so that queues empty",
          OURS);

  /** Epoch. */
  public static final CongestionParameter T =
      CongestionParameter.scaled(
          "T",
          ParameterUnit.NANOSECONDS,
          1_000,
          1e9,
          s -> Math.max(10_000, (double) s.baseRttNs()),
          "shares rise only at these ticks; 200 us or more where time is real",
          OURS);

  /** Queueing delay that is accepted. */
  public static final CongestionParameter Q_REF =
      CongestionParameter.scaled(
          "qRef",
          ParameterUnit.NANOSECONDS,
          0,
          1e9,
          s -> Math.max(2_000, 0.15 * s.baseRttNs()),
          "common queueing delay at which shares are first scaled down",
          OURS);

  /** Time to drain a queue. */
  public static final CongestionParameter T_DRAIN =
      CongestionParameter.scaled(
          "Tdrain",
          ParameterUnit.NANOSECONDS,
          1,
          10e9,
          s -> 2.0 * s.baseRttNs(),
          "time in which a common queue is to be drained",
          OURS);

  /** Largest weight. */
  public static final CongestionParameter WEIGHT_MAX =
      CongestionParameter.of(
          "weightMax", ParameterUnit.COUNT, 1, 255, 16, "greatest weight a peer can claim", OURS);

  /** Fairness among hosts. */
  public static final CongestionParameter HOST_FAIR =
      CongestionParameter.flag(
          "hostFair", false, "share among hosts first, then among the connections of each", OURS);

  /**
   * All of them.
   *
   * @return the parameters, in the order of the documentation
   */
  public static List<CongestionParameter> all() {
    return List.of(ETA, T, Q_REF, T_DRAIN, WEIGHT_MAX, HOST_FAIR);
  }

  private FairShareParameters() {}
}
