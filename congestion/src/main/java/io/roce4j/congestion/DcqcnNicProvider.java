// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Provider of {@code dcqcn-nic}: DCQCN as network adapters run it. The presets: {@code nvidia}
 * (published defaults of ConnectX adapters), {@code hpcc} (what the HPCC simulator runs as DCQCN at
 * 100 Gbit/s), {@code slow} (the paper's timers in this flavour), {@code scaled} (the shape of
 * {@code hpcc} with timers in base round trips, for slow emulated links). Rates scale with the
 * link.
 */
public final class DcqcnNicProvider implements CongestionControllerProvider {

  private static final String NVIDIA = "NVIDIA DCQCN parameter page";
  private static final String HPCC = "HPCC simulator, cc_mode 1";

  /** Set of defaults. */
  public static final CongestionParameter PRESET =
      CongestionParameter.choice(
          "preset", List.of("nvidia", "hpcc", "slow", "scaled"), "set of defaults", NVIDIA);

  /** Gain of alpha. */
  public static final CongestionParameter G =
      CongestionParameter.scaled(
          "g",
          ParameterUnit.RATIO,
          1e-6,
          1,
          s -> is(s, "nvidia") ? 5.0 / 1024 : 1.0 / 256,
          "gain of the alpha estimate (dce_tcp_g is 1024*(1-g))",
          NVIDIA + ": 1019; " + HPCC);

  /** Alpha timer. */
  public static final CongestionParameter TA =
      CongestionParameter.scaled(
          "Ta",
          ParameterUnit.NANOSECONDS,
          100,
          10e9,
          s -> time(s, 1_000, 55_000, 0.25),
          "alpha is updated every Ta (dce_tcp_rtt)",
          NVIDIA);

  /** Cut check. */
  public static final CongestionParameter TD =
      CongestionParameter.scaled(
          "Td",
          ParameterUnit.NANOSECONDS,
          100,
          10e9,
          s -> time(s, 4_000, 50_000, 1),
          "at most one cut every Td (rate_reduce_monitor_period)",
          NVIDIA);

  /** Increase timer. */
  public static final CongestionParameter TI =
      CongestionParameter.scaled(
          "Ti",
          ParameterUnit.NANOSECONDS,
          100,
          10e9,
          s -> time(s, 300_000, 55_000, 75),
          "increase timer, restarted by a cut (rpg_time_reset)",
          NVIDIA);

  /** Fast recovery steps. */
  public static final CongestionParameter F =
      CongestionParameter.scaled(
          "F",
          ParameterUnit.COUNT,
          0,
          1000,
          s -> is(s, "slow") ? 5 : 1,
          "fast recovery steps (rpg_threshold)",
          NVIDIA);

  /** Additive increase. */
  public static final CongestionParameter RAI =
      CongestionParameter.scaled(
          "Rai",
          ParameterUnit.BITS_PER_SECOND,
          1,
          100e12,
          s -> ParameterSupport.ofLink(s, is(s, "slow") ? 4e-4 : 2e-4),
          "additive increase (rpg_ai_rate)",
          NVIDIA + ": 5 Mbit/s at 25 Gbit/s, scaled with the link");

  /** Hyper increase. */
  public static final CongestionParameter RHAI =
      CongestionParameter.scaled(
          "Rhai",
          ParameterUnit.BITS_PER_SECOND,
          1,
          100e12,
          s -> ParameterSupport.ofLink(s, is(s, "slow") ? 4e-3 : 2e-3),
          "hyper increase, always the same step (rpg_hai_rate)",
          NVIDIA + ": 50 Mbit/s at 25 Gbit/s, scaled with the link");

