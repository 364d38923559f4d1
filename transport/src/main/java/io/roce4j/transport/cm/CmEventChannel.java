// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * Where the events of ids arrive: librdmacm's event channel. One thread polls; it may be another
 * than the agent's.
 *
 * <p>Bounded by what can happen: an id has a handful of events in its life, and nothing new begins
 * while more than {@link CmSettings#maxEvents()} wait here.
 */
public final class CmEventChannel {
  private final ManyToOneConcurrentLinkedQueue<CmEvent> queue =
      new ManyToOneConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final int maxEvents;

  CmEventChannel(int maxEvents) {
    this.maxEvents = maxEvents;
  }

  /**
   * Takes the oldest event. Events of ids that were closed meanwhile are gone.
   *
   * @return the event, or null when there is none
   */
  public CmEvent poll() {
    CmEvent event = queue.poll();
    while (event != null) {
      waiting.decrementAndGet();
      if (event.id().deliver(event)) {
        return event;
      }
      event = queue.poll();
    }
    return null;
  }

  /**
   * Events that wait, those of closed ids included.
   *
   * @return 0 or more
   */
  public int waiting() {
    return waiting.get();
  }

  /** Whether something new may begin. */
  boolean hasRoom() {
    return waiting.get() < maxEvents;
  }

  void add(CmEvent event) {
    waiting.incrementAndGet();
    queue.add(event);
  }
}
