// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * What happened on one connection, both directions, since it was made. Written by the agent's
 * thread only; {@link MxReport} copies it.
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
}
