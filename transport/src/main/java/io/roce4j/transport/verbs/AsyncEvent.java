// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** One asynchronous event, copied into an object the caller owns. */
public final class AsyncEvent {
  /** The number names nothing: the event is the endpoint's. */
  public static final int DEVICE = 0;

  /** The number is a queue pair's. */
  public static final int QUEUE_PAIR = 1;

  /** The number is a completion queue's. */
  public static final int COMPLETION_QUEUE = 2;

  /** The number is a shared receive queue's. */
  public static final int SHARED_RECEIVE_QUEUE = 3;

  int type;
  int number;

  /** An empty event to poll into. */
  public AsyncEvent() {}

  /**
   * What happened.
   *
   * @return {@link AsyncEventType}
   */
  public int type() {
    return type;
  }

  /**
   * Which kind of object it happened to.
   *
   * @return a constant of this class
   */
  public int element() {
    return AsyncEventType.element(type);
  }

  /**
   * Which object it happened to.
   *
   * @return {@link QueuePair#qpNum}, {@link CompletionQueue#number} or {@link
   *     SharedReceiveQueue#number}; 0 for the endpoint
   */
  public int number() {
    return number;
  }

  @Override
  public String toString() {
    return AsyncEventType.name(type) + " " + number;
  }
}
