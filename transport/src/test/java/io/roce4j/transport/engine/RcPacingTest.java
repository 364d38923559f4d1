// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.congestion.CongestionController;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Round trip samples: one for each acknowledged packet that was timed, none that is ambiguous. */
class RcPacingTest {
  private final List<Long> samples = new ArrayList<>();
  private long rate = CongestionController.UNLIMITED;
  private final RcPacing pacing = new RcPacing(new Recorder(), 1024, 1, 0, 0);

  private final class Recorder implements CongestionController {
    @Override
    public void onAck(
        long nowNs,
        long ackedBytes,
        long ackedPackets,
        long cePackets,
        long rttNs,
        long minRttNs,
        long inflightBytes,
        boolean appLimited) {
      samples.add(rttNs);
    }

    @Override
    public long windowBytes() {
      return UNLIMITED;
    }

    @Override
    public long rateBitsPerSecond() {
      return rate;
    }
  }

  private void acknowledge(long nowNs, int psn) {
    pacing.onAcknowledged(nowNs, psn, 1024, 1, 0);
  }

  // Delay-based control reacts once per segment; one sample per round trip would be all too few.
  @Test
  void everySegmentInFlightGivesASampleOfItsOwn() {
    for (int i = 0; i < 5; i++) {
      pacing.time(1_000L * i, 0xfffffe + i & 0xffffff);
    }
    acknowledge(20_000, 0xfffffe);
    acknowledge(21_500, 0xffffff);
    acknowledge(22_000, 0);
    assertEquals(List.of(20_000L, 20_500L, 20_000L), samples);
  }

  @Test
  void oneAcknowledgementForManyIsTheRoundTripOfTheNewest() {
    pacing.time(0, 10);
    pacing.time(5_000, 12);
    pacing.time(9_000, 14);
    acknowledge(30_000, 13);
    acknowledge(31_000, 13);
    acknowledge(32_000, 14);
    assertEquals(List.of(25_000L, 0L, 23_000L), samples);
  }

  // [FC-35]: what was sent again is ambiguous.
  @Test
  void nothingThatWasSentAgainIsTimed() {
    pacing.time(0, 10);
    pacing.onGoBack(5_000, 1024, EventSink.CAUSE_TIMEOUT);
    acknowledge(30_000, 10);
    assertEquals(List.of(0L), samples);
  }

  @Test
  void morePacketsThanCanBeTimedGoUntimedAndHarmNothing() {
    for (int round = 0; round < 3; round++) {
      samples.clear();
      for (int i = 0; i < 100; i++) {
        pacing.time(1_000L * i, i);
      }
      for (int i = 0; i < 100; i++) {
        acknowledge(200_000 + 1_000L * i, i);
      }
      for (int i = 0; i < 100; i++) {
        assertEquals(i < 64 ? 200_000 : 0, samples.get(i), "packet " + i);
      }
    }
  }

  // A controller that lives on samples must not wait for the end of a long message, and a paced
  // packet that nobody acknowledges must not run into the timer.
  @Test
  void asksOnceASegmentAndBelowOnePacketPerRoundTripWithEachPacket() {
    pacing.time(0, 10);
    acknowledge(10_000, 10);
    assertEquals(16, pacing.askEvery(32));
    assertEquals(8, pacing.askEvery(8));
    // 1024 bytes and 44 of headers in 10 us are 854 Mbit/s.
    rate = 855_000_000;
    assertEquals(16, pacing.askEvery(32));
    rate = 854_000_000;
    assertEquals(1, pacing.askEvery(32));
    assertEquals(32, RcPacing.unlimited().askEvery(32));
  }
}
