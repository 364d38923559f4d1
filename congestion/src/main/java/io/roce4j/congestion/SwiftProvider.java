// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Provider of {@code swift}: delay-target window control (Kumar et al., SIGCOMM 2020) in the form
 * of the Falcon specification. All times default to multiples of the base round trip, as in the
 * simulator the defaults come from.
 */
public final class SwiftProvider implements CongestionControllerProvider {

  private static final String HTSIM = "htsim (csg-htsim), swift";
  private static final String FALCON = "OCP Falcon transport specification 0.9, congestion control";
  private static final String SWIFT = "Swift (SIGCOMM 2020)";
  private static final String OURS = "ours";

  /** Base target delay. */
  public static final CongestionParameter BASE =
      CongestionParameter.scaled(
          "base",
          ParameterUnit.NANOSECONDS,
          1,
          10e9,
          s -> (double) s.baseRttNs(),
          "base target delay; must not be below the round trip without queues",
          HTSIM);

  /** Hops. */
  public static final CongestionParameter HOPS =
      CongestionParameter.of(
          "hops",
          ParameterUnit.COUNT,
          0,
          64,
          2,
          "hops of the path, each allowing h of delay",
          OURS + ": one switch and back");

  /** Delay per hop. */
  public static final CongestionParameter H =
      CongestionParameter.scaled(
          "h",
          ParameterUnit.NANOSECONDS,
          0,
          10e9,
          s -> s.value(BASE) / 6.55,
          "target delay per hop",
          HTSIM + ": base/6.55");

  /** Range of flow scaling. */
  public static final CongestionParameter FS_RANGE =
      CongestionParameter.scaled(
          "fsRange",
          ParameterUnit.NANOSECONDS,
          0,
          100e9,
          s -> 5 * s.value(BASE),
          "most the target is raised for small windows",
          HTSIM + ": 5*base");

  /** Least window of flow scaling. */
  public static final CongestionParameter FS_MIN =
      CongestionParameter.of(
          "fsMin",
          ParameterUnit.RATIO,
          1e-4,
          1e6,
          0.1,
          "window with the full range, packets",
          HTSIM);

  /** Greatest window of flow scaling. */
  public static final CongestionParameter FS_MAX =
      CongestionParameter.of(
          "fsMax",
          ParameterUnit.RATIO,
          1e-3,
          1e7,
          100,
          "window without flow scaling, packets",
          HTSIM);

  /** Additive increase. */
  public static final CongestionParameter AI =
      CongestionParameter.of(
          "ai", ParameterUnit.RATIO, 1e-6, 1e3, 1, "additive increase, packets per RTT", HTSIM);

  /** Decrease factor. */
  public static final CongestionParameter BETA =
      CongestionParameter.of(
          "beta", ParameterUnit.RATIO, 1e-6, 1, 0.8, "multiplicative decrease factor", HTSIM);

  /** Largest cut. */
  public static final CongestionParameter MAX_MDF =
      CongestionParameter.of(
          "maxMdf", ParameterUnit.RATIO, 1e-6, 0.99, 0.5, "largest part one cut takes", HTSIM);

  /** Least window. */
  public static final CongestionParameter MIN_CWND =
      CongestionParameter.of(
          "minCwnd",
          ParameterUnit.RATIO,
          1e-6,
          1e6,
          0.01,
          "least window, packets; below 1 single packets are paced",
          SWIFT + ": 0.01 class");

  /** Greatest window. */
  public static final CongestionParameter MAX_CWND =
      CongestionParameter.scaled(
          "maxCwnd",
          ParameterUnit.RATIO,
          1,
          1e9,
          s -> Math.max(16, 2.0 * s.bdpBytes() / s.mtuBytes()),
          "greatest window, packets",
          OURS + ": two bandwidth-delay products");

  /** Start window. */
  public static final CongestionParameter START_CWND =
      CongestionParameter.scaled(
          "startCwnd",
          ParameterUnit.RATIO,
          1e-6,
          1e9,
          s -> Math.max(1, 1.0 * s.bdpBytes() / s.mtuBytes()),
          "start window, packets",
          OURS + ": one bandwidth-delay product, start at line rate");

  /** Timeouts before the least window. */
  public static final CongestionParameter RETRY_LIMIT =
      CongestionParameter.of(
          "retryLimit",
          ParameterUnit.COUNT,
          1,
          1000,
          5,
          "timeouts in a row that set the least window",
          HTSIM + ": RETX_RESET_THRESHOLD");

  /** Target of the host window. */
  public static final CongestionParameter HOST_TARGET =
      CongestionParameter.scaled(
          "hostTarget",
          ParameterUnit.NANOSECONDS,
          1,
          10e9,
          s -> s.value(BASE),
          "target delay in the peer's host, where it is reported",
          OURS + ": as the base of the fabric");

  /** PLB delay factor. */
  public static final CongestionParameter PLB_FACTOR =
      CongestionParameter.of(
          "plbFactor",
          ParameterUnit.RATIO,
          0.1,
          100,
          1,
          "an acknowledgement is congested when its delay is above plbFactor*target",
          FALCON + ", PLB");

  /** PLB threshold. */
  public static final CongestionParameter PLB_THRESHOLD =
      CongestionParameter.of(
          "plbThreshold",
          ParameterUnit.RATIO,
          0,
          1,
          0.5,
          "a round trip is congested when this part of its acknowledgements is",
          FALCON + ", PLB");

  /** PLB attempts. */
  public static final CongestionParameter PLB_ATTEMPTS =
      CongestionParameter.of(
          "plbAttempts",
          ParameterUnit.COUNT,
          0,
          1000,
          0,
          "congested round trips in a row after which another route is wanted; 0: never",
          FALCON + ", PLB; off unless asked");

  /** For {@link java.util.ServiceLoader}. */
  public SwiftProvider() {}

  @Override
  public String name() {
    return "swift";
  }

  @Override
  public String description() {
    return "Swift: window against a delay target (SIGCOMM 2020, Falcon specification)";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(
        BASE,
        HOPS,
        H,
        FS_RANGE,
        FS_MIN,
        FS_MAX,
        AI,
        BETA,
        MAX_MDF,
        MIN_CWND,
        MAX_CWND,
        START_CWND,
        RETRY_LIMIT,
        HOST_TARGET,
        PLB_FACTOR,
        PLB_THRESHOLD,
        PLB_ATTEMPTS);
  }

  @Override
  public Set<CongestionSignal> needs() {
    return Set.of(CongestionSignal.RTT);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new Swift(settings);
  }
}
