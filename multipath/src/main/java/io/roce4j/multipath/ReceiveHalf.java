// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.wire.mx.MxClock;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.mx.NackReason;
import io.roce4j.wire.mx.Probeh;
import io.roce4j.wire.mx.Sackh;
import io.roce4j.wire.packet.Opcode;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Receives the fragments of one half of a connection: removes duplicates, has each placed where it
 * belongs, and remembers per path what to acknowledge.
 *
 * <p>Invariant: the history bit of a transmission is set only when its CPSN is in the tracker. So a
 * lost negative acknowledgement costs a transmission and never data.
 */
final class ReceiveHalf {
  private static final int CONGESTION_EXPERIENCED = 3;
  private static final long NEWEST_VALID_NS = 8_000_000_000L;
  private static final int UNIT_SHIFT = 6;

  final MxParameters parameters;
  final Tracker tracker;
  final ReceivePath[] paths;
  final UnsafeBuffer memory;
  final MxCounters counters;
  final FragmentTarget target;
  final InboundShare share;
  final boolean responseHalf;
  final HintAnnouncer hints;

  /** Negative acknowledgements: reason, path, epoch, pseq, cpsn, aux. */
  final ReplyQueue nacks = new ReplyQueue(256);

  /** Probe replies: path, id, stamp, epoch, pflags, base, last. */
  final ReplyQueue probeReplies = new ReplyQueue(64);

  private ReceivePath firstListed;
  private long deadlineNs = SendPath.NEVER;
  private int newestStamp;
  private long newestArrivalNs = Long.MIN_VALUE;
  private long acceptedBytes;
  private long ackDelayNs;
  private boolean anyDue;
  private long roundTripNs;

  /**
   * An empty half.
   *
   * @param parameters what was negotiated
   * @param memory memory of this half, zeroed, {@link #bytes} from {@code offset} on
   * @param offset first byte, 8-byte aligned
   * @param firstCpsn first CPSN of the peer's send half
   * @param responseHalf which half
   * @param target where fragments go
   * @param share what the receiving port grants, or null without hints
   * @param counters the connection's
   */
  ReceiveHalf(
      MxParameters parameters,
      UnsafeBuffer memory,
      int offset,
      int firstCpsn,
      boolean responseHalf,
      FragmentTarget target,
      InboundShare share,
      MxCounters counters) {
    this.parameters = parameters;
    this.memory = memory;
    this.responseHalf = responseHalf;
    this.target = target;
    this.share = share;
    this.counters = counters;
    this.tracker = new Tracker(memory, offset, parameters.trackerWindow(), firstCpsn);
    int at = offset + Tracker.bytes(parameters.trackerWindow());
    this.paths = new ReceivePath[parameters.paths()];
    for (int i = 0; i < paths.length; i++) {
      paths[i] = new ReceivePath(i, i % parameters.planes(), at);
      at += SackVector.bytes(ReceivePath.HISTORY);
    }
    this.ackDelayNs = Math.min(parameters.maxAckDelayNs(), parameters.ackDelayFloorNs());
    this.hints = new HintAnnouncer(share, parameters.planes(), paths);
    this.roundTripNs = parameters.baseRttNs();
  }

  /** Bytes of memory a half needs. */
  static int bytes(MxParameters parameters) {
    return Tracker.bytes(parameters.trackerWindow())
        + parameters.paths() * SackVector.bytes(ReceivePath.HISTORY);
  }

  /** A quarter of the least round trip time, within the agreed limits. */
  void minimumRtt(long minRttNs) {
    long quarter = Math.max(parameters.ackDelayFloorNs(), minRttNs / 4);
    ackDelayNs = Math.min(parameters.maxAckDelayNs(), quarter);
    roundTripNs = minRttNs;
  }

  /** Least round trip time known, the configured one before. */
  long roundTripNs() {
    return roundTripNs;
  }

  // ---- Packets ----

