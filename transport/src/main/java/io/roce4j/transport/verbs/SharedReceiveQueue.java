// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.queue.ReceiveQueue;

/**
 * Receives that several queue pairs share. Any thread may post; the agent takes an entry for a
 * queue pair at the first packet of a message, from then on it is that queue pair's.
 */
public final class SharedReceiveQueue implements ContextObject {
  private final ProtectionDomain pd;
  private final int number;
  private final ReceiveQueue queue;
  private final Object posters = new Object();
  private int limit;
  private int users;
  private volatile boolean open = true;

  SharedReceiveQueue(ProtectionDomain pd, int number, int maxWr, int maxSge) {
    this.pd = pd;
    this.number = number;
    this.queue = new ReceiveQueue(maxWr, maxSge);
  }

  /**
   * The number by which asynchronous events name it.
   *
   * @return 1 or more
   */
  public int number() {
    return number;
  }

  /**
   * The protection domain, whose regions its buffers lie in.
   *
   * @return where it was created
   */
  public ProtectionDomain protectionDomain() {
    return pd;
  }

  /**
   * Receives outstanding at most.
   *
   * @return as asked for
   */
  public int maxWr() {
    return queue.capacity();
  }

  /**
   * Scatter entries a receive at most.
   *
   * @return as asked for
   */
  public int maxSge() {
    return queue.sgeMax();
  }

  /**
   * Posts a receive. Any thread.
   *
   * @param request copied; free again when this returns
   * @return 0 or a {@link PostResult}
   */
  public int postReceive(ReceiveRequest request) {
    synchronized (posters) {
      if (!open) {
        return PostResult.CLOSED;
      }
      int result = ReceivePosting.post(queue, request);
      if (result == PostResult.OK) {
        queue.publish();
      }
      return result;
    }
  }

  /**
   * Posts receives up to the first bad one. Any thread.
   *
   * @param requests copied
   * @param count how many of them, 0..length
   * @return {@link PostResult#result} and {@link PostResult#posted}
   */
  public long postReceive(ReceiveRequest[] requests, int count) {
    synchronized (posters) {
      if (!open) {
        return PostResult.pack(PostResult.CLOSED, 0);
      }
      return ReceivePosting.postList(queue, requests, count);
    }
  }

  /**
   * Arms the limit event: SRQ_LIMIT_REACHED once, when taking a receive leaves fewer than this. A
   * limit above the present fill fires at the next take.
   *
   * @param newLimit 1..maxWr, or 0 to disarm
   * @throws VerbsException EINVAL when out of range
   */
  public void modify(int newLimit) {
    ProtectionDomain.checkLimit("srqLimit", newLimit, 0, maxWr());
    pd.context()
        .control()
        .run(
            () -> {
              checkOpen();
              limit = newLimit;
            });
  }

  /**
   * The armed limit.
   *
   * @return 0 when disarmed or fired
   */
  public int queryLimit() {
    return pd.context().control().call(() -> limit);
  }

  /**
   * Moves the oldest receive to a queue pair's own ring. Agent thread.
   *
   * @param held the queue pair's ring of taken receives
   * @return false when there is none
   */
  boolean takeInto(ReceiveQueue held) {
    if (!held.take(queue)) {
      return false;
    }
    // [rc 11-3] [rc 11-4] [rc 19-12]
    if (limit > 0 && queue.available() < limit) {
      limit = 0;
      pd.context().asyncEvents().raise(AsyncEventType.SRQ_LIMIT_REACHED, number);
    }
    return true;
  }

  /**
   * Receives posted and not taken. Agent thread.
   *
   * @return 0..maxWr
   */
  public int available() {
    return queue.available();
  }

  void checkOpen() {
    if (!open) {
      throw VerbsException.invalid("shared receive queue " + number + " is destroyed");
    }
  }

  void retain() {
    users++;
  }

  void release() {
    users--;
  }

  /**
   * Destroys the queue; receives in it vanish without completions. A second call does nothing.
   *
   * @throws VerbsException EBUSY while queue pairs use it
   */
  @Override
  public void close() {
    pd.context()
        .control()
        .run(
            () -> {
              if (!open) {
                return;
              }
              if (users != 0) {
                throw new VerbsException(
                    "EBUSY",
                    "shared receive queue " + number + " is used by " + users + " queue pairs");
              }
              synchronized (posters) {
                open = false;
                queue.close();
              }
              pd.context().rings().give(ReceiveQueue.bytes(queue.capacity(), queue.sgeMax()));
              pd.context().sharedQueueClosed(this);
              pd.release();
            });
  }
}
