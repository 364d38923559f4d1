// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric.topology;

/**
 * The packet memory of a switch: what is reserved, the headroom of lossless classes, and the rest,
 * which is shared. Immutable.
 *
 * <p>A queue (of a lossless class: an ingress group) may use its reserved bytes and of the shared
 * ones up to {@code alpha x (shared - shared in use)}: n that are full hold alpha S / (1 + n alpha)
 * each, and S / (1 + n alpha) stays free (Choudhury and Hahne 1998).
 *
 * @param totalBytes memory of the chip, 1 or more
 * @param reservedBytes of each queue or ingress group in use, 0 or more; taken from the total as a
 *     queue first needs them
 * @param alpha share of the free memory that one may use, above 0 to 128; {@link #UNLIMITED} for
 *     all of it
 * @param alphaByRate true to multiply alpha by a port's rate over that of the slowest port
 * @param queueBytes most wire bytes in one output queue whatever is free, 1 or more
 * @param cellBytes memory is given in cells of this size, 1 to 4096; 1 counts bytes
 */
public record BufferSettings(
    long totalBytes,
    long reservedBytes,
    double alpha,
    boolean alphaByRate,
    long queueBytes,
    int cellBytes) {
  /** Alpha of a memory without dynamic thresholds. */
  public static final double UNLIMITED = Double.POSITIVE_INFINITY;

  private static final long MAX_BYTES = 1L << 40;
  private static final double MAX_ALPHA = 128;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public BufferSettings {
    Limits.check("totalBytes", totalBytes, 1, MAX_BYTES);
    Limits.check("reservedBytes", reservedBytes, 0, totalBytes);
    if (alpha != UNLIMITED) {
      Limits.check("alpha", alpha, 1.0 / 1024, MAX_ALPHA);
    }
    Limits.check("queueBytes", queueBytes, 1, MAX_BYTES);
    Limits.check("cellBytes", cellBytes, 1, 4_096);
  }

  /**
   * Shared memory with a dynamic threshold and nothing else.
   *
   * @param totalBytes memory of the chip
   * @param alpha share of the free memory that one queue may use
   * @return the settings
   */
  public static BufferSettings dynamic(long totalBytes, double alpha) {
    return new BufferSettings(totalBytes, 0, alpha, false, MAX_BYTES, 1);
  }

  /**
   * A fixed room for each output queue, and memory for all of them.
   *
   * @param queueBytes of one queue
   * @return the settings
   */
  public static BufferSettings perQueue(long queueBytes) {
    return new BufferSettings(MAX_BYTES, 0, UNLIMITED, false, queueBytes, 1);
  }

  /**
   * This with reserved bytes.
   *
   * @param bytes of each queue or ingress group
   * @return the changed copy
   */
  public BufferSettings reserving(long bytes) {
    return new BufferSettings(totalBytes, bytes, alpha, alphaByRate, queueBytes, cellBytes);
  }

  /**
   * This with an alpha that grows with a port's rate.
   *
   * @return the changed copy
   */
  public BufferSettings scalingAlphaByRate() {
    return new BufferSettings(totalBytes, reservedBytes, alpha, true, queueBytes, cellBytes);
  }

  /**
   * This with a fixed bound for a queue.
   *
   * @param bytes most wire bytes in one output queue
   * @return the changed copy
   */
  public BufferSettings withQueueBytes(long bytes) {
    return new BufferSettings(totalBytes, reservedBytes, alpha, alphaByRate, bytes, cellBytes);
  }

  /**
   * This with memory in cells.
   *
   * @param bytes of a cell
   * @return the changed copy
   */
  public BufferSettings inCells(int bytes) {
    return new BufferSettings(totalBytes, reservedBytes, alpha, alphaByRate, queueBytes, bytes);
  }
}
