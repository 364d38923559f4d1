// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.List;
import java.util.Set;

/**
 * Provider of {@code dcqcn}: the reaction point of DCQCN as the paper has it. The presets: {@code
 * paper} (Zhu et al., SIGCOMM 2015, tuned values), {@code ns3} (sample configuration of the
 * authors' simulator), {@code scaled} (the paper's shape with timers in base round trips and the
 * byte counter in bandwidth-delay products, for slow emulated links). Rates scale with the link in
 * all three.
 */
public final class DcqcnProvider implements CongestionControllerProvider {

  private static final String PAPER = "DCQCN paper (SIGCOMM 2015), section 5";
  private static final String NS3 = "ns3: sample configuration of the authors' simulator";
  private static final String QCN = "QCN (IEEE 802.1Qau) has ten times the additive step";

  /** Set of defaults. */
  public static final CongestionParameter PRESET =
      CongestionParameter.choice(
          "preset", List.of("paper", "ns3", "scaled"), "set of defaults", PAPER);

  /** Gain of alpha. */
  public static final CongestionParameter G =
      CongestionParameter.of(
          "g", ParameterUnit.RATIO, 1e-6, 1, 1.0 / 256, "gain of the alpha estimate", PAPER);

  /** Start value of alpha. */
  public static final CongestionParameter ALPHA0 =
      CongestionParameter.of(
          "alpha0", ParameterUnit.RATIO, 0, 1, 1, "alpha before the first CNP", PAPER);

  /** Alpha timer. */
  public static final CongestionParameter K =
      CongestionParameter.scaled(
          "K",
          ParameterUnit.NANOSECONDS,
          100,
          10e9,
          s -> isScaled(s) ? Math.max(100, 5.5 * s.baseRttNs()) : 55_000,
          "alpha decays once per K without a CNP",
          PAPER);

  /** Increase timer. */
  public static final CongestionParameter T =
      CongestionParameter.scaled(
          "T",
          ParameterUnit.NANOSECONDS,
          100,
          10e9,
          s -> isScaled(s) ? Math.max(100, 5.5 * s.baseRttNs()) : isNs3(s) ? 60_000 : 55_000,
          "increase timer",
          PAPER + " (1.5 ms is its QCN-like strawman); " + NS3);

  /** Byte counter. */
  public static final CongestionParameter B =
      CongestionParameter.scaled(
          "B",
          ParameterUnit.BYTES,
          64,
          ParameterUnit.UNLIMITED,
          s -> isScaled(s) ? 200.0 * s.bdpBytes() : isNs3(s) ? 300e6 : 10e6,
          "bytes sent per step of the byte counter",
          PAPER + "; " + NS3);

  /** Fast recovery steps. */
  public static final CongestionParameter F =
      CongestionParameter.of(
          "F", ParameterUnit.COUNT, 0, 1000, 5, "fast recovery steps per counter", PAPER);

  /** Additive increase. */
  public static final CongestionParameter RAI =
      CongestionParameter.scaled(
          "Rai",
          ParameterUnit.BITS_PER_SECOND,
          1,
          100e12,
          s -> ParameterSupport.ofLink(s, 1e-3),
          "additive increase of the target rate",
          PAPER + ": 40 Mbit/s at 40 Gbit/s");

  /** Hyper increase. */
  public static final CongestionParameter RHAI =
      CongestionParameter.scaled(
          "Rhai",
          ParameterUnit.BITS_PER_SECOND,
          1,
          100e12,
          s -> ParameterSupport.ofLink(s, isNs3(s) ? 5e-3 : 1e-2),
          "hyper increase of the target rate",
          "not given in the paper; " + QCN + "; " + NS3);

  /** Least rate. */
  public static final CongestionParameter RMIN =
      CongestionParameter.scaled(
          "Rmin",
          ParameterUnit.BITS_PER_SECOND,
          1,
          100e12,
          s -> ParameterSupport.ofLink(s, isNs3(s) ? 2.5e-3 : 1e-3),
          "least rate",
          PAPER + ": 40 Mbit/s class at 40 Gbit/s; " + NS3);

  /** Whether hyper increase steps grow. */
  public static final CongestionParameter HYPER =
      CongestionParameter.choice(
          "hyper",
          List.of("growing", "constant"),
          "step number i of hyper increase adds i*Rhai, or always Rhai",
          "QCN: growing; left open by the DCQCN paper");

  /** Whether the target is bounded by the link. */
  public static final CongestionParameter CLAMP_TARGET =
      CongestionParameter.flag(
          "clampTarget", true, "target rate never above the link", "left open by the paper");

  /** Order of cut and alpha update. */
  public static final CongestionParameter ORDER =
      CongestionParameter.choice(
          "order",
          List.of("cut-first", "alpha-first"),
          "whether a CNP cuts with the old alpha or updates alpha before the cut",
          PAPER + ", algorithm 1: cut first");

  /** Distance of notifications made from CE counts. */
  public static final CongestionParameter CNP_INTERVAL =
      CongestionParameter.scaled(
          "cnpInterval",
          ParameterUnit.NANOSECONDS,
          0,
          10e9,
          s -> isScaled(s) ? 5.0 * s.baseRttNs() : 50_000,
          "least time between two CNPs of a flow; where marks come as counts in acknowledgements,"
              + " at most one cut per interval",
          PAPER);

  /** Window beside the rate. */
  public static final CongestionParameter WINDOW = ParameterSupport.window();

  /** For {@link java.util.ServiceLoader}. */
  public DcqcnProvider() {}

  private static boolean isNs3(CongestionSettings settings) {
    return settings.choice(PRESET).equals("ns3");
  }

  private static boolean isScaled(CongestionSettings settings) {
    return settings.choice(PRESET).equals("scaled");
  }

  @Override
  public String name() {
    return "dcqcn";
  }

  @Override
  public String description() {
    return "DCQCN reaction point as in the paper (SIGCOMM 2015)";
  }

  @Override
  public List<CongestionParameter> parameters() {
    return List.of(
        PRESET,
        G,
        ALPHA0,
        K,
        T,
        B,
        F,
        RAI,
        RHAI,
        RMIN,
        HYPER,
        CLAMP_TARGET,
        ORDER,
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
    return new Dcqcn(settings);
  }
}