  /** Takes a numbered packet of this half. */
  void onPacket(MxPacketView view, DatagramMeta meta, long nowNs) {
    int head = view.headOffset();
    int pathId = Mxth.pathId(view.buffer(), head);
    int stamp = Mxth.txTimestamp(view.buffer(), head);
    if (pathId >= paths.length) {
      counters.rxStrange++;
      return;
    }
    if (isStale(stamp, nowNs)) {
      counters.rxStale++;
      return;
    }
    boolean marked = meta.ecn == CONGESTION_EXPERIENCED;
    ReceivePath path = paths[pathId];
    int pseq = Mxth.pseq(view.buffer(), head);
    int epoch = Mxth.epoch(view.buffer(), head);
    arrive(path, pseq, epoch, stamp, marked, nowNs);
    path.causeStream = Mxth.streamId(view.buffer(), head);
    if (share != null) {
      share.onData(view, path, stamp, nowNs);
    }
    int cpsn = view.psn();
    if (tracker.isBeyond(cpsn)) {
      refuseBeyond(path, epoch, pseq, cpsn, nowNs);
      return;
    }
    if (tracker.contains(cpsn)) {
      counters.rxDuplicates++;
      remember(path, pseq);
      require(path, Sackh.DUPLICATE);
      return;
    }
    if (view.opcode() == Opcode.MX_VOID) {
      counters.rxVoids++;
      tracker.accept(cpsn);
      remember(path, pseq);
      require(path, 0);
      return;
    }
    place(view, path, epoch, pseq, cpsn, nowNs);
  }

  private void place(
      MxPacketView view, ReceivePath path, int epoch, int pseq, int cpsn, long nowNs) {
    int reason = target.place(view, nowNs);
    if (reason != FragmentTarget.ACCEPTED) {
      counters.rxRefused++;
      int aux = reason == NackReason.RECEIVER_NOT_READY ? (int) target.notReadyWaitUs(view) : 0;
      nacks.offer(reason, path.id, epoch, pseq, cpsn, aux, 0, nowNs);
      require(path, 0);
      return;
    }
    tracker.accept(cpsn);
    remember(path, pseq);
    acceptedBytes += view.payloadLength();
    counters.rxPayloadBytes += view.payloadLength();
    target.onPlaced(view, nowNs);
    if (view.ackRequest() || view.isLast()) {
      require(path, 0);
    }
  }

  /** CPSN wraps in a second and a half at high rates: what is older than that must not be taken. */
  private boolean isStale(int stamp, long nowNs) {
    boolean newestHolds =
        newestArrivalNs != Long.MIN_VALUE && nowNs - newestArrivalNs < NEWEST_VALID_NS;
    long behindNs = MxClock.elapsedNs(stamp, newestStamp);
    if (newestHolds && behindNs > parameters.staleNs()) {
      return true;
    }
    if (!newestHolds || behindNs <= 0) {
      newestStamp = stamp;
      newestArrivalNs = nowNs;
    }
    return false;
  }

  private void arrive(
      ReceivePath path, int pseq, int epoch, int stamp, boolean marked, long nowNs) {
    counters.rxPackets++;
    path.rxPackets++;
    if (marked) {
      path.cePackets++;
      counters.rxMarked++;
    }
    int ahead = Serial.distance32(path.hi, pseq);
    boolean newEpoch = epoch != path.hiEpoch;
    if (ahead > 0) {
      raise(path, pseq, ahead);
      path.hiEpoch = epoch;
      path.hiStamp = stamp;
      path.hiArrivalNs = nowNs;
    }
    list(path, nowNs);
    path.unreported++;
    int gap = ahead > 1 ? Sackh.GAP : 0;
    if (ahead != 1 || newEpoch || marked != path.lastWasMarked) {
      require(path, gap);
    } else if (path.unreported >= parameters.ackEvery()) {
      require(path, 0);
    }
    path.lastWasMarked = marked;
  }

  private void raise(ReceivePath path, int pseq, int ahead) {
    SackVector.clearRange(memory, path.historyAt, ReceivePath.HISTORY, path.hi + 1, ahead);
    path.hi = pseq;
  }

  private void remember(ReceivePath path, int pseq) {
    if (Serial.distance32(pseq, path.hi) < ReceivePath.HISTORY) {
      SackVector.set(memory, path.historyAt, ReceivePath.HISTORY, pseq);
    }
  }

  private void refuseBeyond(ReceivePath path, int epoch, int pseq, int cpsn, long nowNs) {
    counters.rxBeyond++;
    if (nowNs >= path.nextBeyondNackNs) {
      path.nextBeyondNackNs = nowNs + parameters.baseRttNs();
      nacks.offer(NackReason.OUTSIDE_TRACKER, path.id, epoch, pseq, cpsn, 0, 0, nowNs);
    }
    require(path, 0);
  }

