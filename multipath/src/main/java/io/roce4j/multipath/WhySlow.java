// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Names what stands out in the report of a connection: paths or whole planes that lose, mark, delay
 * or fail more than the others, and what the connection waited for. Control path.
 */
public final class WhySlow {
  private static final int JUDGED_PACKETS = 16;
  private static final int JUDGED_LOSSES = 4;
  private static final double LOSS_FACTOR = 3;
  private static final double LOSS_LEAST = 0.01;
  private static final double MARKED = 0.5;
  private static final double MARKED_OTHERS = 0.1;
  private static final double RTT_FACTOR = 3;
  private static final double WAITED = 0.01;
  private static final double SAME_PLANE = 0.5;

  private final MxReport report;
  private final List<String> findings = new ArrayList<>();

  private WhySlow(MxReport report) {
    this.report = report;
  }

  /**
   * Explains a report.
   *
   * @param report of one side of a connection
   * @return a sentence for each thing that stands out; empty when nothing does
   */
  public static List<String> explain(MxReport report) {
    WhySlow why = new WhySlow(report);
    why.judgePaths(false);
    why.judgePaths(true);
    why.judgeConnection();
    return List.copyOf(why.findings);
  }

  /** One thing that can be wrong with a path. */
  private interface Judge {
    /** What is wrong, or null. */
    String of(PathReport path);
  }

  private void judgePaths(boolean responseHalf) {
    List<PathReport> half = new ArrayList<>();
    for (PathReport path : report.paths()) {
      boolean judged = path.sentPackets() >= JUDGED_PACKETS || path.failures() > 0;
      if (path.responseHalf() == responseHalf && judged) {
        half.add(path);
      }
    }
    double loss = median(half, PathReport::lossFraction);
    double marks = median(half, PathReport::markFraction);
    double rtt = median(half, path -> path.minimumRttNs());
    tell(half, WhySlow::failed);
    tell(
        half,
        path ->
            path.losses() >= JUDGED_LOSSES
                    && path.lossFraction() > Math.max(LOSS_LEAST, LOSS_FACTOR * loss)
                ? String.format(
                    Locale.ROOT,
                    "loses %.1f%% (median %.1f%%) and carries %.1f%% of the bytes",
                    100 * path.lossFraction(),
                    100 * loss,
                    100 * path.share())
                : null);
    tell(
        half,
        path ->
            path.markFraction() > MARKED && marks < MARKED_OTHERS
                ? String.format(
                    Locale.ROOT,
                    "has %.0f%% of its packets marked (median %.0f%%)",
                    100 * path.markFraction(),
                    100 * marks)
                : null);
    tell(
        half,
        path ->
            path.minimumRttNs() > RTT_FACTOR * rtt && rtt > 0
                ? String.format(
                    Locale.ROOT,
                    "takes at least %,d us for a round trip (median %,d us)",
                    path.minimumRttNs() / 1000,
                    (long) rtt / 1000)
                : null);
  }

  private static String failed(PathReport path) {
    if (path.failures() == 0 && path.state().equals("active")) {
      return null;
    }
    return String.format(
        Locale.ROOT,
        "was given up %d times, moved to another source port %d times, and is %s now",
        path.failures(),
        path.moves(),
        path.state());
  }

  /** One sentence a plane when most of its paths are concerned, else one a path. */
  private void tell(List<PathReport> half, Judge judge) {
    for (int plane = 0; plane < report.planes(); plane++) {
      List<PathReport> bad = new ArrayList<>();
      int all = 0;
      String first = null;
      for (PathReport path : half) {
        if (path.plane() == plane) {
          all++;
          String what = judge.of(path);
          if (what != null) {
            bad.add(path);
            first = first == null ? what : first;
          }
        }
      }
      if (bad.size() > 1 && bad.size() > SAME_PLANE * all && report.planes() > 1) {
        findings.add(
            "plane " + plane + ": " + bad.size() + " of its " + all + " paths; the first " + first);
        continue;
      }
      for (PathReport path : bad) {
        findings.add(name(path) + " " + judge.of(path));
      }
    }
  }

  private String name(PathReport path) {
    String half = path.responseHalf() ? "answers' path " : "path ";
    String plane = report.planes() > 1 ? " (plane " + path.plane() + ")" : "";
    return half + path.path() + plane;
  }

  private void judgeConnection() {
    long packets = Math.max(1, report.counter("dataPackets"));
    waited("creditStalls", packets, "messages waited for the peer to post receives");
    waited(
        "trackerStalls", packets, "trains waited for the peer's tracker: one path holds it back");
    long spurious = report.counter("spurious");
    if (spurious > WAITED * packets) {
      findings.add(
          String.format(
              Locale.ROOT,
              "%,d packets were repeated that had not been lost: reordering",
              spurious));
    }
  }

  private void waited(String counter, long packets, String what) {
    long count = report.counter(counter);
    if (count > WAITED * packets) {
      findings.add(String.format(Locale.ROOT, "%,d %s", count, what));
    }
  }

  /** A number of a path. */
  private interface Measure {
    double of(PathReport path);
  }

  private static double median(List<PathReport> paths, Measure measure) {
    double[] values = new double[paths.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = measure.of(paths.get(i));
    }
    java.util.Arrays.sort(values);
    return values.length == 0 ? 0 : values[(values.length - 1) / 2];
  }
}
