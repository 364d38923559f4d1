// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.harness.check.Findings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What messages of the mix contain, and whether memory holds it. */
final class MixMemory {

  private final Findings findings;
  private final int salt;

  MixMemory(Findings findings, int salt) {
    this.findings = findings;
    this.salt = salt;
  }

  private byte content(long id, int i) {
    return (byte) (id * 131 + i * 7L + (i >> 8) * 13L + salt);
  }

  void fill(SlotMemory memory, long slot, int from, long id, int length) {
    MemorySegment segment = memory.memory();
    long at = memory.offset(slot) + from;
    for (int i = 0; i < length; i++) {
      segment.set(ValueLayout.JAVA_BYTE, at + i, content(id, i));
    }
  }

  void check(String what, SlotMemory memory, long slot, int from, long id, int length) {
    MemorySegment segment = memory.memory();
    long at = memory.offset(slot) + from;
    for (int i = 0; i < length; i++) {
      if (segment.get(ValueLayout.JAVA_BYTE, at + i) != content(id, i)) {
        findings.add(what + " " + id + ": byte " + i + " of " + length + " is wrong");
        return;
      }
    }
  }

  static long word(SlotMemory memory, long slot, int index) {
    return memory.memory().get(ValueLayout.JAVA_LONG, memory.offset(slot) + 8L * index);
  }

  static void word(SlotMemory memory, long slot, int index, long value) {
    memory.memory().set(ValueLayout.JAVA_LONG, memory.offset(slot) + 8L * index, value);
  }
}
