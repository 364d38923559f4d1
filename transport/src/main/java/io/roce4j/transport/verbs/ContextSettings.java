// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/**
 * Settings of a context: limits, seed, partition keys. A reusable bag, read once when the context
 * is opened. Not thread-safe.
 */
public final class ContextSettings {
  private static final int DEFAULT_PKEY = 0xFFFF;
  private static final int LOCAL_CA_ACK_DELAY = 15;

  private long seed = 1;
  private int maxQueuePairs = 16_384;
  private int maxQueuePairWr = 65_536;
  private int maxSge = 32;
  private int maxInlineData = 4_096;
  private int maxCompletionQueues = 65_536;
  private int maxCompletionQueueEntries = 1 << 20;
  private int maxMemoryRegions = 1 << 20;
  private int maxProtectionDomains = 65_536;
  private int maxSharedReceiveQueues = 65_536;
  private int maxAddressHandles = 65_536;
  private int maxRdAtomic = 128;
  private int maxMulticastGroups = 1_024;
  private int asyncEventCapacity = 1_024;
  private long maxRingBytes = 8L << 30;
  private int doorbells = 4_096;
  private int activeMtuBytes = 0;
  private int[] pkeys = {DEFAULT_PKEY};

  /** The defaults; the seed is 1. */
  public ContextSettings() {}

  /**
   * Sets the seed of keys and of whatever else must differ between endpoints; live endpoints take
   * it from a secure source.
   *
   * @param value any
   * @return this
   */
  public ContextSettings seed(long value) {
    seed = value;
    return this;
  }

  /**
   * The seed of keys and of whatever else must differ between endpoints; live endpoints take it
   * from a secure source.
   *
   * @return as last set
   */
  public long seed() {
    return seed;
  }

  /**
   * Sets the queue pairs.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxQueuePairs(int value) {
    maxQueuePairs = value;
    return this;
  }

  /**
   * The queue pairs.
   *
   * @return as last set
   */
  public int maxQueuePairs() {
    return maxQueuePairs;
  }

  /**
   * Sets the requests a send or receive queue.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxQueuePairWr(int value) {
    maxQueuePairWr = value;
    return this;
  }

  /**
   * The requests a send or receive queue.
   *
   * @return as last set
   */
  public int maxQueuePairWr() {
    return maxQueuePairWr;
  }

  /**
   * Sets the scatter-gather entries a request.
   *
   * @param value 1..256
   * @return this
   */
  public ContextSettings maxSge(int value) {
    maxSge = value;
    return this;
  }

  /**
   * The scatter-gather entries a request.
   *
   * @return as last set
   */
  public int maxSge() {
    return maxSge;
  }

  /**
   * Sets the inline bytes a request.
   *
   * @param value 0..65536
   * @return this
   */
  public ContextSettings maxInlineData(int value) {
    maxInlineData = value;
    return this;
  }

  /**
   * The inline bytes a request.
   *
   * @return as last set
   */
  public int maxInlineData() {
    return maxInlineData;
  }

  /**
   * Sets the completion queues.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxCompletionQueues(int value) {
    maxCompletionQueues = value;
    return this;
  }

  /**
   * The completion queues.
   *
   * @return as last set
   */
  public int maxCompletionQueues() {
    return maxCompletionQueues;
  }

  /**
   * Sets the entries a completion queue.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxCompletionQueueEntries(int value) {
    maxCompletionQueueEntries = value;
    return this;
  }

  /**
   * The entries a completion queue.
   *
   * @return as last set
   */
  public int maxCompletionQueueEntries() {
    return maxCompletionQueueEntries;
  }

  /**
   * Sets the memory regions and windows together.
   *
   * @param value 1..2^24 - 1
   * @return this
   */
  public ContextSettings maxMemoryRegions(int value) {
    maxMemoryRegions = value;
    return this;
  }

  /**
   * The memory regions and windows together.
   *
   * @return as last set
   */
  public int maxMemoryRegions() {
    return maxMemoryRegions;
  }

