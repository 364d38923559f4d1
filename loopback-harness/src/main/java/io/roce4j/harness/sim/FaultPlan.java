// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.GilbertElliottLoss;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.random.SeededStreams;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What goes wrong in a simulated run and when it heals: links with drawn impairments each way,
 * burst loss, blackouts; then perfect links. Drawn from a seed, or made by hand for one exact
 * scenario.
 */
public final class FaultPlan {
  private static final long MS = 1_000_000;
  private static final long US = 1_000;
  private static final long GBIT = 1_000_000_000;
  private static final long REORDERED_BYTES = 500;

  private final LinkSettings forth;
  private final LinkSettings back;
  private final double burstPackets;
  private final List<Blackout> blackouts;
  private final long healNs;

  /**
   * A time without a link.
   *
   * @param startNs when it goes down
   * @param endNs when it comes up again, after the start
   * @param forth whether the link from the first to the second endpoint is down
   * @param back whether the link from the second to the first is down
   */
  public record Blackout(long startNs, long endNs, boolean forth, boolean back) {}

  /**
   * Makes an exact plan.
   *
   * @param forth the link from the first endpoint to the second until it heals
   * @param back the link from the second endpoint to the first until it heals
   * @param burstPackets mean length of loss bursts; 0 for independent losses
   * @param blackouts times without a link
   * @param healNs from when on links are perfect
   */
  public FaultPlan(
      LinkSettings forth,
      LinkSettings back,
      double burstPackets,
      List<Blackout> blackouts,
      long healNs) {
    this.forth = forth;
    this.back = back;
    this.burstPackets = burstPackets;
    this.blackouts = List.copyOf(blackouts);
    this.healNs = healNs;
  }

  /**
   * Draws a plan: each kind of fault is absent in half of the plans, so that both single faults and
   * mixtures come up.
   *
   * @param streams of the run
   * @return the plan of that seed
   */
  public static FaultPlan draw(SeededStreams streams) {
    SplittableRandom random = streams.stream("faultPlan");
    long bitsPerSecond = pick(random, GBIT, 10 * GBIT, 25 * GBIT, 100 * GBIT);
    long delayNs = random.nextLong(500, 50 * US);
    long queueBytes = pick(random, 64 << 10, 256 << 10, 1 << 20);
    LinkSettings base = LinkSettings.perfect(bitsPerSecond, delayNs, queueBytes);
    LinkSettings forth = drawLink(random, base);
    LinkSettings back = drawLink(random, base);
    double burstPackets = random.nextInt(4) == 0 ? random.nextDouble(1.5, 8) : 0;
    long healNs = random.nextLong(2 * MS, 15 * MS);
    List<Blackout> blackouts = new ArrayList<>();
    for (int i = random.nextInt(4) - 1; i > 0; i--) {
      long startNs = random.nextLong(healNs);
      long endNs = Math.min(healNs, startNs + random.nextLong(10 * US, 3 * MS));
      int which = random.nextInt(3);
      blackouts.add(new Blackout(startNs, endNs, which != 1, which != 2));
    }
    return new FaultPlan(forth, back, burstPackets, blackouts, healNs);
  }

  private static LinkSettings drawLink(SplittableRandom random, LinkSettings base) {
    Impairment impairment =
        Impairment.none()
            .withLoss(maybe(random, 0.05))
            .withReorder(maybe(random, 0.2))
            .withReorderGap(random.nextInt(1, 9), random.nextLong(5 * US, 200 * US))
            .withDuplicate(maybe(random, 0.05))
            .withCorrupt(maybe(random, 0.03))
            .withJitterNs(random.nextBoolean() ? random.nextLong(20 * US) : 0);
    boolean keepsOrder = random.nextBoolean();
    if (!keepsOrder) {
      // More than a few packets of disorder, packet after packet, and go-back-N stands still.
      long disorderNs = REORDERED_BYTES * 8 * 1_000_000_000L / base.bitsPerSecond();
      impairment = impairment.withJitterNs(Math.min(impairment.jitterNs(), disorderNs));
    }
    return base.with(impairment).keepingOrder(keepsOrder);
  }

  private static double maybe(SplittableRandom random, double most) {
    return random.nextBoolean() ? random.nextDouble(most) : 0;
  }

  private static long pick(SplittableRandom random, long... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /**
   * The link from the first endpoint to the second while faults last.
   *
   * @return rate, delay, queue and impairments
   */
  public LinkSettings forth() {
    return forth;
  }

  /**
   * From when on nothing goes wrong.
   *
   * @return virtual time, ns
   */
  public long healNs() {
    return healNs;
  }

  /**
   * Puts the plan into force on two links and schedules its changes.
   *
   * @param timeline of the run, at time 0
   * @param streams of the run
   * @param there the link from the first endpoint to the second
   * @param here the link from the second endpoint to the first
   */
  public void apply(Timeline timeline, SeededStreams streams, SimLink there, SimLink here) {
    reconfigure(there, forth, streams.child("faults.forth"));
    reconfigure(here, back, streams.child("faults.back"));
    for (Blackout blackout : blackouts) {
      schedule(timeline, blackout.startNs(), () -> set(blackout, there, here, false));
      schedule(timeline, blackout.endNs(), () -> set(blackout, there, here, true));
    }
    schedule(timeline, healNs, () -> heal(there, here));
  }

  private void reconfigure(SimLink link, LinkSettings settings, SeededStreams streams) {
    double loss = settings.impairment().loss();
    if (burstPackets > 0 && loss > 0) {
      LossModel bursts = GilbertElliottLoss.bursts(loss, burstPackets, streams.stream("burstLoss"));
      link.reconfigure(settings, new PacketDice(settings.impairment(), bursts, streams));
    } else {
      link.reconfigure(settings, new PacketDice(settings.impairment(), streams));
    }
  }

  private static void schedule(Timeline timeline, long atNs, Runnable change) {
    timeline.schedule(atNs * Timeline.PS_PER_NS, (kind, argument) -> change.run(), 0, 0);
  }

  private static void set(Blackout blackout, SimLink there, SimLink here, boolean up) {
    if (blackout.forth()) {
      there.setUp(up);
    }
    if (blackout.back()) {
      here.setUp(up);
    }
  }

  private void heal(SimLink there, SimLink here) {
    there.setUp(true);
    here.setUp(true);
    there.reconfigure(perfect(forth));
    here.reconfigure(perfect(back));
  }

  private static LinkSettings perfect(LinkSettings link) {
    return LinkSettings.perfect(link.bitsPerSecond(), link.delayNs(), link.queueBytes());
  }

  @Override
  public String toString() {
    return "forth "
        + forth
        + ", back "
        + back
        + (burstPackets > 0 ? ", loss in bursts of " + burstPackets : "")
        + ", "
        + blackouts
        + ", heals at "
        + healNs
        + " ns";
  }
}
