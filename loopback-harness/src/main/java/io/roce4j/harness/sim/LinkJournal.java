// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.check.Journal;

/** Writes what links do to packets into a journal. */
final class LinkJournal implements LinkObserver {
  private final Journal journal;
  private final Simulation simulation;

  LinkJournal(Journal journal, Simulation simulation) {
    this.journal = journal;
    this.simulation = simulation;
  }

  @Override
  public void onDropped(String link, int slot, int reason) {
    begin(link, "drop", slot).field("reason", LinkObserver.reasonName(reason)).end();
  }

  @Override
  public void onDuplicated(String link, int slot) {
    begin(link, "duplicate", slot).end();
  }

  @Override
  public void onCorrupted(String link, int slot, int bit) {
    begin(link, "corrupt", slot).field("bit", bit).end();
  }

  @Override
  public void onHeld(String link, int slot) {
    begin(link, "hold", slot).end();
  }

  private Journal begin(String link, String what, int slot) {
    PacketSlots slots = simulation.network().slots();
    journal.begin(simulation.timeline().nowPs(), link, what);
    PacketLine.describe(journal, slots.buffer(slot), slots.bth(slot), slots.length(slot));
    return journal;
  }
}
