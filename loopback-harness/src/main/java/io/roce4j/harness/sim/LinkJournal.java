// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.check.Journal;

/** Writes what links do to packets into a journal. */
final class LinkJournal implements LinkObserver {
  private final Journal journal;
  private final Timeline timeline;
  private final PacketSlots slots;

  LinkJournal(Journal journal, Timeline timeline, PacketSlots slots) {
    this.journal = journal;
    this.timeline = timeline;
    this.slots = slots;
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

  @Override
  public void onMarked(String port, int slot) {
    begin(port, "mark", slot).end();
  }

  @Override
  public void onPauseSent(String port, int classes, int quanta, int depth) {
    journal
        .begin(timeline.nowPs(), port, "pause")
        .hex("classes", classes)
        .field("quanta", quanta)
        .field("depth", depth)
        .end();
  }

  @Override
  public void onStorm(String port, int trafficClass, boolean began) {
    String what = began ? "storm" : "stormEnd";
    journal.begin(timeline.nowPs(), port, what).field("class", trafficClass).end();
  }

  @Override
  public void onLinkState(String port, boolean up) {
    journal.begin(timeline.nowPs(), port, up ? "linkUp" : "linkDown").end();
  }

  private Journal begin(String link, String what, int slot) {
    journal.begin(timeline.nowPs(), link, what);
    PacketLine.describe(
        journal, slots.buffer(slot), slots.bth(slot), slots.length(slot), slots.icrc(slot));
    return journal;
  }
}
