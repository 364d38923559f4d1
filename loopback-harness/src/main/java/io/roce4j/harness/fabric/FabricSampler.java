// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.sim.Timeline;
import java.util.List;

/**
 * Looks at some ports at fixed intervals and keeps what it sees: what a page draws over time.
 *
 * <p>Each sample is about the interval that ends with it, but for the queue, which is as it is
 * then. Memory is bounded by the number of samples, which is known at the start.
 */
public final class FabricSampler implements Timeline.Occurrence {
  private static final int MAX_VALUES = 50_000_000;

  /** What is kept of a port. */
  public enum Quantity {
    /** Wire bytes that wait. */
    QUEUE_BYTES(0),
    /** Wire bytes sent. */
    SENT_BYTES(1),
    /** Packets marked. */
    MARKS(2),
    /** Packets dropped. */
    DROPS(3),
    /** Pause frames sent. */
    PAUSE_FRAMES(4),
    /** Nanoseconds paused by the peer, all classes together. */
    PAUSED_NS(5);

    private final int index;

    Quantity(int index) {
      this.index = index;
    }
  }

  private static final Quantity[] QUANTITIES = Quantity.values();

  private final Timeline timeline;
  private final List<FabricPort> ports;
  private final long intervalPs;
  private final int limit;
  private final long[] timesNs;
  private final long[][] values;
  private final long[][] before;
  private int samples;

  FabricSampler(Timeline timeline, List<FabricPort> ports, long intervalNs, long untilNs) {
    if (intervalNs < 1 || untilNs < intervalNs) {
      throw new IllegalArgumentException(
          "samples every " + intervalNs + " ns until " + untilNs + " ns: needs 1 or more of them");
    }
    long count = (untilNs - timeline.nowNs()) / intervalNs;
    if (count * ports.size() * QUANTITIES.length > MAX_VALUES) {
      throw new IllegalArgumentException(
          count
              + " samples of "
              + ports.size()
              + " ports: allowed are "
              + MAX_VALUES / QUANTITIES.length
              + " together; sample fewer ports or less often");
    }
    this.timeline = timeline;
    this.ports = List.copyOf(ports);
    this.intervalPs = intervalNs * Timeline.PS_PER_NS;
    this.limit = (int) count;
    this.timesNs = new long[limit];
    this.values = new long[ports.size() * QUANTITIES.length][limit];
    this.before = new long[ports.size()][QUANTITIES.length];
    timeline.schedule(timeline.nowPs() + intervalPs, this, 0, 0);
  }

  @Override
  public void happen(int kind, long argument) {
    timesNs[samples] = timeline.nowNs();
    for (int i = 0; i < ports.size(); i++) {
      for (Quantity quantity : QUANTITIES) {
        int index = quantity.index;
        long now = read(ports.get(i), quantity);
        boolean isLevel = quantity == Quantity.QUEUE_BYTES;
        values[i * QUANTITIES.length + index][samples] = isLevel ? now : now - before[i][index];
        before[i][index] = now;
      }
    }
    if (++samples < limit) {
      timeline.schedule(timeline.nowPs() + intervalPs, this, 0, 0);
    }
  }

  private static long read(FabricPort port, Quantity quantity) {
    return switch (quantity) {
      case QUEUE_BYTES -> port.queueBytes();
      case SENT_BYTES -> port.sentBytes();
      case MARKS -> port.markedPackets();
      case DROPS -> port.droppedPackets() + port.impairmentCounts().lost;
      case PAUSE_FRAMES -> port.pauseFramesSent();
      case PAUSED_NS -> port.pausedNs();
    };
  }

  /**
   * The ports that are looked at.
   *
   * @return in the order given
   */
  public List<FabricPort> ports() {
    return ports;
  }

  /**
   * Samples so far.
   *
   * @return 0 or more
   */
  public int samples() {
    return samples;
  }

  /**
   * When a sample was taken.
   *
   * @param sample 0 to {@link #samples} - 1
   * @return virtual time, ns
   */
  public long timeNs(int sample) {
    return timesNs[sample];
  }

  /**
   * A value.
   *
   * @param port index in {@link #ports}
   * @param quantity which
   * @param sample 0 to {@link #samples} - 1
   * @return in the quantity's unit
   */
  public long value(int port, Quantity quantity, int sample) {
    return values[port * QUANTITIES.length + quantity.index][sample];
  }
}
