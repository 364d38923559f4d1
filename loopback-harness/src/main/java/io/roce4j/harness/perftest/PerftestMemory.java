// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.handshake.PerftestHandshake.Terms;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;

/**
 * The memory of a test under one key: for each queue pair a part that messages come from, and
 * behind those for each a part that the peer may use. Each is as large as the largest message, and
 * at least as large as the walk of small ones.
 */
final class PerftestMemory implements AutoCloseable {
  /** Room in front of a datagram that the sender's IP header is given in. */
  static final int GRH_BYTES = 40;

  private static final int PAGE = 4096;

  private final int queuePairs;
  private final int grhBytes;
  private final long partBytes;
  private final int cycleBytes;
  private final int cacheLineBytes;
  private final NativeRegion memory;
  private MemoryRegion region;

  PerftestMemory(PerftestPlan plan, Terms terms) {
    queuePairs = plan.queuePairs();
    grhBytes = plan.type() == QueuePairType.UD ? GRH_BYTES : 0;
    cycleBytes = terms.cycleBytes();
    cacheLineBytes = terms.cacheLineBytes();
    long needed = Math.max(plan.largestBytes(), cycleBytes) + grhBytes;
    partBytes = (needed + PAGE - 1) / PAGE * PAGE;
    memory = NativeRegion.allocate("perftest", 2L * queuePairs * partBytes, PAGE);
  }

  /** Bytes that the memory of a plan takes. */
  static long bytes(PerftestPlan plan) {
    return 2L * plan.queuePairs() * (plan.largestBytes() + 2 * PAGE);
  }

  /** Registers it with the rights that the peer's requests need. */
  void register(ProtectionDomain domain, PerftestTool.Verb verb) {
    region = domain.register(memory, AccessFlags.LOCAL_WRITE | remoteAccess(verb));
  }

  /** What a peer may do in a test. */
  static int remoteAccess(PerftestTool.Verb verb) {
    return switch (verb) {
      case WRITE -> AccessFlags.REMOTE_WRITE;
      case READ -> AccessFlags.REMOTE_READ;
      case ATOMIC -> AccessFlags.REMOTE_ATOMIC;
      case SEND -> 0;
    };
  }

  int key() {
    return region.lkey();
  }

  /** Where messages of a queue pair come from. */
  long source(int queuePair) {
    return region.address() + queuePair * partBytes;
  }

  /** What the peer of a queue pair may use. */
  long target(int queuePair) {
    return region.address() + (queuePairs + queuePair) * partBytes;
  }

  /** Length of a receive. */
  long targetBytes() {
    return partBytes;
  }

  /** Bytes in front of a received message. */
  int grhBytes() {
    return grhBytes;
  }

  /** Where in source and target a message of a bandwidth test lies: small ones walk [oob 3.3]. */
  long offset(long message, long sizeBytes) {
    if (sizeBytes > cycleBytes / 2) {
      return 0;
    }
    long lines = Math.max(1, (sizeBytes + cacheLineBytes - 1) / cacheLineBytes);
    long step = lines * cacheLineBytes;
    return message % (cycleBytes / step) * step;
  }

  /** Reads a byte that the peer may be writing. */
  byte targetByte(int queuePair, long offset) {
    return NativeMemory.getByte(memory.address() + (queuePairs + queuePair) * partBytes + offset);
  }

  /** Writes a byte of a message. */
  void sourceByte(int queuePair, long offset, byte value) {
    NativeMemory.putByte(memory.address() + queuePair * partBytes + offset, value);
  }

  @Override
  public void close() {
    memory.close();
  }
}
