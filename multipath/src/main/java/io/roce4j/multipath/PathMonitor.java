// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.wire.mx.MxClock;

/**
 * The life of the paths of one send half: probe timers, suspicion, failure, probing, moves of the
 * entropy, draining. It decides; {@link SendHalf} moves fragments and {@link PathProber} writes the
 * probes.
 *
 * <pre>
 *            second PTO, others progress              third PTO or T_fail
 *            or 16 of 64 lost, others fine            (new source port, books cleared)
 *   ACTIVE ------------------------------> SUSPECT ----------------------> PROBING
 *     ^                                     |   ^                            |
 *     |          any probe answered         |   | too few other paths:       |
 *     +-------------------------------------+   | kept, stays SUSPECT        |
 *     |                                                                      |
 *     +----------------- three probes answered in a row ---------------------+
 *   any -> DRAIN -> CLOSED, DISABLED (peer, port, administrator)
 * </pre>
 */
final class PathMonitor {
  /** PTOs, probe intervals and repetitions double up to this. */
  static final long BACKOFF_MAX_NS = 10_000_000;

  private static final long FAIL_LEAST_NS = 100_000;
  private static final int SUSPECT_LOSSES = 16;
  private static final int HEALTHY_LOSSES = 3;
  private static final int FAST_PROBES = 64;
  private static final int ANSWERS_TO_RETURN = 3;
  private static final int UNANSWERED_TO_MOVE = 8;
  private static final int MOVES_TO_BLAME_PLANE = 4;
  private static final int MARKED_ROUNDS_TO_MOVE = 4;
  private static final double MARKED = 0.5;
  private static final double UNMARKED = 0.1;
  private static final long INITIAL_RTT_LEAST_NS = 100_000;

  private final SendHalf half;
  private final EntropyPool entropy;
  private final int halfNumber;
  private final PlaneHealth planes;
  final MoveAnnouncer moves;
  private final int[] scratch;
  private long deadlineNs = SendPath.NEVER;
  private int probesWanted;

