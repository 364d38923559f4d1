// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.BitRate;
import io.roce4j.harness.measure.Throughput;
import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;

/** The live line of a run: rewritten in place on a terminal, a line a second elsewhere. */
final class SoakProgress {
  private static final long PERIOD_NS = 1_000_000_000;
  private static final int WIDTH = 100;

  private final PrintWriter out;
  private final boolean rewrites;
  private Runnable announcement;
  private String title = "";
  private long startedNs;
  private long lastNs;
  private long lastBytes;

  @SuppressWarnings("SystemConsoleNull") // The check knows JDK 22 to 24; since 25 null is back.
  SoakProgress(PrintWriter out) {
    this.out = out;
    // Null where neither input nor output is a terminal, as in a pipeline of a service.
    Console console = System.console();
    this.rewrites = console != null && console.isTerminal();
  }

  /**
   * What is to be shown before the first run begins: not earlier, since a run that cannot begin has
   * nothing to announce.
   *
   * @param show called once
   */
  void announce(Runnable show) {
    announcement = show;
  }

  void begin(String newTitle, long nowNs) {
    if (announcement != null) {
      announcement.run();
      announcement = null;
    }
    title = newTitle;
    startedNs = nowNs;
    lastNs = nowNs;
    lastBytes = 0;
  }

  /**
   * Whether a second has passed since the last line.
   *
   * @param nowNs the clock
   * @return true when {@link #show} is due
   */
  boolean isDue(long nowNs) {
    return nowNs - lastNs >= PERIOD_NS;
  }

  void show(long nowNs, long bytesVerified, long retransmissions, long timeouts, long findings) {
    double rate = Throughput.bitsPerSecond(bytesVerified - lastBytes, nowNs - lastNs);
    String line =
        String.format(
            Locale.ROOT,
            "%s  %3d s  %,.1f MB verified  %s  retransmissions %,d  timeouts %,d  errors %,d",
            title,
            (nowNs - startedNs) / PERIOD_NS,
            bytesVerified / 1e6,
            BitRate.format(rate),
            retransmissions,
            timeouts,
            findings);
    lastNs = nowNs;
    lastBytes = bytesVerified;
    if (rewrites) {
      out.print('\r' + pad(line));
      out.flush();
    } else {
      out.println(line);
    }
  }

  void end() {
    if (rewrites) {
      out.print('\r' + pad("") + '\r');
      out.flush();
    }
  }

  private static String pad(String line) {
    return line.length() >= WIDTH ? line : line + " ".repeat(WIDTH - line.length());
  }
}
