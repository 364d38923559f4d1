// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.LossRule;
import io.roce4j.harness.fabric.topology.PacketMatch;
import io.roce4j.harness.impair.GilbertElliottLoss;
import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.packet.Bth;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** A {@link LossRule} at work on one direction of a cable. */
final class PacketLoss {
  private final PacketMatch match;
  private final boolean takesAllOpcodes;
  private final Decision decision;
  private final int reason;
  private long trials;
  private long hits;

  /** Which of the packets that the rule is about are lost. */
  private interface Decision {
    boolean loses(PacketSlots slots, int slot, long nowPs);
  }

  PacketLoss(LossRule rule, SplittableRandom random) {
    match = rule.match();
    takesAllOpcodes = match.opcodes().isEmpty();
    decision = decision(rule.pattern(), random);
    reason =
        rule.pattern() instanceof LossRule.Everything ? LinkObserver.BLACK_HOLE : LinkObserver.LOST;
  }

  private static Decision decision(LossRule.Pattern pattern, SplittableRandom random) {
    return switch (pattern) {
      case LossRule.Independent p -> of(LossModel.independent(p.probability(), random));
      case LossRule.EveryNth p -> of(LossModel.everyNth(p.n()));
      case LossRule.GilbertElliott p ->
          of(
              new GilbertElliottLoss(
                  p.toBad(), p.toGood(), p.lossWhenBad(), p.lossWhenGood(), random));
      case LossRule.BadTimes p -> new BadTimesLoss(p, random);
      case LossRule.FirstOf p -> new FirstOfLoss(p);
      case LossRule.IpIdentification p ->
          (slots, slot, nowPs) -> identification(slots, slot) == p.lowByte();
      case LossRule.Everything p -> (slots, slot, nowPs) -> true;
    };
  }

  private static Decision of(LossModel model) {
    return (slots, slot, nowPs) -> model.losesNext();
  }

  private static int identification(PacketSlots slots, int slot) {
    int ip = slots.bth(slot) - slots.headerBytes(slot);
    return FabricHeader.isIpv4(slots.headerBytes(slot))
        ? Ipv4Header.identification(slots.buffer(slot), ip) & 0xFF
        : -1;
  }

  boolean loses(PacketSlots slots, int slot, long nowPs) {
    if (!matches(slots, slot)) {
      return false;
    }
    trials++;
    boolean isLost = decision.loses(slots, slot, nowPs);
    hits += isLost ? 1 : 0;
    return isLost;
  }

  private boolean matches(PacketSlots slots, int slot) {
    int length = slots.length(slot);
    return length >= match.minBytes()
        && length <= match.maxBytes()
        && (match.buckets() == 1 || slots.path(slot) % match.buckets() == match.bucket())
        && (takesAllOpcodes
            || match.opcodes().get(Bth.opcode(slots.buffer(slot), slots.bth(slot))));
  }

  int reason() {
    return reason;
  }

  long trials() {
    return trials;
  }

  long hits() {
    return hits;
  }

  /** Bad times of exponential length. */
  private static final class BadTimesLoss implements Decision {
    private final LossRule.BadTimes times;
    private final SplittableRandom random;
    private boolean isBad;
    private long changePs;

    private BadTimesLoss(LossRule.BadTimes times, SplittableRandom random) {
      this.times = times;
      this.random = random;
      this.changePs = draw(times.meanGoodNs());
    }

    private long draw(long meanNs) {
      // StrictMath: the same bits on every machine, compiled or not.
      double ns = -StrictMath.log(1 - random.nextDouble()) * meanNs;
      return 1 + (long) (ns * Timeline.PS_PER_NS);
    }

    @Override
    public boolean loses(PacketSlots slots, int slot, long nowPs) {
      while (changePs <= nowPs) {
        isBad = !isBad;
        changePs += draw(isBad ? times.meanBadNs() : times.meanGoodNs());
      }
      return isBad;
    }
  }

  /** The first transmission of each of some packets. */
  private static final class FirstOfLoss implements Decision {
    private final int destQp;
    private final Set<Integer> left;

    private FirstOfLoss(LossRule.FirstOf packets) {
      destQp = packets.destQp();
      left = new HashSet<>(packets.psns());
    }

    @Override
    public boolean loses(PacketSlots slots, int slot, long nowPs) {
      return Bth.destQp(slots.buffer(slot), slots.bth(slot)) == destQp
          && left.remove(Bth.psn(slots.buffer(slot), slots.bth(slot)));
    }
  }
}
