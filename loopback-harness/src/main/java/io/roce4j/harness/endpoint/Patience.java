// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import io.roce4j.harness.cli.TimeSpan;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Waits for something of the peer while the endpoint goes on working, and gives up when the peer
 * shows no sign of life for too long: neither what is waited for nor a packet. A wait is therefore
 * as long as the peer works, and bounded when it does not. One thread.
 */
public final class Patience {
  private static final int SPINS = 2_000;
  private static final int YIELDS = 50;
  private static final long MIN_PARK_NS = 1_000;
  private static final long MAX_PARK_NS = 50_000;
  private static final int CLOCK_PERIOD_TURNS = 16;

  private final IntSupplier turn;
  private final LongSupplier lifeSigns;
  private final long silenceNs;
  private final NanoClock clock;
  private final IdleStrategy idle =
      new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, MAX_PARK_NS);
  private long lastLifeSigns;
  private long lastLifeNs;

  /**
   * A way to wait.
   *
   * @param turn does a turn of work and returns how much there was
   * @param lifeSigns grows with every sign of life of the peer
   * @param silenceNs longest time without one
   * @param clock tells the time
   */
  public Patience(IntSupplier turn, LongSupplier lifeSigns, long silenceNs, NanoClock clock) {
    this.turn = turn;
    this.lifeSigns = lifeSigns;
    this.silenceNs = silenceNs;
    this.clock = clock;
    this.lastLifeNs = clock.nanoTime();
  }

  /**
   * Waits where there is no endpoint yet.
   *
   * @param silenceNs longest time
   * @param clock tells the time
   * @return a patience without work
   */
  public static Patience withoutEndpoint(long silenceNs, NanoClock clock) {
    return new Patience(() -> 0, () -> 0, silenceNs, clock);
  }

  /**
   * Waits for a condition.
   *
   * @param condition asked between turns
   * @return false when the peer was silent for too long
   */
  public boolean await(BooleanSupplier condition) {
    refresh();
    idle.reset();
    int turns = 0;
    while (!condition.getAsBoolean()) {
      idle.idle(turn.getAsInt());
      if (++turns % CLOCK_PERIOD_TURNS == 0 && isSilentTooLong()) {
        return condition.getAsBoolean();
      }
    }
    return true;
  }

  /**
   * One turn, for loops that have conditions of their own: rests when there was nothing to do.
   *
   * @param work that the caller has done
   */
  public void turn(int work) {
    idle.idle(work + turn.getAsInt());
  }

  /** The peer has just shown life by something else than a packet. */
  public void refresh() {
    lastLifeSigns = lifeSigns.getAsLong();
    lastLifeNs = clock.nanoTime();
  }

  /**
   * Whether the peer is silent for too long now.
   *
   * @return true when no packet came for the longest time allowed
   */
  public boolean isSilentTooLong() {
    return silentForNs() > silenceNs;
  }

  /**
   * How long the peer has shown no life, as far as this was asked.
   *
   * @return nanoseconds since the call that found the last sign
   */
  public long silentForNs() {
    long signs = lifeSigns.getAsLong();
    long nowNs = clock.nanoTime();
    if (signs != lastLifeSigns) {
      lastLifeSigns = signs;
      lastLifeNs = nowNs;
    }
    return nowNs - lastLifeNs;
  }

  /**
   * The longest silence in words.
   *
   * @return such as {@code 30.0s}
   */
  public String limit() {
    return TimeSpan.format((double) silenceNs);
  }
}
