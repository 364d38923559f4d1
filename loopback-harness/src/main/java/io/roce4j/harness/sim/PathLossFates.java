// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.LossModel;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.impair.PacketFate;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The fates of a plain link whose losses are those of several ways behind it: each source port has
 * a loss model of its own, clocked by its packets alone. Beside it the dice draw as ever.
 */
final class PathLossFates implements WireFates {
  private final WireFates dice;
  private final IntFunction<LossModel> lossOfPort;
  private final Map<Integer, LossModel> losses = new HashMap<>();

  PathLossFates(PacketDice dice, boolean keepsOrder, IntFunction<LossModel> lossOfPort) {
    this.dice = new DiceFates(dice, keepsOrder);
    this.lossOfPort = lossOfPort;
  }

  @Override
  public int nextFate(PacketSlots slots, int slot, long nowPs) {
    int fate = dice.nextFate(slots, slot, nowPs);
    LossModel loss = losses.computeIfAbsent(slots.path(slot), lossOfPort::apply);
    return loss.losesNext() ? PacketFate.LOSES : fate;
  }

  @Override
  public int lossReason() {
    return dice.lossReason();
  }

  @Override
  public long nextDelayPs() {
    return dice.nextDelayPs();
  }

  @Override
  public int nextBit(int lengthBytes) {
    return dice.nextBit(lengthBytes);
  }

  @Override
  public Order order() {
    return dice.order();
  }

  @Override
  public int nextReorderGap() {
    return dice.nextReorderGap();
  }

  @Override
  public long reorderHoldPs() {
    return dice.reorderHoldPs();
  }
}