  PathMonitor(SendHalf half, EntropyPool entropy, int halfNumber) {
    this.half = half;
    this.entropy = entropy;
    this.halfNumber = halfNumber;
    this.planes = new PlaneHealth(half.parameters.planes());
    this.scratch = new int[half.paths.count()];
    this.moves = new MoveAnnouncer(half.paths);
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath path = half.paths.get(i);
      path.slot = freeSlot(path);
    }
  }

  // ---- Round trip times ----

  /** Largest smoothed round trip time of the paths that have one, else the configured base. */
  long connectionRttNs() {
    long largest = 0;
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath path = half.paths.get(i);
      if (path.rtt.samples() > 0 && path.state <= PathState.SUSPECT) {
        largest = Math.max(largest, path.rtt.smoothedNs());
      }
    }
    return largest > 0 ? largest : half.parameters.baseRttNs();
  }

  /** Probe timeout of a path, not doubled. */
  long ptoNs(SendPath path) {
    if (path.rtt.samples() > 0) {
      return path.rtt.probeTimeoutNs(half.parameters.maxAckDelayNs());
    }
    long largest = connectionRttNs();
    return largest != half.parameters.baseRttNs()
        ? largest
            + Math.max(largest / 4, half.parameters.maxAckDelayNs())
            + half.parameters.maxAckDelayNs()
        : Math.max(10 * half.parameters.baseRttNs(), INITIAL_RTT_LEAST_NS);
  }

  private long backedOffNs(long baseNs, int doublings) {
    long most = Math.max(baseNs, BACKOFF_MAX_NS);
    return doublings > 20 ? most : Math.min(baseNs << doublings, most);
  }

  private long failAfterNs(SendPath path) {
    return Math.max(3 * ptoNs(path), FAIL_LEAST_NS);
  }

  // ---- Events ----

  /** A transmission was booked. */
  void onSent(SendPath path, long nowNs) {
    if (path.oldestSinceAckNs == SendPath.NEVER) {
      path.oldestSinceAckNs = nowNs;
    }
    if (path.ptoDeadlineNs == SendPath.NEVER) {
      path.ptoDeadlineNs = nowNs + ptoNs(path);
      soonest(path.ptoDeadlineNs);
    }
  }

  /**
   * A train was sent. Nothing follows one that sending stops after, so nothing would show what its
   * end lost before the probe timer: on a path that loses, a probe follows at once. Not where
   * packets overtake each other: what the probe overtook would look lost.
   *
   * @param stopped whether sending stops after it
   */
  void onTrainEnd(SendPath path, boolean stopped) {
    if (stopped
        && path.isActive()
        && path.recentLosses() > 0
        && path.reorderTolerance == 0
        && half.parameters.hasProbes()) {
      want(path, PathProber.TAIL);
    }
  }

  /** The receiver said something about the path. */
  void onAcknowledged(SendPath path, long nowNs) {
    path.lastAckNs = nowNs;
    path.oldestSinceAckNs = SendPath.NEVER;
    path.ptosInARow = 0;
    path.excused = false;
    if (path.ring.liveCount() == 0) {
      path.ptoDeadlineNs = SendPath.NEVER;
    } else {
      path.ptoDeadlineNs = nowNs + ptoNs(path);
      soonest(path.ptoDeadlineNs);
    }
  }

  /** Losses were found on a path: too many of the last 64 make it suspect. */
  void onLosses(SendPath path, long nowNs) {
    if (path.isActive()
        && path.recentLosses() > SUSPECT_LOSSES
        && half.paths.activeCount() > 1
        && medianLossesOfOthers(path) <= HEALTHY_LOSSES) {
      path.outcomes = 0;
      suspect(path, nowNs);
    }
  }

  /** One of the last probes of a path was answered. */
  void onProbeAnswered(SendPath path, int probeId, long nowNs) {
    path.probesAnswered++;
    path.unansweredInARow = 0;
    path.answersInARow = probeId == path.lastAnswered + 1 ? path.answersInARow + 1 : 1;
    path.lastAnswered = probeId;
    planes.onAnswer(path.plane);
    if (path.state == PathState.SUSPECT) {
      activate(path, !path.kept, nowNs);
    } else if (path.state == PathState.PROBING && path.answersInARow >= ANSWERS_TO_RETURN) {
      activate(path, false, nowNs);
    }
  }

  /** Counts of a round trip: a path that alone is marked all the time moves. */
  void onCounts(SendPath path, int packets, int marks, long nowNs) {
    path.marks += marks;
    path.roundPackets += packets;
    path.roundMarks += marks;
    if (nowNs < path.roundEndNs || path.roundPackets == 0) {
      return;
    }
    path.markFraction = Math.min(1.0, (double) path.roundMarks / path.roundPackets);
    path.roundPackets = 0;
    path.roundMarks = 0;
    path.roundEndNs = nowNs + path.rtt.smoothedNs();
    path.markedRounds = path.markFraction > MARKED ? path.markedRounds + 1 : 0;
    long wanted = half.congestion.pathChangesWanted(path.id);
    boolean asked = wanted != path.changesSeen;
    path.changesSeen = wanted;
    boolean alone =
        path.markedRounds >= MARKED_ROUNDS_TO_MOVE && medianMarksOfOthers(path) < UNMARKED;
    if ((alone || asked) && path.isActive() && half.parameters.mayMove()) {
      path.markedRounds = 0;
      move(path, nowNs);
      half.congestion.onPathMoved(nowNs, path.id);
    }
  }

  // ---- Timers ----

  /** When {@link #onTimer} has something to do; may be early, never late. */
  long deadlineNs() {
    return deadlineNs;
  }

  private void soonest(long whenNs) {
    deadlineNs = Math.min(deadlineNs, whenNs);
  }

  /** Runs what is due on all paths. */
  void onTimer(long nowNs) {
    if (nowNs < deadlineNs) {
      return;
    }
    deadlineNs = SendPath.NEVER;
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath path = half.paths.get(i);
      if (path.ptoDeadlineNs <= nowNs && !isExcused(path, nowNs)) {
        onPto(path, nowNs);
      }
      if (path.oldEpochDeadlineNs <= nowNs) {
        loseOldEpochs(path, nowNs);
      }
      if (path.nextProbeNs <= nowNs) {
        onProbeDue(path, nowNs);
      }
      if (failDeadlineNs(path) <= nowNs) {
        onSilence(path, nowNs);
      }
      soonest(path.ptoDeadlineNs);
      soonest(path.oldEpochDeadlineNs);
      soonest(path.nextProbeNs);
      soonest(failDeadlineNs(path));
    }
  }

  /**
   * Whether this side was not running for a good part of the time it waited: what it sent last may
   * have left only just now, and the answer not have had its time. It waits once more, once.
   */
  private boolean isExcused(SendPath path, long nowNs) {
    long ptoNs = ptoNs(path);
    if (path.excused || nowNs - path.ptoDeadlineNs < ptoNs / 2 || path.ring.liveCount() == 0) {
      return false;
    }
    path.excused = true;
    path.ptoDeadlineNs = nowNs + ptoNs;
    return true;
  }

  private long failDeadlineNs(SendPath path) {
    boolean watched =
        (path.state == PathState.SUSPECT && !path.kept) || path.state == PathState.DRAIN;
    if (!watched) {
      return SendPath.NEVER;
    }
    long sinceNs = path.lastAckNs;
    if (path.oldestSinceAckNs != SendPath.NEVER) {
      sinceNs = Math.max(sinceNs, path.oldestSinceAckNs);
    }
    return Math.max(sinceNs, path.suspectSinceNs) + failAfterNs(path);
  }

  private void onSilence(SendPath path, long nowNs) {
    if (path.state == PathState.DRAIN) {
      close(path, PathState.CLOSED, nowNs);
    } else {
      fail(path, nowNs);
    }
  }

  private void onPto(SendPath path, long nowNs) {
    if (path.ring.liveCount() == 0) {
      path.ptoDeadlineNs = SendPath.NEVER;
      return;
    }
    path.excused = false;
    path.ptosInARow++;
    path.ptos++;
    half.counters.ptos++;
    half.congestion.onPto(nowNs, path.id);
    if (path.ptosInARow == 1) {
      path.firstPtoNs = nowNs;
    }
    want(path, PathProber.TAIL);
    if (path.ptosInARow >= 2) {
      half.copy(path.ring.cpsn(path.ring.oldestLive()), false);
    }
    path.ptoDeadlineNs = nowNs + backedOffNs(ptoNs(path), path.ptosInARow);
    boolean doubtful =
        path.ptosInARow >= 3 || (path.ptosInARow == 2 && anotherProgressedSince(path));
    if (path.isActive() && doubtful) {
      suspect(path, nowNs);
    } else if (path.state == PathState.SUSPECT && !path.kept && path.ptosInARow >= 3) {
      fail(path, nowNs);
    }
  }

  private boolean anotherProgressedSince(SendPath path) {
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath other = half.paths.get(i);
      if (other != path && other.lastAckNs > path.firstPtoNs) {
        return true;
      }
    }
    return false;
  }

  private void onProbeDue(SendPath path, long nowNs) {
    if (path.state == PathState.SUSPECT || path.state == PathState.PROBING) {
      if (path.probesInState > 0) {
        path.unansweredInARow++;
      }
      boolean moved = path.kept || path.state == PathState.PROBING;
      if (moved && path.unansweredInARow >= UNANSWERED_TO_MOVE) {
        tryNextEntropy(path, nowNs);
      }
      path.probesInState++;
      want(path, PathProber.TAIL);
      int doublings = moved ? Math.max(0, path.probesInState - FAST_PROBES) : 0;
      path.nextProbeNs = nowNs + backedOffNs(probeIntervalNs(path), doublings);
    } else {
      path.nextProbeNs = SendPath.NEVER;
    }
  }

  private long probeIntervalNs(SendPath path) {
    return path.rtt.samples() > 0 ? path.rtt.smoothedNs() : connectionRttNs();
  }

  private void tryNextEntropy(SendPath path, long nowNs) {
    path.unansweredInARow = 0;
    path.failedEntropies++;
    if (path.failedEntropies % MOVES_TO_BLAME_PLANE == 0) {
      planes.blame(path.plane);
    }
    if (!planes.isDown(path.plane) && half.parameters.mayMove()) {
      move(path, nowNs);
    }
  }

  // ---- State changes ----

  private void want(SendPath path, int kind) {
    path.wantedProbes |= kind;
    probesWanted++;
  }

  /** Whether a probe may be waiting to be written. */
  boolean wantsProbe() {
    return probesWanted > 0;
  }

  /** All waiting probes were written. */
  void probesWritten() {
    probesWanted = 0;
  }

  /** Asks for the part of the receiver's history that the vector no longer covers. */
  void wantVector(SendPath path, int basePseq, long nowNs) {
    if (!half.parameters.hasProbes() || nowNs < path.nextVectorNs) {
      return;
    }
    path.nextVectorNs = nowNs + path.rtt.smoothedNs();
    path.vectorBase = basePseq;
    want(path, PathProber.VECTOR);
  }

  private void suspect(SendPath path, long nowNs) {
    path.state = PathState.SUSPECT;
    path.suspectSinceNs = nowNs;
    path.kept = false;
    path.probesInState = 0;
    path.unansweredInARow = 0;
    path.answersInARow = 0;
    path.nextProbeNs = nowNs;
    soonest(nowNs);
    half.counters.suspects++;
    half.paths.refresh();
    half.congestion.onPathSuspended(nowNs, path.id);
    copyAllLive(path);
  }

  /** So that the tracker can move on while the path is in doubt. */
  private void copyAllLive(SendPath path) {
    PathRing ring = path.ring;
    for (int pseq = ring.oldestLive(); pseq != ring.next(); pseq++) {
      if (ring.isLive(pseq)) {
        half.copy(ring.cpsn(pseq), true);
      }
    }
  }

  private void activate(SendPath path, boolean sameRoute, long nowNs) {
    path.state = PathState.ACTIVE;
    path.kept = false;
    path.failedEntropies = 0;
    path.ptosInARow = 0;
    path.nextProbeNs = SendPath.NEVER;
    half.paths.refresh();
    if (sameRoute) {
      half.congestion.onPathRestored(nowNs, path.id);
    } else {
      half.congestion.onPathRevived(nowNs, path.id);
    }
    if (planes.onPathUp(path.plane)) {
      half.congestion.onPlane(nowNs, path.plane, true);
    }
  }

  private void fail(SendPath path, long nowNs) {
    path.failures++;
    half.counters.pathFailures++;
    clearBooks(path, nowNs);
    path.probesInState = 0;
    path.unansweredInARow = 0;
    path.answersInARow = 0;
    path.ptosInARow = 0;
    path.failedEntropies = 0;
    path.kept = othersInUse(path) < half.parameters.minActivePaths();
    path.state = path.kept ? PathState.SUSPECT : PathState.PROBING;
    path.nextProbeNs = nowNs;
    soonest(nowNs);
    half.paths.refresh();
    if (half.parameters.mayMove()) {
      move(path, nowNs);
    }
    if (allFailed(path.plane) && planes.onAllFailed(path.plane)) {
      half.counters.planeFailures++;
      half.congestion.onPlane(nowNs, path.plane, false);
    }
  }

  private int othersInUse(SendPath path) {
    int inUse = 0;
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath other = half.paths.get(i);
      if (other != path && other.state <= PathState.SUSPECT) {
        inUse++;
      }
    }
    return inUse;
  }

  private boolean allFailed(int plane) {
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath other = half.paths.get(i);
      boolean failed = other.kept || other.state >= PathState.PROBING;
      if (other.plane == plane && !failed) {
        return false;
      }
    }
    return true;
  }

  /** All transmissions leave the books; what they carried goes to the other paths at once. */
  private void clearBooks(SendPath path, long nowNs) {
    PathRing ring = path.ring;
    int oldest = ring.oldestLive();
    for (int pseq = ring.next() - 1; pseq - oldest >= 0; pseq--) {
      if (ring.isLive(pseq)) {
        int cpsn = ring.cpsn(pseq);
        half.retire(path, pseq, true);
        half.requeue(cpsn, true, false);
      }
    }
    path.ptoDeadlineNs = SendPath.NEVER;
    path.oldestSinceAckNs = SendPath.NEVER;
    path.oldEpochDeadlineNs = SendPath.NEVER;
    half.advance(nowNs);
  }

  /** Another source port: the old route's transmissions have one PTO left to be reported. */
  void move(SendPath path, long nowNs) {
    if (path.ring.liveCount() > 0 && path.oldEpochDeadlineNs == SendPath.NEVER) {
      path.oldEpochDeadlineNs = nowNs + ptoNs(path);
      soonest(path.oldEpochDeadlineNs);
    }
    path.epoch = path.epoch + 1 & 0xFF;
    path.slot = freeSlot(path);
    path.moves++;
    path.movedNs = nowNs;
    path.rtt.newEpoch(nowNs);
    path.probes.forget();
    half.counters.entropyMoves++;
    moves.onMoved();
  }

  /** A slot no other path of the half uses, where there are enough. */
  private int freeSlot(SendPath path) {
    boolean enough = entropy.slotsPerPlane() >= half.paths.count();
    int slot = 0;
    for (int attempt = 0; attempt < 64; attempt++) {
      slot = entropy.slot(halfNumber, path.id, path.epoch, EntropyPool.DATA, attempt, path.plane);
      if (!enough || !isTaken(path, slot)) {
        return slot;
      }
    }
    return slot;
  }

  private boolean isTaken(SendPath path, int slot) {
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath other = half.paths.get(i);
      if (other != path && other.state <= PathState.PROBING && other.slot == slot) {
        return true;
      }
    }
    return false;
  }

  private void loseOldEpochs(SendPath path, long nowNs) {
    path.oldEpochDeadlineNs = SendPath.NEVER;
    long graceNs = ptoNs(path);
    PathRing ring = path.ring;
    int oldest = ring.oldestLive();
    for (int pseq = ring.next() - 1; pseq - oldest >= 0; pseq--) {
      if (!ring.isLive(pseq) || ring.epoch(pseq) == path.epoch) {
        continue;
      }
      long ageNs = MxClock.elapsedNs(ring.stamp(pseq), MxClock.stamp(nowNs));
      if (ageNs < graceNs) {
        path.oldEpochDeadlineNs = nowNs + graceNs;
        continue;
      }
      int cpsn = ring.cpsn(pseq);
      half.retire(path, pseq, true);
      half.requeue(cpsn, true, false);
    }
    if (ring.liveCount() == 0) {
      path.ptoDeadlineNs = SendPath.NEVER;
    }
  }

  // ---- Peer, port and administrator ----

  /** No new transmissions on a path; it closes when what is under way is settled. */
  void drain(SendPath path, long nowNs) {
    if (path.state >= PathState.DRAIN) {
      return;
    }
    path.state = PathState.DRAIN;
    path.kept = false;
    path.nextProbeNs = SendPath.NEVER;
    half.paths.refresh();
    half.congestion.onPathSuspended(nowNs, path.id);
    soonest(failDeadlineNs(path));
    settle(path, nowNs);
  }

  /** Closes a draining path with nothing under way. */
  void settle(SendPath path, long nowNs) {
    if (path.state == PathState.DRAIN && path.ring.liveCount() == 0) {
      close(path, PathState.CLOSED, nowNs);
    }
  }

  /** Closes a path at once; what was under way goes to the others. */
  void close(SendPath path, int state, long nowNs) {
    if (path.state == state) {
      return;
    }
    clearBooks(path, nowNs);
    path.state = state;
    path.kept = false;
    path.nextProbeNs = SendPath.NEVER;
    half.paths.refresh();
    half.congestion.onPathClosed(nowNs, path.id);
  }

  /** Opens a closed path again, by way of probing. */
  void reopen(SendPath path, long nowNs) {
    if (path.state < PathState.DRAIN) {
      return;
    }
    boolean closed = path.state != PathState.DRAIN;
    if (closed) {
      half.congestion.onPathOpened(nowNs, path.id, path.plane);
      half.congestion.onPathSuspended(nowNs, path.id);
    }
    path.state = PathState.PROBING;
    path.probesInState = 0;
    path.unansweredInARow = 0;
    path.answersInARow = 0;
    path.nextProbeNs = nowNs;
    soonest(nowNs);
  }

  /** The administrator's choice of a source port. */
  void moveTo(SendPath path, int slot, long nowNs) {
    move(path, nowNs);
    path.slot = slot;
  }

  // ---- Medians ----

  private int medianLossesOfOthers(SendPath path) {
    int count = 0;
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath other = half.paths.get(i);
      if (other != path && other.isActive()) {
        scratch[count++] = other.recentLosses();
      }
    }
    return count == 0 ? Integer.MAX_VALUE : median(count);
  }

  private double medianMarksOfOthers(SendPath path) {
    int count = 0;
    for (int i = 0; i < half.paths.count(); i++) {
      SendPath other = half.paths.get(i);
      if (other != path && other.isActive()) {
        scratch[count++] = (int) (other.markFraction * 1_000_000);
      }
    }
    return count == 0 ? 1.0 : median(count) / 1e6;
  }

  private int median(int count) {
    // Insertion sort: at most 254 numbers, and only when a path looks bad.
    for (int i = 1; i < count; i++) {
      int value = scratch[i];
      int j = i - 1;
      while (j >= 0 && scratch[j] > value) {
        scratch[j + 1] = scratch[j];
        j--;
      }
      scratch[j + 1] = value;
    }
    return scratch[(count - 1) / 2];
  }
}
