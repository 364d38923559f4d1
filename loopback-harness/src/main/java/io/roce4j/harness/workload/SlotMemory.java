// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MemoryChecker;
import io.roce4j.transport.memory.MemoryTable;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Equal slots of registered memory, each with room for a message and a guard behind it. */
final class SlotMemory implements AutoCloseable {
  private static final int ALIGNMENT = 64;
  private static final long START_ADDRESS = 0x7000_0000_0000L;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final MemoryRegion region;
  private final MemoryChecker checker;
  private final long stride;

  SlotMemory(
      String name,
      ProtectionDomain domain,
      int slots,
      int slotBytes,
      int access,
      long seed,
      Findings findings) {
    stride = stride(slotBytes);
    memory = arena.allocate(stride * slots, 4096);
    // Addresses on the wire must not depend on where this process found memory.
    region =
        domain.register(
            memory.address(), memory.byteSize(), access, START_ADDRESS, MemoryTable.NO_KEY_WISH);
    checker = new MemoryChecker(name, memory, seed, findings);
  }

  /** From the start of a slot to that of the next, the same in every process. */
  static long stride(int slotBytes) {
    return (slotBytes + MemoryChecker.GUARD_BYTES + ALIGNMENT - 1L) & -ALIGNMENT;
  }

  MemorySegment memory() {
    return memory;
  }

  long offset(long slot) {
    return slot * stride;
  }

  long address(long slot) {
    return region.address() + offset(slot);
  }

  MemoryRegion region() {
    return region;
  }

  int lkey() {
    return region.lkey();
  }

  int rkey() {
    return region.rkey();
  }

  /** Guards what lies behind the first bytes of a slot. */
  void arm(long slot, int granted) {
    checker.arm(offset(slot) + granted);
  }

  void inspect(long slot, int granted) {
    checker.inspect(offset(slot) + granted);
  }

  @Override
  public void close() {
    region.close();
    arena.close();
  }
}
