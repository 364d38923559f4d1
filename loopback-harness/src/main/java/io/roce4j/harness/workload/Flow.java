// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.measure.LatencyRecorder;

/**
 * Part of an application that moves verified data: a whole direction of a connection, or the half
 * of it that is at one end. One thread calls {@link #turn} over and over.
 */
public interface Flow extends AutoCloseable {
  /**
   * Takes completions, checks what arrived, posts what there is room for.
   *
   * @return completions taken and operations posted, 0 when there was nothing to do
   */
  int turn();

  /** Posts no more operations; {@link #turn} goes on taking completions. */
  void stop();

  /**
   * Whether nothing is in flight and nothing more will be posted.
   *
   * @return true when the flow is done
   */
  boolean isDone();

  /** Reports what never came. */
  void finish();

  /**
   * Messages whose work request completed with success; those that failed or were flushed are none.
   *
   * @return 0 or more
   */
  long completed();

  /**
   * Message bytes of completed messages.
   *
   * @return 0 or more
   */
  long bytesDelivered();

  /**
   * Message bytes that were compared and found right.
   *
   * @return 0 or more, {@link #bytesDelivered} when all is well
   */
  long bytesVerified();

  /**
   * Latencies since the last reset.
   *
   * @return written by the thread that calls {@link #turn}
   */
  LatencyRecorder latencies();

  /** Frees memory and completion queues; the queue pairs must be closed before. */
  @Override
  void close();
}
