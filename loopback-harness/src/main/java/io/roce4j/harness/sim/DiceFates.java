// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.impair.PacketDice;

/** The fates that the dice of a plain link draw. */
final class DiceFates implements WireFates {
  private final PacketDice dice;
  private final Order order;

  DiceFates(PacketDice dice, boolean keepsOrder) {
    this.dice = dice;
    this.order = keepsOrder ? Order.KEPT : Order.FREE;
  }

  @Override
  public int nextFate(PacketSlots slots, int slot, long nowPs) {
    return dice.nextFate();
  }

  @Override
  public int lossReason() {
    return LinkObserver.LOST;
  }

  @Override
  public long nextDelayPs() {
    return dice.nextDelayNs() * Timeline.PS_PER_NS;
  }

  @Override
  public int nextBit(int lengthBytes) {
    return dice.nextBit(lengthBytes);
  }

  @Override
  public Order order() {
    return order;
  }

  @Override
  public int nextReorderGap() {
    return dice.impairment().reorderGap();
  }

  @Override
  public long reorderHoldPs() {
    return dice.impairment().reorderHoldNs() * Timeline.PS_PER_NS;
  }
}