  /**
   * Sets the protection domains.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxProtectionDomains(int value) {
    maxProtectionDomains = value;
    return this;
  }

  /**
   * The protection domains.
   *
   * @return as last set
   */
  public int maxProtectionDomains() {
    return maxProtectionDomains;
  }

  /**
   * Sets the shared receive queues.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxSharedReceiveQueues(int value) {
    maxSharedReceiveQueues = value;
    return this;
  }

  /**
   * The shared receive queues.
   *
   * @return as last set
   */
  public int maxSharedReceiveQueues() {
    return maxSharedReceiveQueues;
  }

  /**
   * Sets the address handles.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings maxAddressHandles(int value) {
    maxAddressHandles = value;
    return this;
  }

  /**
   * The address handles.
   *
   * @return as last set
   */
  public int maxAddressHandles() {
    return maxAddressHandles;
  }

  /**
   * Sets the READs and atomics outstanding a queue pair, each direction.
   *
   * @param value 0..255
   * @return this
   */
  public ContextSettings maxRdAtomic(int value) {
    maxRdAtomic = value;
    return this;
  }

  /**
   * The READs and atomics outstanding a queue pair, each direction.
   *
   * @return as last set
   */
  public int maxRdAtomic() {
    return maxRdAtomic;
  }

  /**
   * Sets the multicast groups.
   *
   * @param value 0..2^16
   * @return this
   */
  public ContextSettings maxMulticastGroups(int value) {
    maxMulticastGroups = value;
    return this;
  }

  /**
   * The multicast groups.
   *
   * @return as last set
   */
  public int maxMulticastGroups() {
    return maxMulticastGroups;
  }

  /**
   * Sets the asynchronous events held until polled.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings asyncEventCapacity(int value) {
    asyncEventCapacity = value;
    return this;
  }

  /**
   * The asynchronous events held until polled.
   *
   * @return as last set
   */
  public int asyncEventCapacity() {
    return asyncEventCapacity;
  }

  /**
   * Sets the doorbells held until the agent looks.
   *
   * @param value 1..2^20
   * @return this
   */
  public ContextSettings doorbells(int value) {
    doorbells = value;
    return this;
  }

  /**
   * The doorbells held until the agent looks.
   *
   * @return as last set
   */
  public int doorbells() {
    return doorbells;
  }

  /**
   * Sets the largest path MTU.
   *
   * @param value 256, 512, 1024, 2048, 4096, or 0 for what the interface carries
   * @return this
   */
  public ContextSettings activeMtuBytes(int value) {
    activeMtuBytes = value;
    return this;
  }

  /**
   * The largest path MTU.
   *
   * @return as last set
   */
  public int activeMtuBytes() {
    return activeMtuBytes;
  }

  /**
   * Sets the off-heap memory that the rings of all queues may have together.
   *
   * @param value bytes, 1 or more
   * @return this
   */
  public ContextSettings maxRingBytes(long value) {
    maxRingBytes = value;
    return this;
  }

  /**
   * The off-heap memory that the rings of all queues may have together.
   *
   * @return as last set
   */
  public long maxRingBytes() {
    return maxRingBytes;
  }

  /**
   * Sets the partition key table.
   *
   * @param values 16-bit keys, one or more; bit 15 is full membership
   * @return this
   */
  public ContextSettings pkeys(int... values) {
    pkeys = values.clone();
    return this;
  }

  /**
   * The partition key table.
   *
   * @return a copy
   */
  public int[] pkeys() {
    return pkeys.clone();
  }

  /**
   * The limits as a device would report them.
   *
   * @return device attributes
   */
  DeviceAttributes deviceAttributes() {
    return new DeviceAttributes(
        maxQueuePairs,
        maxQueuePairWr,
        maxSge,
        maxInlineData,
        maxCompletionQueues,
        maxCompletionQueueEntries,
        maxMemoryRegions,
        maxProtectionDomains,
        maxSharedReceiveQueues,
        maxQueuePairWr,
        maxAddressHandles,
        SendRequest.MESSAGE_LENGTH_MAX,
        maxRdAtomic,
        maxMulticastGroups,
        pkeys.length,
        DeviceAttributes.ATOMIC_HCA,
        LOCAL_CA_ACK_DELAY);
  }
}
