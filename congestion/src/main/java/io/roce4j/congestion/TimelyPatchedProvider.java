// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Provider of {@code timely-patched}: TIMELY with the correction of Zhu et al., "ECN or Delay:
 * Lessons Learnt from Analysis of DCQCN and TIMELY", CoNEXT 2016. The presets: {@code conext} (that
 * paper), {@code uccl} (as UCCL runs it on 400 Gbit/s adapters), {@code scaled} (times in base
 * round trips, for slow emulated links). Rates scale with the link.
 */
public final class TimelyPatchedProvider implements CongestionControllerProvider {

  private static final String CONEXT = "Zhu et al., CoNEXT 2016";
  private static final String UCCL = "UCCL, timely.h";

  /** Set of defaults. */
  public static final CongestionParameter PRESET =
      CongestionParameter.choice(
          "preset", List.of("conext", "uccl", "scaled"), "set of defaults", CONEXT);

  /** Weight of a new difference. */
  public static final CongestionParameter ALPHA =
      TimelyParameters.alpha(s -> is(s, "uccl") ? 0.125 : 0.875, CONEXT + "; " + UCCL);

  /** Decrease factor. */
  public static final CongestionParameter BETA =
      CongestionParameter.of(
          "beta",
          ParameterUnit.RATIO,
          1e-6,
          1,
          0.008,
          "multiplicative decrease factor; the one above Thigh too",
          CONEXT + "; " + UCCL);

  /** Lower threshold. */
  public static final CongestionParameter TLOW =
      TimelyParameters.lowThreshold(
          s -> is(s, "scaled") ? 2.5 * s.baseRttNs() : is(s, "uccl") ? 35_000 : 50_000,
          CONEXT + "; " + UCCL);

  /** Upper threshold. */
  public static final CongestionParameter THIGH =
      TimelyParameters.highThreshold(
          s -> is(s, "scaled") ? 25.0 * s.baseRttNs() : is(s, "uccl") ? 350_000 : 500_000,
          CONEXT + "; " + UCCL);

  /** Reference round trip time. */
  public static final CongestionParameter RTT_REF =
      CongestionParameter.scaled(
          "rttRef",
          ParameterUnit.NANOSECONDS,
          1,
          10e9,
          s -> s.value(TLOW),
          "round trip time of zero error; must be above the base RTT or the link is never filled",
          CONEXT + ": Tlow");

  /** Normalisation of the gradient. */
  public static final CongestionParameter MIN_RTT = TimelyParameters.minRtt(PRESET, CONEXT);

  /** Additive step. */
  public static final CongestionParameter DELTA =
      TimelyParameters.additiveStep(
          s -> ParameterSupport.ofLink(s, is(s, "uccl") ? 1e-2 : 1e-3),
          CONEXT + ": 10 Mbit/s at 10 Gbit/s; " + UCCL + ": 4 Gbit/s at 400 Gbit/s");

  /** Least rate. */
  public static final CongestionParameter RMIN =
      TimelyParameters.leastRate(
          s -> ParameterSupport.ofLink(s, is(s, "uccl") ? 2e-3 : 1e-3),
          UCCL + ": 0.8 Gbit/s at 400 Gbit/s; else one additive step");

  /** Start rate. */
  public static final CongestionParameter START =
      TimelyParameters.start("TIMELY (SIGCOMM 2015): C/(N+1)");

  /** When a completion event occurs. */
  public static final CongestionParameter UPDATE =
      TimelyParameters.update(
          List.of("spaced", "segment", "rtt"),
          CONEXT + ": the larger of the time of a segment and minRtt");

  /** Segment. */
  public static final CongestionParameter SEGMENT = TimelyParameters.segment(CONEXT + ": 16 KB");

  /** Window beside the rate. */
  public static final CongestionParameter WINDOW = ParameterSupport.window();

  /** For {@link java.util.ServiceLoader}. */
  public TimelyPatchedProvider() {}

  private static boolean is(CongestionSettings settings, String preset) {
    return settings.choice(PRESET).equals(preset);
  }

  @Override
  public String name() {
    return "timely-patched";
  }

  @Override
  public String description() {
    return "TIMELY with the CoNEXT 2016 correction: a unique, fair fixed point";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(
        PRESET, ALPHA, BETA, TLOW, THIGH, RTT_REF, MIN_RTT, DELTA, RMIN, START, UPDATE, SEGMENT,
        WINDOW);
  }

  @Override
  public Set<CongestionSignal> needs() {
    return Set.of(CongestionSignal.RTT);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new TimelyPatched(settings);
  }
}
