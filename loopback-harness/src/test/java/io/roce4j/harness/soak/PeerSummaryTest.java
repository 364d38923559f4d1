// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.harness.impair.ImpairmentVerdict;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a peer says of a run, where this side knows better. */
class PeerSummaryTest {
  private static final long PLANNED_NS = 1_000_000_000;

  @ParameterizedTest
  @CsvSource({
    "true, 400000000, true",
    "true, 0, true",
    "true, 1000000000, false",
    "true, 1000000001, false",
    "false, 400000000, false"
  })
  void interruptionCountsOnlyWhereTimeIsMissingHere(boolean says, long countedNs, boolean isCut) {
    PeerSummary peers = new PeerSummary(null, null, null, 0, 0, 0, 0, 0, says, 0, List.of());
    assertEquals(isCut, peers.cutShort(countedNs, PLANNED_NS));
  }

  /** [FC-56] A little early is no excuse where as much traffic was seen as a verdict needs. */
  @ParameterizedTest
  @CsvSource({"50, 999000000, true", "500, 999000000, false", "50, 1000000000, false"})
  void earlyEndExcusesOnlyWhatCannotBeTold(long packets, long countedNs, boolean isExcused) {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    verdict.judge("loss", 0.2, 0, packets);
    PeerSummary peers = new PeerSummary(null, null, null, 0, 0, 0, 0, 0, true, 0, List.of());
    assertEquals(isExcused, peers.excuses(countedNs, PLANNED_NS, verdict));
  }

  /** [FC-56] Nor is Ctrl-C an excuse for what was proven before it. */
  @ParameterizedTest
  @CsvSource({"50, true, true", "50, false, false", "500, true, false"})
  void endByTheUserExcusesOnlyWhatCannotBeTold(long packets, boolean ended, boolean isExcused) {
    ImpairmentVerdict verdict = new ImpairmentVerdict();
    verdict.judge("loss", 0.2, 0, packets);
    assertEquals(isExcused, verdict.isExcusedBy(ended));
  }
}
