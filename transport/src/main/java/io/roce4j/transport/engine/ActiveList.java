// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * The connections that may have something to send: a FIFO chained through the slots themselves, so
 * that adding and removing cost nothing and 10,000 idle queue pairs are never looked at.
 */
final class ActiveList {

  private ConnectionSlot first;
  private ConnectionSlot last;

  boolean isEmpty() {
    return first == null;
  }

  /** Appends a slot unless it is in the list already. */
  void add(ConnectionSlot slot) {
    if (slot.active) {
      return;
    }
    slot.active = true;
    slot.previousActive = last;
    slot.nextActive = null;
    if (last == null) {
      first = slot;
    } else {
      last.nextActive = slot;
    }
    last = slot;
  }

  ConnectionSlot first() {
    return first;
  }

  /** Takes a slot out, if it is in. */
  void remove(ConnectionSlot slot) {
    if (!slot.active) {
      return;
    }
    if (slot.previousActive == null) {
      first = slot.nextActive;
    } else {
      slot.previousActive.nextActive = slot.nextActive;
    }
    if (slot.nextActive == null) {
      last = slot.previousActive;
    } else {
      slot.nextActive.previousActive = slot.previousActive;
    }
    slot.active = false;
    slot.nextActive = null;
    slot.previousActive = null;
  }

  /** Gives the others their turn. */
  void moveToEnd(ConnectionSlot slot) {
    remove(slot);
    add(slot);
  }
}
