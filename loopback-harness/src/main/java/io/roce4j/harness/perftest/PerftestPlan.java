// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import java.util.List;

/**
 * What a test is to do; both sides must be given the same, as only the queue pairs and the path MTU
 * are told to the peer.
 *
 * @param tool which test
 * @param host of the server, or null for the server itself
 * @param port TCP port
 * @param type of the queue pairs
 * @param sizesBytes message sizes, one after the other
 * @param iterations messages of each size on each queue pair
 * @param durationNs time to run instead of counting, or 0
 * @param marginNs time not measured at both ends of the duration
 * @param mtu path MTU at most, 0 for the port's
 * @param txDepth requests outstanding on a queue pair
 * @param rxDepth receives posted on a queue pair
 * @param queuePairs connections
 * @param completionEvery one completion for so many requests
 * @param isBidirectional both sides send
 * @param isEventDriven waits for completion events instead of polling
 * @param inlineBytes messages up to this size are copied when posted
 * @param outstandingReads READs and atomics outstanding on a queue pair
 * @param isCompareAndSwap atomics compare instead of adding
 * @param timeoutCode ACK timeout 4.096 us x 2^code
 * @param hopLimit TTL or hop limit
 * @param trafficClass TOS or traffic class
 * @param hasPeak looks for the best stretch of the run
 */
record PerftestPlan(
    PerftestTool tool,
    String host,
    int port,
    int type,
    List<Long> sizesBytes,
    long iterations,
    long durationNs,
    long marginNs,
    int mtu,
    int txDepth,
    int rxDepth,
    int queuePairs,
    int completionEvery,
    boolean isBidirectional,
    boolean isEventDriven,
    int inlineBytes,
    int outstandingReads,
    boolean isCompareAndSwap,
    int timeoutCode,
    int hopLimit,
    int trafficClass,
    boolean hasPeak) {

  boolean isClient() {
    return host != null;
  }

  /** Whether the run ends by the clock. */
  boolean isTimed() {
    return durationNs > 0;
  }

  /** Whether every size of the series runs. */
  boolean isAllSizes() {
    return sizesBytes.size() > 1;
  }

  /** The plan with messages that are datagrams. */
  PerftestPlan withDatagrams(long bytes) {
    return new PerftestPlan(
        tool,
        host,
        port,
        type,
        List.of(bytes),
        iterations,
        durationNs,
        marginNs,
        mtu,
        txDepth,
        rxDepth,
        queuePairs,
        completionEvery,
        isBidirectional,
        isEventDriven,
        inlineBytes,
        outstandingReads,
        isCompareAndSwap,
        timeoutCode,
        hopLimit,
        trafficClass,
        hasPeak);
  }

  long largestBytes() {
    return sizesBytes.getLast();
  }

  /** Whether this side posts requests. */
  boolean isRequester() {
    return isClient() || isBidirectional || (tool.isLatency() && !tool.isRead());
  }

  /** Whether this side posts receives. */
  boolean isReceiver() {
    return tool.isSend() && (!isClient() || isBidirectional || tool.isLatency());
  }
}
