// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** Serves threads that share one queue pair: each post takes a lock [FC-54]. */
public final class LockedQueuePair {
  private final QueuePair queuePair;
  private final Object sends = new Object();
  private final Object receives = new Object();

  /**
   * Wraps a queue pair. From now on all posts go through this.
   *
   * @param queuePair posted to by nobody else
   */
  public LockedQueuePair(QueuePair queuePair) {
    this.queuePair = queuePair;
  }

  /**
   * The queue pair, for everything but posting.
   *
   * @return as given
   */
  public QueuePair queuePair() {
    return queuePair;
  }

  /**
   * As {@link QueuePair#postSend(SendRequest)}, from any thread.
   *
   * @param request the calling thread's own
   * @return 0 or a {@link PostResult}
   */
  public int postSend(SendRequest request) {
    synchronized (sends) {
      return queuePair.postSend(request);
    }
  }

  /**
   * As {@link QueuePair#postSend(SendRequest[], int)}, from any thread; the chain is not mixed with
   * others'.
   *
   * @param requests the calling thread's own
   * @param count how many
   * @return {@link PostResult#result} and {@link PostResult#posted}
   */
  public long postSend(SendRequest[] requests, int count) {
    synchronized (sends) {
      return queuePair.postSend(requests, count);
    }
  }

  /**
   * As {@link QueuePair#postReceive(ReceiveRequest)}, from any thread.
   *
   * @param request the calling thread's own
   * @return 0 or a {@link PostResult}
   */
  public int postReceive(ReceiveRequest request) {
    synchronized (receives) {
      return queuePair.postReceive(request);
    }
  }

  /**
   * As {@link QueuePair#postReceive(ReceiveRequest[], int)}, from any thread.
   *
   * @param requests the calling thread's own
   * @param count how many
   * @return {@link PostResult#result} and {@link PostResult#posted}
   */
  public long postReceive(ReceiveRequest[] requests, int count) {
    synchronized (receives) {
      return queuePair.postReceive(requests, count);
    }
  }
}
