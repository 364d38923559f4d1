// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Serves threads that share one completion queue: each poll takes a lock [FC-54]. */
public final class LockedCompletionQueue {
  private final CompletionQueue queue;
  private final Object polls = new Object();

  /**
   * Wraps a queue. From now on all polls go through this.
   *
   * @param queue polled by nobody else
   */
  public LockedCompletionQueue(CompletionQueue queue) {
    this.queue = queue;
  }

  /**
   * The queue, for everything but polling.
   *
   * @return as given
   */
  public CompletionQueue queue() {
    return queue;
  }

  /**
   * As {@link CompletionQueue#poll(WorkCompletion)}, from any thread.
   *
   * @param out the calling thread's own
   * @return whether there was one
   */
  public boolean poll(WorkCompletion out) {
    synchronized (polls) {
      return queue.poll(out);
    }
  }

  /**
   * As {@link CompletionQueue#poll(WorkCompletion[], int)}, from any thread.
   *
   * @param out the calling thread's own
   * @param max most completions
   * @return how many were taken
   */
  public int poll(WorkCompletion[] out, int max) {
    synchronized (polls) {
      return queue.poll(out, max);
    }
  }

  /**
   * As {@link CompletionQueue#requestNotify}, from any thread.
   *
   * @param solicitedOnly only solicited and error completions raise the event
   */
  public void requestNotify(boolean solicitedOnly) {
    synchronized (polls) {
      queue.requestNotify(solicitedOnly);
    }
  }

  /**
   * As {@link CompletionQueue#takeEvents}, from any thread.
   *
   * @return 0 or more
   */
  public int takeEvents() {
    synchronized (polls) {
      return queue.takeEvents();
    }
  }
}