  /** Takes an MX_PROBE about this half. */
  void onProbe(MxPacketView view, long nowNs) {
    int at = view.headOffset();
    int pathId = Probeh.pathId(view.buffer(), at);
    if (pathId >= paths.length || !parameters.hasProbes()) {
      counters.rxStrange++;
      return;
    }
    ReceivePath path = paths[pathId];
    int pflags = Probeh.pflags(view.buffer(), at);
    int stamp = Probeh.txTimestamp(view.buffer(), at);
    int epoch = Probeh.epoch(view.buffer(), at);
    if ((pflags & Probeh.TAIL_CHECK) != 0) {
      int last = Probeh.lastPseq(view.buffer(), at);
      int ahead = Serial.distance32(path.hi, last);
      if (ahead > 0) {
        // Kept: later acknowledgements show the tail as missing, too.
        raise(path, last, ahead);
        path.hiEpoch = epoch;
        path.hiStamp = stamp;
        path.hiArrivalNs = nowNs;
      }
    }
    probeReplies.offer(
        pathId,
        Probeh.probeId(view.buffer(), at),
        stamp,
        epoch,
        pflags,
        Probeh.basePseq(view.buffer(), at),
        0,
        nowNs);
  }

  // ---- When to acknowledge ----

  private void list(ReceivePath path, long nowNs) {
    if (!path.listed) {
      path.listed = true;
      path.nextListed = firstListed;
      firstListed = path;
      path.firstUnreportedNs = nowNs;
      deadlineNs = Math.min(deadlineNs, nowNs + ackDelayNs);
    }
  }

  private void require(ReceivePath path, int flags) {
    path.due = true;
    path.sflags |= flags;
    anyDue = true;
  }

  /** Whether something is to be written now. */
  boolean wantsToSend() {
    return anyDue || !nacks.isEmpty() || !probeReplies.isEmpty();
  }

  /** When an acknowledgement held back must go. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Makes acknowledgements due that were held back long enough. */
  void onTimer(long nowNs) {
    if (nowNs < deadlineNs) {
      return;
    }
    deadlineNs = SendPath.NEVER;
    for (ReceivePath path = firstListed; path != null; path = path.nextListed) {
      if (path.due || path.unreported == 0) {
        continue;
      }
      if (path.firstUnreportedNs + ackDelayNs <= nowNs) {
        require(path, 0);
      } else {
        deadlineNs = Math.min(deadlineNs, path.firstUnreportedNs + ackDelayNs);
      }
    }
  }

  /** The next path with an acknowledgement due, or null. */
  ReceivePath nextDue() {
    for (ReceivePath path = firstListed; path != null; path = path.nextListed) {
      if (path.due) {
        return path;
      }
    }
    anyDue = false;
    return null;
  }

  /** An acknowledgement of a path was written. */
  void acknowledged(ReceivePath path) {
    path.due = false;
    path.sflags = 0;
    path.unreported = 0;
    path.firstUnreportedNs = SendPath.NEVER;
    path.cePacketsReported = path.cePackets;
    path.listed = false;
    ReceivePath before = null;
    for (ReceivePath p = firstListed; p != path; p = p.nextListed) {
      before = p;
    }
    if (before == null) {
      firstListed = path.nextListed;
    } else {
      before.nextListed = path.nextListed;
    }
    path.nextListed = null;
  }

  /** Payload accepted so far in 64-byte units, modulo 2^32. */
  int acceptedUnits() {
    return (int) (acceptedBytes >> UNIT_SHIFT);
  }

  /** 64 history bits of a path ending at a pseq. */
  long historyWindow(ReceivePath path, int latest) {
    int oldest = path.hi - ReceivePath.HISTORY + 1;
    int room = Serial.distance32(oldest, latest) + 1;
    if (room <= 0 || Serial.isAfter32(latest, path.hi)) {
      return 0;
    }
    long bits = SackVector.window(memory, path.historyAt, ReceivePath.HISTORY, latest);
    return room >= 64 ? bits : bits & (-1L << (64 - room));
  }
}
