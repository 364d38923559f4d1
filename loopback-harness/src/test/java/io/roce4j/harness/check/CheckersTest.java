// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.random.SeededStreams;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class CheckersTest {
  private final Findings findings = new Findings();

  private void found(String... words) {
    assertEquals(1, findings.count(), findings.first().toString());
    for (String word : words) {
      assertTrue(findings.first().getFirst().contains(word), findings.first().getFirst());
    }
  }

  private DeliveryChecker posted(int messages, boolean sends) {
    DeliveryChecker checker = new DeliveryChecker("flow", 4, findings);
    for (int i = 0; i < messages; i++) {
      checker.onPosted(7, 10 + i, 100 + i, sends);
    }
    return checker;
  }

  @Test
  void orderlyCompletionsAreAnsweredWithTheirMessage() {
    DeliveryChecker checker = new DeliveryChecker("flow", 4, findings);
    for (int i = 0; i < 1_000; i++) {
      assertEquals(i, checker.nextWrId());
      checker.onPosted(i % 3, i, 2 * i, true);
      int received = checker.onReceive(i);
      assertEquals(2 * i, checker.receivedWindow(received));
      int index = checker.onSendCompletion(i, true, "");
      assertEquals(i % 3, checker.kind(index));
      assertEquals(i, checker.length(index));
      assertEquals(2 * i, checker.window(index));
    }
    assertTrue(checker.isQuiet());
    checker.finish();
    assertEquals(0, findings.count());
  }

  @Test
  void aCompletionThatComesTwiceIsFound() {
    DeliveryChecker checker = posted(2, false);
    checker.onSendCompletion(0, true, "");
    assertEquals(DeliveryChecker.UNEXPECTED, checker.onSendCompletion(0, true, ""));
    found("work request 0 again", "expected 1");
  }

  @Test
  void aCompletionOutOfTurnIsFound() {
    assertEquals(DeliveryChecker.UNEXPECTED, posted(2, false).onSendCompletion(1, true, ""));
    found("work request 1 out of turn", "expected 0");
  }

  @Test
  void aCompletionOfNothingIsFound() {
    DeliveryChecker checker = posted(0, false);
    assertEquals(DeliveryChecker.UNEXPECTED, checker.onSendCompletion(0, true, ""));
    found("work request 0 out of turn", "of 0 posted");
  }

  @Test
  void aFailedCompletionIsFoundAndCounted() {
    DeliveryChecker checker = posted(1, false);
    checker.onSendCompletion(0, false, "RETRY_EXC_ERR");
    found("work request 0 completed with RETRY_EXC_ERR");
    assertEquals(1, checker.failed());
  }

  @Test
  void missingCompletionsAreFoundAtTheEnd() {
    DeliveryChecker checker = posted(3, false);
    checker.onSendCompletion(0, true, "");
    assertFalse(checker.isQuiet());
    checker.finish();
    found("2 work requests have no completion, the first is 1");
  }

  @Test
  void messagesLostInsideAReliableConnectionAreFoundAtTheEnd() {
    DeliveryChecker checker = posted(1, true);
    checker.onSendCompletion(0, true, "");
    checker.finish();
    found("1 messages were never received, the first is 0");
  }

  @Test
  void messagesOfAnotherLengthAreFound() {
    DeliveryChecker checker = posted(1, true);
    assertEquals(DeliveryChecker.UNEXPECTED, checker.onReceive(9));
    found("message 0 arrived with 9 bytes, sent were 10");
  }

  @Test
  void messagesThatNobodySentAreFound() {
    assertEquals(DeliveryChecker.UNEXPECTED, posted(0, true).onReceive(5));
    found("5 bytes arrived that nobody sent");
  }

  @Test
  void oneChangedBitIsFoundAtItsPlace() {
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(1), 1 << 16);
        Arena arena = Arena.ofConfined()) {
      MemorySegment received = arena.allocate(1 << 16);
      for (int length : new int[] {0, 1, 7, 8, 9, 4_096, 65_536}) {
        int window = 12_345 + length;
        MemorySegment.copy(pattern.table(), window, received, 0, length);
        assertEquals(-1, pattern.firstDifference(received, 0, window, length));
        if (length > 0) {
          int at = length - 1;
          byte right = received.get(ValueLayout.JAVA_BYTE, at);
          received.set(ValueLayout.JAVA_BYTE, at, (byte) (right ^ 1));
          assertEquals(at, pattern.firstDifference(received, 0, window, length));
        }
      }
    }
  }

  @Test
  void anotherMessagesBytesAreFound() {
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(1), 64)) {
      int mistaken = 0;
      for (int window = 1; window < 10_000; window++) {
        mistaken += pattern.firstDifference(pattern.table(), window, 0, 4) < 0 ? 1 : 0;
      }
      assertEquals(0, mistaken, "windows of 4 bytes that look like window 0");
    }
  }

  /** No zero, no small number, no EtherType: nothing looks like the header of another protocol. */
  @Test
  void everyByteOfThePatternIsOneThatNoDissectorTakesForAHeader() {
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(1), 64)) {
      long[] seen = new long[256];
      for (long at = 0; at < pattern.table().byteSize(); at++) {
        seen[pattern.table().get(ValueLayout.JAVA_BYTE, at) & 0xFF]++;
      }
      int used = 0;
      for (int value = 0; value < 256; value++) {
        boolean isLetter = value >= ':' && value < 0x7F && ">?Ge`".indexOf(value) < 0;
        assertTrue(isLetter || seen[value] == 0, "byte " + value);
        used += seen[value] > MessagePattern.WINDOWS / 128 ? 1 : 0;
      }
      assertEquals(64, used, "letters, each as often as the others");
    }
  }

  @Test
  void aWrittenPatternIsFound() {
    try (MessagePattern pattern = new MessagePattern(new SeededStreams(1), 64)) {
      assertEquals(-1, pattern.firstChange());
      byte right = pattern.table().get(ValueLayout.JAVA_BYTE, 777);
      pattern.table().set(ValueLayout.JAVA_BYTE, 777, (byte) ~right);
      assertEquals(777, pattern.firstChange());
    }
  }

  @Test
  void everyWrittenGuardByteIsFound() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(256);
      for (int at = 0; at < MemoryChecker.GUARD_BYTES; at++) {
        Findings own = new Findings();
        MemoryChecker checker = new MemoryChecker("sink", memory, 5, own);
        checker.arm(33);
        assertTrue(checker.inspect(33));
        byte guard = memory.get(ValueLayout.JAVA_BYTE, 33 + at);
        memory.set(ValueLayout.JAVA_BYTE, 33 + at, (byte) (guard + 1));
        assertFalse(checker.inspect(33));
        assertTrue(own.first().getFirst().contains("sink: memory outside the grant"));
      }
    }
  }

  @Test
  void standstillIsFoundOnceAndProgressForgives() {
    LivenessChecker checker = new LivenessChecker("flow", 100, Long.MAX_VALUE - 50, findings);
    assertTrue(checker.inspect(Long.MAX_VALUE - 50, 0, false));
    assertTrue(checker.inspect(Long.MAX_VALUE, 1, false), "progress");
    assertTrue(checker.inspect(Long.MAX_VALUE + 100, 1, false), "just in time, the clock wrapped");
    assertFalse(checker.inspect(Long.MAX_VALUE + 101, 1, false));
    assertFalse(checker.inspect(Long.MAX_VALUE + 500, 1, false));
    found("flow: no progress for 101 ns", "stuck at 1");
  }

  @Test
  void doneWorkNeedsNoProgress() {
    LivenessChecker checker = new LivenessChecker("flow", 100, 0, findings);
    assertTrue(checker.inspect(10_000, 5, true));
    assertEquals(0, findings.count());
  }

  @Test
  void manyFindingsAreAllCountedAndTheFirstKept() {
    for (int i = 0; i < 1_000; i++) {
      findings.add("finding " + i);
    }
    assertEquals(1_000, findings.count());
    assertEquals(20, findings.first().size());
    assertEquals("finding 0", findings.first().getFirst());
  }
}
