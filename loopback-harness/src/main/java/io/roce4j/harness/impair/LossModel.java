// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.impair;

import java.util.SplittableRandom;

/** Decides packet by packet which are lost. An object belongs to one link and one thread. */
public interface LossModel {
  /**
   * Decides about the next packet.
   *
   * @return true when it is lost
   */
  boolean losesNext();

  /**
   * Each packet is lost with the same probability, whatever happened before.
   *
   * @param probability 0 to 1
   * @param random its dice
   * @return the model
   */
  static LossModel independent(double probability, SplittableRandom random) {
    // Probability 0 draws nothing: an unimpaired link costs nothing.
    return () -> probability > 0 && random.nextDouble() < probability;
  }

  /**
   * Every n-th packet is lost, none else.
   *
   * @param n 1 loses everything
   * @return the model
   */
  static LossModel everyNth(int n) {
    if (n < 1) {
      throw new IllegalArgumentException("every " + n + "-th packet: must be at least 1");
    }
    return new LossModel() {
      private int count;

      @Override
      public boolean losesNext() {
        count = count == n - 1 ? 0 : count + 1;
        return count == 0;
      }
    };
  }
}
