// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * What happened on one connection, both directions, since it was made. Written by the agent's
 * thread only; {@link MxReport} is a copy for others.
 */
final class MxCounters {
  // Sending.
  long dataPackets;
  long payloadBytes;
  long retransmissions;
  long retransmittedBytes;
  long tailCopies;
  long voids;
  long losses;
  long spurious;
  long lateAfterMove;
  long ptos;
  long probes;
  long suspects;
  long pathFailures;
  long planeFailures;
  long entropyMoves;
  long backPressure;
  long nacks;
  long trims;
  long notReady;
  long strangeAcks;
  long staleAcks;
  long strangeNacks;

  // Receiving.
  long rxPackets;
  long rxPayloadBytes;
  long rxDuplicates;
  long rxStale;
  long rxBeyond;
  long rxRefused;
  long rxVoids;
  long rxMarked;
  long rxStrange;
  long rxFaults;
  long sacks;
  long nacksSent;
  long probeAnswers;

  // Control.
  long controlSent;
  long controlRepeated;
  long controlReceived;
  long controlDuplicates;
  long creditStalls;
  long trackerStalls;
  long hintUpdates;
  long moveNotices;
  long peerMoves;

  /** Takes every counter with its name, in the order above. */
  void copyTo(MxReport.CounterTaker taker) {
    taker.take("dataPackets", dataPackets);
    taker.take("payloadBytes", payloadBytes);
    taker.take("retransmissions", retransmissions);
    taker.take("retransmittedBytes", retransmittedBytes);
    taker.take("tailCopies", tailCopies);
    taker.take("voids", voids);
    taker.take("losses", losses);
    taker.take("spurious", spurious);
    taker.take("lateAfterMove", lateAfterMove);
    taker.take("ptos", ptos);
    taker.take("probes", probes);
    taker.take("suspects", suspects);
    taker.take("pathFailures", pathFailures);
    taker.take("planeFailures", planeFailures);
    taker.take("entropyMoves", entropyMoves);
    taker.take("backPressure", backPressure);
    taker.take("nacks", nacks);
    taker.take("trims", trims);
    taker.take("notReady", notReady);
    taker.take("strangeAcks", strangeAcks);
    taker.take("staleAcks", staleAcks);
    taker.take("strangeNacks", strangeNacks);
    taker.take("rxPackets", rxPackets);
    taker.take("rxPayloadBytes", rxPayloadBytes);
    taker.take("rxDuplicates", rxDuplicates);
    taker.take("rxStale", rxStale);
    taker.take("rxBeyond", rxBeyond);
    taker.take("rxRefused", rxRefused);
    taker.take("rxVoids", rxVoids);
    taker.take("rxMarked", rxMarked);
    taker.take("rxStrange", rxStrange);
    taker.take("rxFaults", rxFaults);
    taker.take("sacks", sacks);
    taker.take("nacksSent", nacksSent);
    taker.take("probeAnswers", probeAnswers);
    taker.take("controlSent", controlSent);
    taker.take("controlRepeated", controlRepeated);
    taker.take("controlReceived", controlReceived);
    taker.take("controlDuplicates", controlDuplicates);
    taker.take("creditStalls", creditStalls);
    taker.take("trackerStalls", trackerStalls);
    taker.take("hintUpdates", hintUpdates);
    taker.take("moveNotices", moveNotices);
    taker.take("peerMoves", peerMoves);
  }
}
