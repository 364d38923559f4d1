// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.queue.RingLayout;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Collects the events of several completion queues for one thread that polls it. No thread and no
 * file descriptor behind it: polling is how one waits here.
 *
 * <p>Nothing is queued, each completion queue counts its own events; so nothing can overflow.
 */
public final class CompletionChannel implements ContextObject {
  private final RdmaContext context;
  private final UnsafeBuffer counter;
  // Replaced whole when a queue comes or goes; the poller reads whichever it sees.
  private volatile CompletionQueue[] queues = {};
  private long raised;
  private long taken;
  private int next;
  private boolean open = true;

  CompletionChannel(RdmaContext context) {
    this.context = context;
    this.counter =
        NativeMemory.allocate("completion-channel", RingLayout.ALIGNMENT, RingLayout.ALIGNMENT);
  }

  /**
   * Takes one event, acknowledging it. Queues take turns. Poller thread.
   *
   * @return the queue whose event it was, or null when there is none
   */
  public CompletionQueue pollEvent() {
    if (counter.getLongAcquire(0) == taken) {
      return null;
    }
    CompletionQueue[] list = queues;
    for (int i = 0; i < list.length; i++) {
      int at = next >= list.length ? 0 : next;
      next = at + 1;
      if (list[at].events().hasEvent()) {
        list[at].events().takeOne();
        taken++;
        return list[at];
      }
    }
    // Events of a queue that was destroyed since, or taken from the queue itself.
    taken = counter.getLongAcquire(0);
    return null;
  }

  void checkUsableBy(RdmaContext other) {
    if (other != context || !open) {
      throw VerbsException.invalid("completion channel is closed or another context's");
    }
  }

  void add(CompletionQueue queue) {
    CompletionQueue[] longer = new CompletionQueue[queues.length + 1];
    System.arraycopy(queues, 0, longer, 0, queues.length);
    longer[queues.length] = queue;
    queues = longer;
  }

  void remove(CompletionQueue queue) {
    CompletionQueue[] shorter = new CompletionQueue[queues.length - 1];
    int kept = 0;
    for (CompletionQueue other : queues) {
      if (other != queue) {
        shorter[kept++] = other;
      }
    }
    queues = shorter;
  }

  /** Counts an event of one of the queues. Agent thread. */
  void onEvent() {
    raised++;
    counter.putLongRelease(0, raised);
  }

  /**
   * Destroys the channel. A second call does nothing.
   *
   * @throws VerbsException EBUSY while completion queues use it
   */
  @Override
  public void close() {
    context
        .control()
        .run(
            () -> {
              if (queues.length != 0) {
                throw new VerbsException(
                    "EBUSY", "completion channel is used by " + queues.length + " queues");
              }
              if (open) {
                open = false;
                context.untrack(this);
                NativeMemory.release(counter);
              }
            });
  }
}