  /** Least rate. */
  public static final CongestionParameter RMIN =
      CongestionParameter.scaled(
          "Rmin",
          ParameterUnit.BITS_PER_SECOND,
          1,
          100e12,
          s ->
              is(s, "nvidia")
                  ? Math.min(1e6, ParameterSupport.ofLink(s, 1e-3))
                  : ParameterSupport.ofLink(s, 1e-3),
          "least rate (rpg_min_rate)",
          NVIDIA + ": 1 Mbit/s; " + HPCC + ": 100 Mbit/s at 100 Gbit/s");

  /** Target follows the rate at every cut. */
  public static final CongestionParameter CLAMP_TARGET =
      CongestionParameter.flag(
          "clampTarget",
          false,
          "every cut sets the target to the current rate; off: only the first after an increase"
              + " (clamp_tgt_rate)",
          NVIDIA);

  /** Rate at the first notification. */
  public static final CongestionParameter RATE_ON_FIRST_CNP =
      CongestionParameter.of(
          "rateOnFirstCnp",
          ParameterUnit.RATIO,
          1e-6,
          1,
          1,
          "rate set at once by the first CNP, as part of the link (rate_to_set_on_first_cnp)",
          NVIDIA + ": off");

  /** Largest cut. */
  public static final CongestionParameter MAX_CUT =
      CongestionParameter.of(
          "maxCut",
          ParameterUnit.RATIO,
          0.01,
          1,
          0.5,
          "largest part of the rate one cut takes (rpg_min_dec_fac)",
          NVIDIA + ": 50%");

  /** Bits of alpha. */
  public static final CongestionParameter ALPHA_BITS =
      CongestionParameter.of(
          "alphaBits",
          ParameterUnit.COUNT,
          0,
          30,
          0,
          "fraction bits alpha is cut to after each update, as in adapters (10); 0: none",
          "exact arithmetic, as in the HPCC simulator");

  /** Losses count as notifications. */
  public static final CongestionParameter CUT_ON_LOSS =
      CongestionParameter.flag(
          "cutOnLoss",
          false,
          "a retransmission acts like a CNP, as on ConnectX-class adapters",
          HPCC + " does not");

  /** Distance of notifications. */
  public static final CongestionParameter CNP_INTERVAL =
      CongestionParameter.scaled(
          "cnpInterval",
          ParameterUnit.NANOSECONDS,
          0,
          10e9,
          s -> is(s, "hpcc") ? 0 : time(s, 4_000, 50_000, 1),
          "least time between two CNPs of a flow (min_time_between_cnps); 0: one for each marked"
              + " packet",
          "as often as cuts are checked; " + HPCC + ": each marked packet");

  /** Window beside the rate. */
  public static final CongestionParameter WINDOW = ParameterSupport.window();

  /** For {@link java.util.ServiceLoader}. */
  public DcqcnNicProvider() {}

  private static boolean is(CongestionSettings settings, String preset) {
    return settings.choice(PRESET).equals(preset);
  }

  private static double time(
      CongestionSettings settings, double fastNs, double slowNs, double baseRtts) {
    return switch (settings.choice(PRESET)) {
      case "slow" -> slowNs;
      case "scaled" -> Math.max(100, baseRtts * settings.baseRttNs());
      default -> fastNs;
    };
  }

  @Override
  public String name() {
    return "dcqcn-nic";
  }

  @Override
  public String description() {
    return "DCQCN as adapters run it: timers sample whether a CNP came";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(
        PRESET,
        G,
        TA,
        TD,
        TI,
        F,
        RAI,
        RHAI,
        RMIN,
        CLAMP_TARGET,
        RATE_ON_FIRST_CNP,
        MAX_CUT,
        ALPHA_BITS,
        CUT_ON_LOSS,
        CNP_INTERVAL,
        WINDOW);
  }

  @Override
  public Set<CongestionSignal> needs() {
    return Set.of(CongestionSignal.ECN);
  }

  @Override
  public long notificationIntervalNs(CongestionSettings settings) {
    return settings.longValue(CNP_INTERVAL);
  }

  @Override
  public CongestionController create(CongestionSettings settings) {
    return new DcqcnNic(settings);
  }
}
