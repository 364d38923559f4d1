// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import io.roce4j.transport.verbs.CompletionChannel;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.WorkCompletion;

/**
 * A completion queue that a tool polls, or with events one that it looks at only after it was told
 * to: armed, looked at once more, and left alone until the event. One thread.
 */
public final class CompletionSource {
  private final CompletionQueue queue;
  private final CompletionChannel events;
  private boolean isWaiting;

  private CompletionSource(CompletionQueue queue, CompletionChannel events) {
    this.queue = queue;
    this.events = events;
  }

  /**
   * Makes the queue, and the channel of its events.
   *
   * @param context of the endpoint
   * @param entries most completions that wait to be taken
   * @param isEventDriven with events
   * @return both; they are closed with the context
   */
  public static CompletionSource create(RdmaContext context, int entries, boolean isEventDriven) {
    CompletionChannel channel = isEventDriven ? context.createCompletionChannel() : null;
    return new CompletionSource(context.createCompletionQueue(entries, channel), channel);
  }

  /**
   * The queue, for queue pairs.
   *
   * @return never null
   */
  public CompletionQueue queue() {
    return queue;
  }

  /**
   * Takes the oldest completion.
   *
   * @param out overwritten when there is one
   * @return whether there was one, and with events whether it was time to look
   */
  public boolean poll(WorkCompletion out) {
    if (events == null) {
      return queue.poll(out);
    }
    if (isWaiting && events.pollEvent() == null) {
      return false;
    }
    isWaiting = false;
    if (queue.poll(out)) {
      return true;
    }
    queue.requestNotify(false);
    if (queue.poll(out)) {
      return true; // It came before the arming and raises no event.
    }
    isWaiting = true;
    return false;
  }
}
