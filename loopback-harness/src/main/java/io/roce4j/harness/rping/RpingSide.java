// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

/** One side of the conversation, in steps. */
interface RpingSide extends AutoCloseable {
  /** Does what can be done now; false when there was nothing. */
  boolean turn();

  /** Whether there is nothing more to do. */
  boolean isDone();

  /** Why it ended early, or null. */
  String fault();

  /** Iterations that were finished, verified when that was wanted. */
  long iterations();

  /** What the connections spoke: mx only where both sides offered it. */
  String transport();

  /** The user has had enough. */
  void stop();

  @Override
  void close();
}
