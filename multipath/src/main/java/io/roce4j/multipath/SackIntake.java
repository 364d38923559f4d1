// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.FairShareHint;
import io.roce4j.wire.mx.MxClock;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.mx.Nackh;
import io.roce4j.wire.mx.Probeah;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.sequence.Psn;
import org.agrona.DirectBuffer;

/**
 * Reads what the receiver says about one send half: selective, cumulative and negative
 * acknowledgements. The order in which acknowledgements arrive does not matter: set bits,
 * cumulative numbers and limits only grow, and a cleared bit counts only for the epoch the
 * acknowledgement names.
 */
final class SackIntake {
  private static final int REORDER_MAX = 64;
  private static final int REORDER_STEP = 2;
  private static final int CLEAN_ACKS_TO_DECAY = 1000;

  private final SendHalf half;
  private final long[] lost = new long[Sackh.VECTOR_WORDS];
  private long ackedBytes;
  private int lostTotal;

  SackIntake(SendHalf half) {
    this.half = half;
  }

  /**
   * Takes an MX_SACK or MX_PROBE_ACK of this half.
   *
   * @param view the packet
   * @param nowNs time of the endpoint, ns
   * @return the path, or null when the packet was stale or impossible and is dropped
   */
  SendPath onSack(MxPacketView view, long nowNs) {
    DirectBuffer buffer = view.buffer();
    int at = view.headOffset();
    int pathId = Sackh.pathId(buffer, at);
    if (pathId >= half.paths.count()) {
      half.counters.strangeAcks++;
      return null;
    }
    SendPath path = half.paths.get(pathId);
    int hi = Sackh.hiPseq(buffer, at);
    if (Serial.distance32(hi, path.ring.next()) <= 0) {
      half.counters.strangeAcks++;
      return null;
    }
    long delayNs = Sackh.ackDelay(buffer, at) * MxClock.UNIT_NS;
    long rttNs = MxClock.elapsedNs(Sackh.timestampEcho(buffer, at), MxClock.stamp(nowNs)) - delayNs;
    if (hi != -1 && rttNs > half.parameters.staleNs()) {
      half.counters.staleAcks++;
      return null;
    }
    int probe = probeOf(view, path);
    boolean moved = takeVector(buffer, at, path, hi, probe, nowNs);
    boolean progressed = ackedBytes > 0;
    takeCumulative(view.psn(), path, nowNs);
    takeLimit(Sackh.cpsnLimit(buffer, at), view.psn());
    boolean sameEpoch = Sackh.epoch(buffer, at) == path.epoch;
    boolean vectorReply = probe >= 0 && (path.probes.flags(probe) & Probeh.VECTOR_WANTED) != 0;
    boolean sample = sameEpoch && !vectorReply && (probe >= 0 || (moved && hi != -1));
    rttNs = sample && path.rtt.onSample(nowNs, rttNs) ? rttNs : 0;
    if (moved || progressed || probe >= 0) {
      half.monitor.onAcknowledged(path, nowNs);
    }
    report(buffer, at, path, rttNs, nowNs);
    if (probe >= 0) {
      half.monitor.onProbeAnswered(path, Probeah.probeId(buffer, view.probeAckOffset()), nowNs);
    }
    half.advance(nowNs);
    half.monitor.settle(path, nowNs);
    return path;
  }

  /** The remembered probe a reply answers, or -1. */
  private static int probeOf(MxPacketView view, SendPath path) {
    if (view.opcode() != Opcode.MX_PROBE_ACK) {
      return -1;
    }
    int id = Probeah.probeId(view.buffer(), view.probeAckOffset());
    int stamp = Sackh.timestampEcho(view.buffer(), view.headOffset());
    return path.probes.find(id, stamp);
  }

