// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Whether credits of the peer hold messages back. */
class RcCreditsTest {
  /** An ACK without credits. */
  private static final int NOTHING = 0;

  private final RcCredits credits = new RcCredits();

  @Test
  void withoutCreditsOneMessageProbes() {
    oneMessageProbes();
  }

  private void oneMessageProbes() {
    credits.onAcknowledge(NOTHING, 0);
    assertTrue(credits.mayStart());
    credits.start(true);
    assertFalse(credits.mayStart());
  }

  @Test
  void creditsOfAPeerWithoutFlowControlHoldNothingBack() { // [rc 5-11]
    credits.reset(true);
    credits.onAcknowledge(NOTHING, 0);
    for (int i = 0; i < 100; i++) {
      assertTrue(credits.mayStart());
      credits.start(true);
    }
  }

  @Test
  void theNextConnectionBeginsWithCreditsAgain() {
    credits.reset(true);
    credits.reset(false);
    oneMessageProbes();
  }
}
