// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ideal selective repeat keeps 1 - p of the line, whatever the round trip time. */
class RandomLossTest {
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final int PACKETS = 6_000;

  static MxSettings settings(int paths) {
    return MxSettings.defaults()
        .withPaths(paths)
        .withTrainPackets(1)
        .withMaxAckDelayUs(10)
        .withAckDelayFloorNs(5000);
  }

  @ParameterizedTest(name = "{0} paths, RTT {1} packets, loss {2}")
  @CsvSource({
    "1, 30, 0",
    "1, 30, 0.01",
    "1, 30, 0.1",
    "1, 120, 0.001",
    "1, 120, 0.05",
    "1, 120, 0.1",
    "8, 30, 0.05",
    "8, 120, 0.01",
    "8, 120, 0.1"
  })
  void goodputIsWhatWasNotLost(int paths, int rttPackets, double loss) {
    RandomLoss weather = new RandomLoss(Transfer.oneWayNs(rttPackets), 11, loss, 0);
    try (Transfer t = new Transfer(settings(paths), "none", rttPackets, weather, PACKETS)) {
      assertTrue(t.run(LIMIT_NS));
      assertTrue(t.allSucceeded());
      double spread = 4 * Math.sqrt((loss + 1e-9) / PACKETS) + rttPackets / (double) PACKETS;
      assertEquals(1 - loss, t.steadyGoodput(), spread, "goodput");
      MxCounters counters = t.connection().counters;
      assertEquals(0, counters.spurious, "spurious retransmissions");
      double repeated = (double) counters.retransmissions / PACKETS;
      double expected = loss / (1 - loss);
      assertEquals(expected, repeated, 4 * Math.sqrt((loss + 1e-9) / PACKETS), "retransmissions");
    }
  }
}
