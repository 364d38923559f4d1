// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

/**
 * How one flow loads its connection.
 *
 * @param sizes of the messages
 * @param sendShare weight of SEND, 0 or more
 * @param writeShare weight of RDMA WRITE
 * @param readShare weight of RDMA READ
 * @param depth work requests in flight at once, 1 or more
 * @param receives receives posted at the peer, 1 or more; fewer than twice the depth may run out
 *     and make RNR NAKs
 * @param receiveDelayNs how long the peer's application takes to post a receive again, 0 or more
 * @param messageLimit messages in all, {@link Long#MAX_VALUE} for no limit
 */
public record FlowSettings(
    SizeMix sizes,
    int sendShare,
    int writeShare,
    int readShare,
    int depth,
    int receives,
    long receiveDelayNs,
    long messageLimit) {
  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the field, the value and the limit
   */
  public FlowSettings {
    if (sendShare < 0 || writeShare < 0 || readShare < 0) {
      throw new IllegalArgumentException("shares of operations must not be negative");
    }
    if (sendShare + writeShare + readShare == 0) {
      throw new IllegalArgumentException("at least one operation needs a share");
    }
    if (depth < 1) {
      throw new IllegalArgumentException("depth " + depth + ": must be at least 1");
    }
    if (receives < 1) {
      throw new IllegalArgumentException("receives " + receives + ": must be at least 1");
    }
    if (receiveDelayNs < 0) {
      throw new IllegalArgumentException(
          "receiveDelayNs " + receiveDelayNs + ": must be at least 0");
    }
  }

  /**
   * Equal shares of the three operations, receives enough for none to run out, no limit.
   *
   * @param sizes of the messages
   * @param depth work requests in flight
   * @return the settings
   */
  public static FlowSettings mixed(SizeMix sizes, int depth) {
    return new FlowSettings(sizes, 1, 1, 1, depth, 2 * depth, 0, Long.MAX_VALUE);
  }

  /**
   * This with a limit.
   *
   * @param messages in all
   * @return the changed copy
   */
  public FlowSettings limitedTo(long messages) {
    return new FlowSettings(
        sizes, sendShare, writeShare, readShare, depth, receives, receiveDelayNs, messages);
  }

  /**
   * This with another number of receives.
   *
   * @param count posted at the peer
   * @return the changed copy
   */
  public FlowSettings withReceives(int count) {
    return new FlowSettings(
        sizes, sendShare, writeShare, readShare, depth, count, receiveDelayNs, messageLimit);
  }

  /**
   * This with a peer that is slow to post its receives again.
   *
   * @param ns from the completion of a receive to its next post
   * @return the changed copy
   */
  public FlowSettings takingReceivesAfter(long ns) {
    return new FlowSettings(
        sizes, sendShare, writeShare, readShare, depth, receives, ns, messageLimit);
  }

  /**
   * This with other shares of the operations.
   *
   * @param send weight of SEND
   * @param write weight of RDMA WRITE
   * @param read weight of RDMA READ
   * @return the changed copy
   */
  public FlowSettings withShares(int send, int write, int read) {
    return new FlowSettings(
        sizes, send, write, read, depth, receives, receiveDelayNs, messageLimit);
  }
}
