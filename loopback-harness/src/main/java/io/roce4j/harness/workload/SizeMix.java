// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import java.util.SplittableRandom;

/**
 * The sizes of messages: a list of ranges, each as likely as the others; within a range sizes are
 * log-uniform, so that every order of magnitude has its share.
 */
public final class SizeMix {
  private final int[] least;
  private final int[] most;

  /**
   * Makes a mix.
   *
   * @param least smallest size of each range, bytes, 0 or more
   * @param most largest size of each range, bytes, not below the smallest
   * @throws IllegalArgumentException naming the range that is wrong
   */
  public SizeMix(int[] least, int[] most) {
    if (least.length == 0 || least.length != most.length) {
      throw new IllegalArgumentException("a mix of sizes needs at least one");
    }
    for (int i = 0; i < least.length; i++) {
      if (least[i] < 0 || most[i] < least[i]) {
        throw new IllegalArgumentException(
            "sizes " + least[i] + " to " + most[i] + ": the first must not be the larger");
      }
    }
    this.least = least.clone();
    this.most = most.clone();
  }

  /**
   * One range.
   *
   * @param least smallest size, bytes
   * @param most largest size, bytes
   * @return the mix
   */
  public static SizeMix between(int least, int most) {
    return new SizeMix(new int[] {least}, new int[] {most});
  }

  /**
   * The smallest size of all.
   *
   * @return bytes
   */
  public int smallest() {
    int smallest = Integer.MAX_VALUE;
    for (int size : least) {
      smallest = Math.min(smallest, size);
    }
    return smallest;
  }

  /**
   * The largest size of all.
   *
   * @return bytes
   */
  public int largest() {
    int largest = 0;
    for (int size : most) {
      largest = Math.max(largest, size);
    }
    return largest;
  }

  /**
   * Draws a size.
   *
   * @param random its dice
   * @return bytes
   */
  public int draw(SplittableRandom random) {
    int range = least.length == 1 ? 0 : random.nextInt(least.length);
    if (least[range] == most[range]) {
      return least[range];
    }
    // Log-uniform over [least, most], 0 counting as below 1.
    double low = StrictMath.log(Math.max(least[range], 0.5));
    double high = StrictMath.log(most[range] + 0.5);
    double size = StrictMath.exp(low + random.nextDouble() * (high - low));
    return Math.clamp(Math.round(size), least[range], most[range]);
  }

  /** For tables: {@code 4096}, {@code 1-1048576}, several ranges with commas. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < least.length; i++) {
      text.append(i == 0 ? "" : ",").append(least[i]);
      if (most[i] != least[i]) {
        text.append('-').append(most[i]);
      }
    }
    return text.toString();
  }
}
