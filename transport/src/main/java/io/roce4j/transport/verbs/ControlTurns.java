// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import java.util.function.Supplier;

/**
 * Makes control verbs take turns with the agent's duty cycle, whichever thread they come from. The
 * agent brings its own; {@link #direct} is for whoever drives everything from one thread.
 */
public interface ControlTurns {
  /**
   * Runs a control verb while no duty cycle runs, or from inside the one that does, and waits for
   * its result.
   *
   * @param action the verb
   * @param <T> type of the result
   * @return what the action returned
   * @throws RuntimeException what the action threw
   */
  <T> T call(Supplier<T> action);

  /**
   * As {@link #call} without a result.
   *
   * @param action the verb
   */
  default void run(Runnable action) {
    call(
        () -> {
          action.run();
          return null;
        });
  }

  /**
   * Turns of a single thread: every verb runs at once.
   *
   * @return stateless
   */
  static ControlTurns direct() {
    return new ControlTurns() {
      @Override
      public <T> T call(Supplier<T> action) {
        return action.get();
      }
    };
  }
}
