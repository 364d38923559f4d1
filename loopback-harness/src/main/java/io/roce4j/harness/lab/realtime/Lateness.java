// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.realtime;

import io.roce4j.harness.cli.TimeSpan;
import io.roce4j.harness.measure.LatencyRecorder;
import java.util.Locale;
import java.util.Optional;

/**
 * How late an emulator was that ran by the clock of the machine: of each packet twice, as it came
 * in and as it left. A pause of the JVM or of the machine looks like jitter of the network; it is
 * told here, and a run with too much of it proves nothing [FE 8.7]. All times are real.
 */
public final class Lateness {
  private static final long PAUSE_NS = 1_000_000;

  private final LatencyRecorder recorder = new LatencyRecorder();
  private final long toleratedNs;
  private final double toleratedShare;
  private long late;
  private long longestPauseNs;
  private long pauses;
  private long lastTurnNs = Long.MIN_VALUE;

  /**
   * Begins to record.
   *
   * @param toleratedNs what is more than this is late
   * @param toleratedShare largest share of packets that may be late, 0 to 1
   */
  public Lateness(long toleratedNs, double toleratedShare) {
    this.toleratedNs = toleratedNs;
    this.toleratedShare = toleratedShare;
  }

  /**
   * A packet was handed on.
   *
   * @param ns after it should have been
   */
  public void record(long ns) {
    recorder.record(Math.max(0, ns));
    late += ns > toleratedNs ? 1 : 0;
  }

  /**
   * The emulator begins to look around once more; what passed since it last did is a pause.
   *
   * @param nowNs the present
   */
  public void turn(long nowNs) {
    if (lastTurnNs != Long.MIN_VALUE) {
      long pauseNs = nowNs - lastTurnNs;
      longestPauseNs = Math.max(longestPauseNs, pauseNs);
      pauses += pauseNs >= PAUSE_NS ? 1 : 0;
    }
    lastTurnNs = nowNs;
  }

  /**
   * The distribution.
   *
   * @return live
   */
  public LatencyRecorder recorder() {
    return recorder;
  }

  /**
   * The limit.
   *
   * @return what is more is late, ns
   */
  public long toleratedNs() {
    return toleratedNs;
  }

  /**
   * How many of the recorded times were late.
   *
   * @return 0 to 1; 0 when nothing was recorded
   */
  public double lateShare() {
    return recorder.count() == 0 ? 0 : late / (double) recorder.count();
  }

  /**
   * The longest time in which the emulator did not look around.
   *
   * @return ns
   */
  public long longestPauseNs() {
    return longestPauseNs;
  }

  /**
   * Such times of a millisecond and more.
   *
   * @return 0 or more
   */
  public long pauses() {
    return pauses;
  }

  /**
   * Judges the run.
   *
   * @return why it is not valid, or empty
   */
  public Optional<String> fault() {
    if (lateShare() <= toleratedShare) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "the emulator was more than %s late for %.3g%% of the packets, and %.3g%% are tolerated"
                + " (longest pause %s): this machine does not carry the rate, run it --slower",
            TimeSpan.format((double) toleratedNs),
            100 * lateShare(),
            100 * toleratedShare,
            TimeSpan.format((double) longestPauseNs)));
  }
}