  /** Bits of the vector. Returns whether the highest number is new. */
  private boolean takeVector(
      DirectBuffer buffer, int at, SendPath path, int hi, int probe, long nowNs) {
    ackedBytes = 0;
    lostTotal = 0;
    PathRing ring = path.ring;
    boolean moved = Serial.isAfter32(hi, path.hiAcked);
    if (moved) {
      path.hiAcked = hi;
    }
    boolean tailCheck = probe >= 0 && (path.probes.flags(probe) & Probeh.TAIL_CHECK) != 0;
    int tailPseq = tailCheck ? path.probes.lastPseq(probe) : 0;
    int epoch = Sackh.epoch(buffer, at);
    boolean spurious = false;
    for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
      int latest = hi - 64 * word;
      long accepted = Sackh.vectorWord(buffer, at, word);
      long live = ring.liveWindow(latest);
      acknowledgeBits(path, latest, live & accepted, nowNs);
      spurious |= forgiveBits(path, latest, ring.lostWindow(latest) & accepted);
      long gone = LossDetector.lost(live, accepted, word, path.reorderTolerance);
      if (tailCheck) {
        gone |= LossDetector.lostBehindCheck(live, accepted, latest, tailPseq);
      }
      lost[word] = gone == 0 ? 0 : ofEpoch(ring, latest, gone, epoch);
      lostTotal += Long.bitCount(lost[word]);
    }
    adaptTolerance(path, spurious);
    if (lostTotal > 0) {
      declareLost(path, hi, nowNs);
    }
    checkOlder(path, hi, nowNs);
    return moved;
  }

  private void acknowledgeBits(SendPath path, int latest, long bits, long nowNs) {
    long left = bits;
    while (left != 0) {
      int bit = Long.numberOfTrailingZeros(left);
      left &= left - 1;
      int pseq = latest - 63 + bit;
      int cpsn = path.ring.cpsn(pseq);
      int bytes = half.retire(path, pseq, false);
      ackedBytes += bytes;
      path.ackedBytes += bytes;
      path.outcome(false);
      if (FragmentTable.isOutstanding(cpsn, half.una, half.nextCpsn)) {
        half.acknowledge(half.fragments.at(cpsn), nowNs);
      }
    }
  }

  /** Transmissions declared lost that arrived after all. */
  private boolean forgiveBits(SendPath path, int latest, long bits) {
    long left = bits;
    while (left != 0) {
      int pseq = latest - 63 + Long.numberOfTrailingZeros(left);
      left &= left - 1;
      path.ring.clearLost(pseq);
      if (path.ring.epoch(pseq) == path.epoch) {
        path.spurious++;
        half.counters.spurious++;
      } else {
        half.counters.lateAfterMove++;
      }
    }
    return bits != 0;
  }

  private static long ofEpoch(PathRing ring, int latest, long bits, int epoch) {
    long same = bits;
    long left = bits;
    while (left != 0) {
      int bit = Long.numberOfTrailingZeros(left);
      left &= left - 1;
      if (ring.epoch(latest - 63 + bit) != epoch) {
        same &= ~(1L << bit);
      }
    }
    return same;
  }

  private static void adaptTolerance(SendPath path, boolean spurious) {
    if (spurious) {
      path.reorderTolerance = Math.min(REORDER_MAX, path.reorderTolerance + REORDER_STEP);
      path.cleanAcks = 0;
    } else if (path.reorderTolerance > 0 && ++path.cleanAcks >= CLEAN_ACKS_TO_DECAY) {
      path.reorderTolerance--;
      path.cleanAcks = 0;
    }
  }

  /** From the latest to the oldest, each to the front of the queue: the oldest leaves first. */
  private void declareLost(SendPath path, int hi, long nowNs) {
    boolean lone = lostTotal == 1;
    for (int word = 0; word < Sackh.VECTOR_WORDS; word++) {
      long left = lost[word];
      while (left != 0) {
        int bit = 63 - Long.numberOfLeadingZeros(left);
        left &= ~(1L << bit);
        lose(path, hi - 64 * word - 63 + bit, lone, nowNs);
      }
    }
    half.monitor.onLosses(path, nowNs);
  }

  private void lose(SendPath path, int pseq, boolean lone, long nowNs) {
    int cpsn = path.ring.cpsn(pseq);
    int train = path.ring.train(pseq);
    int bytes = half.retire(path, pseq, true);
    path.losses++;
    half.counters.losses++;
    if (train != path.lastLostTrain) {
      // Losses of one train are one event: a full socket drops them together.
      path.lastLostTrain = train;
      path.outcome(true);
      half.congestion.onLoss(nowNs, path.id, bytes, path.ring.liveBytes(), half.inflightBytes);
    }
    half.requeue(cpsn, true, lone);
  }

  /** What the vector no longer covers: settled by the cumulative number, or asked for. */
  private void checkOlder(SendPath path, int hi, long nowNs) {
    PathRing ring = path.ring;
    int edge = hi - Sackh.VECTOR_BITS + 1;
    for (int pseq = ring.oldestLive(); Serial.distance32(pseq, edge) > 0; pseq++) {
      if (!ring.isLive(pseq)) {
        continue;
      }
      int cpsn = ring.cpsn(pseq);
      boolean settled =
          !FragmentTable.isOutstanding(cpsn, half.una, half.nextCpsn)
              || half.fragments.state(half.fragments.at(cpsn)) == FragmentTable.ACKED;
      if (settled) {
        half.retire(path, pseq, false);
      } else {
        half.monitor.wantVector(path, pseq + Sackh.VECTOR_BITS - 1, nowNs);
      }
    }
  }

  private void takeCumulative(int cumulative, SendPath reported, long nowNs) {
    if (!isPlausible(cumulative)) {
      return;
    }
    int steps = Psn.distance(half.una, cumulative) + 1;
    for (int i = 0; i < steps; i++) {
      int at = half.fragments.at(Psn.add(half.una, i));
      if (half.fragments.state(at) == FragmentTable.ACKED) {
        continue;
      }
      if (half.fragments.tries(at) == 1 && half.fragments.liveCount(at) == 1) {
        settleOnly(at, reported, nowNs);
      }
      half.acknowledge(at, nowNs);
    }
  }

  /** An answer shows that a request fragment is in. */
  void onProven(int cpsn, long nowNs) {
    if (!FragmentTable.isOutstanding(cpsn, half.una, half.nextCpsn)) {
      return;
    }
    int at = half.fragments.at(cpsn);
    if (half.fragments.state(at) != FragmentTable.ACKED) {
      if (half.fragments.tries(at) == 1 && half.fragments.liveCount(at) == 1) {
        settleOnly(at, null, nowNs);
      }
      half.acknowledge(at, nowNs);
    }
    half.advance(nowNs);
  }

  /** The only transmission a fragment ever had is the one that arrived: progress of its path. */
  private void settleOnly(int at, SendPath reported, long nowNs) {
    SendPath path = half.paths.get(half.fragments.livePath(at));
    int bytes = half.retire(path, half.fragments.livePseq(at), false);
    path.ackedBytes += bytes;
    path.outcome(false);
    if (path == reported) {
      ackedBytes += bytes;
      return;
    }
    half.congestion.onAck(
        nowNs,
        path.id,
        bytes,
        0,
        0,
        0,
        path.rtt.minimumNs(),
        path.ring.liveBytes(),
        half.inflightBytes,
        isIdle());
    half.monitor.onAcknowledged(path, nowNs);
    half.monitor.settle(path, nowNs);
  }

  /**
   * A cumulative number says something when it lies from one before the oldest to the newest sent.
   */
  private boolean isPlausible(int cumulative) {
    return Psn.distance(Psn.add(half.una, -1), cumulative) >= 0
        && Psn.distance(cumulative, half.nextCpsn) > 0;
  }

  /** The limit never moves back and never promises more than the tracker holds. */
  private void takeLimit(int limit, int cumulative) {
    if (!isPlausible(cumulative)) {
      return;
    }
    int most = Psn.add(cumulative, 1 + half.parameters.trackerWindow());
    int offered = Psn.isAfter(limit, most) ? most : limit;
    if (Psn.isAfter(offered, half.cpsnLimit)) {
      half.cpsnLimit = offered;
    }
  }

  private void report(DirectBuffer buffer, int at, SendPath path, long rttNs, long nowNs) {
    int packets = Sackh.rxPackets(buffer, at) - path.rxSeen;
    int marks = Sackh.cePackets(buffer, at) - path.ceSeen;
    int sflags = Sackh.sflags(buffer, at);
    boolean newer = packets >= 0 && marks >= 0;
    if (newer) {
      path.rxSeen += packets;
      path.ceSeen += marks;
      half.monitor.onCounts(path, packets, marks, nowNs);
    }
    if ((sflags & Sackh.HINT_VALID) != 0 && half.parameters.hasHints()) {
      long rate = FairShareHint.decode(Sackh.hint(buffer, at));
      if (rate > 0) {
        half.congestion.onHint(nowNs, path.plane, Sackh.hintGeneration(buffer, at), rate);
      }
    }
    if ((sflags & Sackh.HOST_PENALTY) != 0 && half.parameters.hasHostPenalty()) {
      half.congestion.onPenalty(nowNs, Math.min(127, Sackh.hostPenalty(buffer, at)));
    }
    if (ackedBytes > 0 || rttNs > 0 || (newer && packets > 0)) {
      half.congestion.onAck(
          nowNs,
          path.id,
          ackedBytes,
          newer ? packets : 0,
          newer ? marks : 0,
          rttNs,
          path.rtt.minimumNs(),
          path.ring.liveBytes(),
          half.inflightBytes,
          isIdle());
    }
  }

  private boolean isIdle() {
    return half.retransmissions.isEmpty() && half.source.backlogBytes() == 0;
  }

  /**
   * Takes an MX_NACK of this half. It is believed only when the half's own record of the
   * transmission names the same fragment.
   *
   * @param view the packet
   * @param nowNs time of the endpoint, ns
   */
  void onNack(MxPacketView view, long nowNs) {
    DirectBuffer buffer = view.buffer();
    int at = view.headOffset();
    int pathId = Nackh.pathId(buffer, at);
    int pseq = Nackh.pseq(buffer, at);
    int cpsn = view.psn();
    if (pathId >= half.paths.count() || !half.paths.get(pathId).ring.remembers(pseq)) {
      half.counters.strangeNacks++;
      return;
    }
    SendPath path = half.paths.get(pathId);
    boolean ours =
        path.ring.cpsn(pseq) == cpsn
            && path.ring.epoch(pseq) == Nackh.epoch(buffer, at)
            && FragmentTable.isOutstanding(cpsn, half.una, half.nextCpsn);
    if (!ours) {
      half.counters.strangeNacks++;
      return;
    }
    half.counters.nacks++;
    int bytes = path.ring.bytesOf(pseq);
    if (path.ring.isLive(pseq)) {
      half.retire(path, pseq, false);
    }
    int fragment = half.fragments.at(cpsn);
    if (half.fragments.state(fragment) != FragmentTable.ACKED) {
      refuse(path, fragment, cpsn, bytes, Nackh.reason(buffer, at), Nackh.aux(buffer, at), nowNs);
    }
    half.advance(nowNs);
  }

  private void refuse(
      SendPath path, int fragment, int cpsn, int bytes, int reason, long aux, long nowNs) {
    switch (reason) {
      case NackReason.TRIMMED, NackReason.TRIMMED_LAST_HOP -> {
        half.counters.trims++;
        half.congestion.onTrim(nowNs, path.id, bytes);
        half.requeue(cpsn, true, false);
      }
      case NackReason.RECEIVER_NOT_READY -> {
        half.counters.notReady++;
        int kind = half.fragments.kind(fragment);
        if (kind > FragmentTable.KIND_ATOMIC_REQUEST) {
          half.requeue(cpsn, false, false); // answers and VOIDs need no receive request
        } else if (half.fragments.state(fragment) == FragmentTable.IN_FLIGHT) {
          half.hold(fragment);
          half.source.onNotReady(half.fragments, fragment, cpsn, aux * 1000L, nowNs);
        }
      }
      case NackReason.REMOTE_ACCESS,
          NackReason.LENGTH,
          NackReason.OPERATION,
          NackReason.UNKNOWN_STREAM -> {
        half.source.onRefused(half.fragments, fragment, reason, nowNs);
        half.requeue(cpsn, true, false);
      }
      default -> half.requeue(cpsn, false, false);
    }
  }
}
