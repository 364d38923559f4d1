// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * What all rings of a context may have of off-heap memory: queues are made of sizes that others
 * wish, and each may be within its own limit while together they end the process. Control path.
 */
final class RingBudget {
  private final long most;
  private long used;

  RingBudget(long most) {
    this.most = most;
  }

  /**
   * Takes what an object's rings need, before they are allocated.
   *
   * @throws VerbsException ENOMEM with the size and what is left; nothing is taken then
   */
  void take(String what, long bytes) {
    if (bytes > Integer.MAX_VALUE || bytes > most - used) {
      throw new VerbsException(
          "ENOMEM",
          what
              + " with rings of "
              + bytes
              + " bytes: "
              + (most - used)
              + " are left of the context's "
              + most
              + ", a ring may have 2 GiB");
    }
    used += bytes;
  }

  /** Gives back what {@link #take} took. */
  void give(long bytes) {
    used -= bytes;
  }
}
