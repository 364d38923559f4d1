// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether what was configured really happened to the traffic [FC-56].
 *
 * <p>An impairment is judged by what the two ends saw, not by what the injector says of itself: one
 * that sits where the packets do not go must be found out. Rule: a configured impairment that hit
 * no packet, or whose measured share is off by more than a tenth of the configured one beyond what
 * chance explains, makes the run INVALID.
 */
public final class ImpairmentVerdict {
  /** A tenth of what was configured is tolerated. */
  public static final double TOLERANCE = 0.10;

  /** Standard normal quantile of 99.9% two-sided: one false alarm in a thousand right runs. */
  private static final double CHANCE_SIGMAS = 3.29;

  /** So many hits expected cannot all fail to come by chance. */
  private static final double CONCLUSIVE_HITS = 20;

  private final List<String> faults = new ArrayList<>();
  private double leastExpected = Double.MAX_VALUE;

  /** Makes a verdict that is good so far. */
  public ImpairmentVerdict() {}

  /**
   * Judges one impairment.
   *
   * @param name for the message, such as {@code loss}
   * @param configured the share wanted, 0 to 1
   * @param hits packets that were hit, as measured, 0 or more
   * @param trials packets that could have been, 0 or more
   */
  public void judge(String name, double configured, long hits, long trials) {
    if (configured == 0) {
      return; // What the machine itself loses is reported, but was not to be proven.
    }
    leastExpected = Math.min(leastExpected, configured * trials);
    double measured = share(hits, trials);
    if (hits <= 0) {
      faults.add(
          String.format(
              Locale.ROOT,
              "%s %s was configured but hit none of %,d packets (expected %,.1f): run longer, or"
                  + " the traffic does not pass the impairment",
              name,
              percent(configured),
              trials,
              configured * trials));
      return;
    }
    if (!isWithin(configured, hits, trials)) {
      faults.add(
          String.format(
              Locale.ROOT,
              "%s %s was configured but measured %s of %,d packets, off by more than 10%% beyond"
                  + " chance",
              name,
              percent(configured),
              percent(measured),
              trials));
    }
  }

  /**
   * Adds a fault found in another way.
   *
   * @param reason one line
   */
  public void fail(String reason) {
    faults.add(reason);
  }

  /**
   * Whether a measured share agrees with the configured one.
   *
   * @param configured the share wanted, above 0 to 1
   * @param hits packets that were hit
   * @param trials packets that could have been
   * @return true when they differ by no more than 10% of the configured share plus chance (3.29
   *     standard deviations of the binomial distribution)
   */
  public static boolean isWithin(double configured, long hits, long trials) {
    double chance = CHANCE_SIGMAS * Math.sqrt(configured * (1 - configured) / trials);
    double off = Math.abs(share(hits, trials) - configured);
    return off <= TOLERANCE * configured + chance;
  }

  /**
   * A share of packets.
   *
   * @param hits the part
   * @param trials the whole
   * @return hits / trials, 0 when there are none
   */
  public static double share(long hits, long trials) {
    return trials <= 0 ? 0 : (double) hits / trials;
  }

  /**
   * Whether every configured impairment acted as it should.
   *
   * @return true when nothing was found
   */
  public boolean isValid() {
    return faults.isEmpty();
  }

  /**
   * Whether there was enough traffic to tell.
   *
   * @return true when 20 hits or more were to be expected of every impairment that was judged
   */
  public boolean isConclusive() {
    return leastExpected >= CONCLUSIVE_HITS;
  }

  /**
   * Whether a run that was ended early may be left unjudged.
   *
   * @param endedEarly by its user
   * @return true when it was and there was not enough traffic to tell
   */
  public boolean isExcusedBy(boolean endedEarly) {
    return endedEarly && !isConclusive();
  }

  /**
   * What was found.
   *
   * @return one line each, empty when valid
   */
  public List<String> faults() {
    return List.copyOf(faults);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.4g%%", share * 100);
  }
}
