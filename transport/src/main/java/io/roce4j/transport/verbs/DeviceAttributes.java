// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * Limits of an endpoint, libibverbs' {@code ibv_device_attr} [rc 23-1..6] [rc 17-4].
 *
 * @param maxQp queue pairs
 * @param maxQpWr requests a send or receive queue
 * @param maxSge scatter-gather entries a request
 * @param maxInlineData inline bytes a request
 * @param maxCq completion queues
 * @param maxCqe entries a completion queue
 * @param maxMr memory regions and windows together
 * @param maxPd protection domains
 * @param maxSrq shared receive queues
 * @param maxSrqWr receives a shared receive queue
 * @param maxAh address handles
 * @param maxMsgSizeBytes longest message
 * @param maxQpRdAtom READs and atomics outstanding a queue pair, each direction
 * @param maxMcastGroups multicast groups
 * @param pkeyTableLength partition keys
 * @param atomicCap {@link #ATOMIC_HCA}: atomics are atomic among each other on all queue pairs of
 *     the endpoint, not against the CPU [rc 7-15]
 * @param localCaAckDelay acknowledge delay code for the connection manager
 */
public record DeviceAttributes(
    int maxQp,
    int maxQpWr,
    int maxSge,
    int maxInlineData,
    int maxCq,
    int maxCqe,
    int maxMr,
    int maxPd,
    int maxSrq,
    int maxSrqWr,
    int maxAh,
    long maxMsgSizeBytes,
    int maxQpRdAtom,
    int maxMcastGroups,
    int pkeyTableLength,
    int atomicCap,
    int localCaAckDelay) {

  /** libibverbs' IBV_ATOMIC_HCA. */
  public static final int ATOMIC_HCA = 1;
}
