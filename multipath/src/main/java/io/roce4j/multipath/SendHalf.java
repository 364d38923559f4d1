// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.MultipathController;
import io.roce4j.congestion.Pacer;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.ConnectionEngine;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.mx.BacklogCode;
import io.roce4j.wire.mx.MxClock;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sends the fragments of one half of a connection over its paths: numbers them, chooses paths,
 * repeats what is lost and keeps the books of what is in flight.
 *
 * <p>Invariants: a fragment has at most two live transmissions; the bytes live on all paths are the
 * bytes in flight; a fragment is ACKED only on the receiver's word that its CPSN is in. {@link
 * SackIntake} reads what the receiver says, {@link PathMonitor} decides about paths.
 */
final class SendHalf {
  private static final int[] OPCODES = {
    Opcode.MX_WRITE,
    Opcode.MX_SEND,
    Opcode.MX_READ_REQUEST,
    Opcode.MX_ATOMIC_REQUEST,
    Opcode.MX_READ_RESP,
    Opcode.MX_ATOMIC_RESP,
    Opcode.MX_VOID
  };

  /** Bytes of a VOID. */
  static final int VOID_PACKET = Bth.LENGTH + Mxth.LENGTH + PacketWriter.ICRC_LENGTH;

  private static final int MXTH_AT = Bth.LENGTH;
  private static final int NO_FRAGMENT = -1;

  /** A train need not be longer than this part of the window. */
  private static final int LEAST_TRAIN_OF_WINDOW = 4;

  final MxParameters parameters;
  final FragmentTable fragments;
  final FragmentQueue retransmissions;
  final PathSet paths;
  final PathMonitor monitor;
  final MultipathController congestion;
  final MxCounters counters;
  final FragmentSource source;
  private final PathSelector selector;
  private final Pacer pacer;
  private final int halfFlag;

  int una;
  int nextCpsn;
  int cpsnLimit;
  long inflightBytes;
  long lastProgressNs;
  long busySinceNs;
  private long wakeNs = SendPath.NEVER;
  private long idleSinceNs;
  private boolean everSent;
  private boolean trackerStalled;

  /**
   * An idle half.
   *
   * @param parameters what was negotiated
   * @param parts memory, paths and control of this half
   * @param source where its fragments come from
   */
  SendHalf(MxParameters parameters, SendHalfParts parts, FragmentSource source) {
    this.parameters = parameters;
    this.fragments = parts.fragments;
    this.retransmissions = new FragmentQueue(fragments);
    this.congestion = parts.congestion;
    this.paths = parts.paths;
    this.selector = parts.selector;
    this.counters = parts.counters;
    this.halfFlag = parts.half == 0 ? 0 : Mxth.RESPONSE_HALF;
    this.source = source;
    this.una = parts.firstCpsn;
    this.nextCpsn = parts.firstCpsn;
    this.cpsnLimit = Psn.add(parts.firstCpsn, parameters.trackerWindow());
    this.pacer =
        new Pacer(
            CongestionController.UNLIMITED, parameters.burstBytes(), parameters.pacerCatchUpNs());
    this.monitor = new PathMonitor(this, parts.entropy, parts.half);
    this.lastProgressNs = parts.nowNs;
    this.idleSinceNs = parts.nowNs;
  }

  /** Sets the first CPSN, before anything was numbered. */
  void start(int firstCpsn) {
    una = firstCpsn;
    nextCpsn = firstCpsn;
    cpsnLimit = Psn.add(firstCpsn, parameters.trackerWindow());
  }

  /** Whether nothing is unacknowledged. */
  boolean isQuiet() {
    return una == nextCpsn;
  }

  /** Fragments numbered and not acknowledged up to the oldest. */
  int outstanding() {
    return Psn.distance(una, nextCpsn);
  }

  /** When sending may go on although nothing arrives: pacing and trickle. */
  long wakeNs() {
    return wakeNs;
  }

  /**
   * Sends at most one train.
   *
   * @return {@link ConnectionEngine#IDLE}, {@link ConnectionEngine#MORE} or {@link
   *     ConnectionEngine#BLOCKED}
   */
  int transmit(long nowNs, MxWire wire, TrainSink sink) {
    wakeNs = SendPath.NEVER;
    paths.now(nowNs);
    int at = nextRetransmission();
    int length = at == NO_FRAGMENT ? newLength(nowNs) : packetLength(at);
    if (length == FragmentSource.NOTHING) {
      noteTrackerStall();
      return ConnectionEngine.IDLE;
    }
    trackerStalled = false;
    if (at == NO_FRAGMENT) {
      noteRestart(nowNs);
    }
    pacer.rate(nowNs, congestion.rateBitsPerSecond());
    if (!mayLeave(nowNs, length) || (at == NO_FRAGMENT && !isWorthATrain(length))) {
      return ConnectionEngine.IDLE;
    }
    int chosen = choosePath(nowNs, at, length);
    if (chosen == PathSelector.NONE) {
      wakeNs = Math.min(wakeNs, paths.earliestPacedNs(length));
      return ConnectionEngine.IDLE;
    }
    SendPath path = paths.get(chosen);
    int room = sink.open(path.slot, wire.destination(), wire.dataTos(), length);
    if (room <= 0) {
      counters.backPressure++;
      return ConnectionEngine.BLOCKED;
    }
    sendTrain(nowNs, wire, sink, path, at, length, Math.min(room, parameters.trainPackets()));
    return ConnectionEngine.MORE;
  }

  private void sendTrain(
      long nowNs, MxWire wire, TrainSink sink, SendPath path, int first, int size, int room) {
    int at = first;
    int length = size;
    path.train = path.train + 1 & 0xFFFF;
    for (int sent = 1; ; sent++) {
      boolean again = at != NO_FRAGMENT;
      int cpsn;
      if (again) {
        cpsn = cpsnOf(at);
        dequeue(at);
      } else {
        cpsn = nextCpsn;
        // Not by what is in flight: a path that fails empties the books and proves no life.
        busySinceNs = isQuiet() ? nowNs : busySinceNs;
        nextCpsn = Psn.next(nextCpsn);
        at = fragments.at(cpsn);
        source.take(fragments, at, cpsn);
      }
      int next = nextRetransmission();
      int nextLength = next == NO_FRAGMENT ? newLength(nowNs) : packetLength(next);
      boolean stopped = sendFragment(nowNs, wire, sink, path, at, cpsn, nextLength);
      boolean more =
          sent < room
              && nextLength != FragmentSource.NOTHING
              && nextLength <= length
              && path.isActive()
              && paths.hasRoom(path.id, nextLength)
              && mayLeave(nowNs, nextLength)
              && (next == NO_FRAGMENT || choosePath(nowNs, next, nextLength) == path.id);
      if (!more) {
        monitor.onTrainEnd(path, stopped);
        return;
      }
      boolean endsTrain = nextLength < length;
      at = next;
      length = nextLength;
      if (endsTrain) {
        room = sent + 1;
      }
    }
  }

  /** CPSN of an outstanding fragment, from its place in the table. */
  int cpsnOf(int at) {
    int index = fragments.index(at);
    int first = fragments.index(fragments.at(una));
    int ahead = index - first;
    return Psn.add(una, ahead >= 0 ? ahead : ahead + parameters.fragmentCapacity());
  }

  private int nextRetransmission() {
    return retransmissions.isEmpty() ? NO_FRAGMENT : retransmissions.first();
  }

  private void dequeue(int at) {
    retransmissions.remove(at);
    fragments.clear(at, FragmentTable.QUEUED);
  }

  private int newLength(long nowNs) {
    return Psn.distance(nextCpsn, cpsnLimit) > 0
        ? source.nextLength(nowNs)
        : FragmentSource.NOTHING;
  }

  int packetLength(int at) {
    return fragments.kind(at) == FragmentTable.KIND_VOID
        ? VOID_PACKET
        : source.packetLength(fragments, at);
  }

  /** Counts the times at which only the peer's tracker kept new data back. */
  private void noteTrackerStall() {
    boolean stalled = Psn.distance(nextCpsn, cpsnLimit) <= 0 && source.backlogBytes() > 0;
    if (stalled && !trackerStalled) {
      counters.trackerStalls++;
    }
    trackerStalled = stalled;
  }

  /** Window, trickle and pacer of the connection; new data and retransmissions alike. */
  private boolean mayLeave(long nowNs, int length) {
    boolean open = inflightBytes == 0 || inflightBytes + length <= windowBytes();
    if (!open) {
      long trickleNs = congestion.trickleNs();
      if (nowNs < trickleNs) {
        wakeNs = Math.min(wakeNs, trickleNs);
        return false;
      }
    }
    long earliestNs = pacer.earliestNs(nowNs, length);
    if (earliestNs > nowNs) {
      wakeNs = Math.min(wakeNs, earliestNs);
      return false;
    }
    return true;
  }

  /**
   * Whether the window has room for a train worth its system call. Acknowledgements open the window
   * a few packets at a time; sending those at once would leave trains of a few packets for good.
   * What was lost never waits.
   */
  private boolean isWorthATrain(int length) {
    return inflightBytes == 0 || inflightBytes + leastTrainBytes(length) <= windowBytes();
  }

  private long leastTrainBytes(int length) {
    return Math.max(length, Math.min(trainBytes(length), windowBytes() / LEAST_TRAIN_OF_WINDOW));
  }

  /** What the controller allows, within what the endpoint was told its sockets hold. */
  private long windowBytes() {
    return Math.min(parameters.windowBytes(), congestion.windowBytes());
  }

  private int choosePath(long nowNs, int at, int length) {
    if (paths.activeCount() == 0) {
      return paths.lastResort();
    }
    if (paths.count() == 1 && nowNs >= congestion.trickleNs()) {
      return 0; // the trickle of a single path passes its window too
    }
    int train = trainBytes(length);
    if (at == NO_FRAGMENT) {
      return selector.select(paths, nowNs, length, train, PathSelector.NONE);
    }
    if (fragments.has(at, FragmentTable.TAIL_COPY) && fragments.liveCount(at) > 0) {
      return chooseForCopy(nowNs, at, length);
    }
    int last = fragments.lastPath(at);
    return selector.selectForRetransmission(
        paths,
        nowNs,
        length,
        train,
        last == FragmentTable.NO_PATH ? PathSelector.NONE : last,
        fragments.has(at, FragmentTable.LONE_LOSS),
        fragments.has(at, FragmentTable.SAME_PATH_LAST));
  }

  /** A copy of something under way never takes the same path while another is active. */
  private int chooseForCopy(long nowNs, int at, int length) {
    int own = fragments.livePath(at);
    int chosen = selector.select(paths, nowNs, length, length, own);
    boolean others = paths.activeCount() > (paths.isActive(own) ? 1 : 0);
    return chosen == own && others ? PathSelector.NONE : chosen;
  }

  private int trainBytes(int length) {
    if (parameters.trainPackets() == 1) {
      return length;
    }
    long pending = source.backlogBytes() + retransmissions.payloadBytes();
    return (int) Math.max(length, Math.min(pending, (long) length * parameters.trainPackets()));
  }

  /** Returns whether sending stops here: nothing more to send, or no more room. */
  private boolean sendFragment(
      long nowNs, MxWire wire, TrainSink sink, SendPath path, int at, int cpsn, int nextLength) {
    int offset = sink.claim();
    UnsafeBuffer buffer = sink.transmitBuffer();
    int packet = writeBody(nowNs, buffer, offset, at);
    int kind = fragments.kind(at);
    boolean copy = fragments.has(at, FragmentTable.TAIL_COPY);
    boolean again = fragments.tries(at) > 0;
    boolean last = nextLength == FragmentSource.NOTHING;
    boolean stops = last || !fits(path, packet, nextLength);
    int tflags =
        halfFlag
            | (again ? Mxth.RETRANSMISSION : 0)
            | (copy ? Mxth.TAIL_COPY : 0)
            | (last && source.backlogBytes() == 0 ? Mxth.END_OF_BACKLOG : 0);
    Bth.write(
        buffer,
        offset,
        OPCODES[kind],
        kind != FragmentTable.KIND_VOID && source.isSolicited(fragments, at),
        true,
        padOf(at, kind),
        wire.pkey(),
        wire.peerQpn(),
        stops || copy,
        cpsn);
    Mxth.write(
        buffer,
        offset + MXTH_AT,
        tflags,
        path.id,
        path.epoch,
        BacklogCode.encode(source.backlogBytes() + retransmissions.payloadBytes()),
        path.ring.next(),
        MxClock.stamp(nowNs),
        source.streamId(fragments.stream(at)),
        source.weight(fragments.stream(at)));
    wire.onPacketOut(nowNs, OPCODES[kind], cpsn, packet, again);
    sink.commit(packet);
    wire.counters().add(CounterId.TX_PAYLOAD_BYTES, fragments.payloadLength(at));
    if (again) {
      wire.counters().increment(CounterId.RETRANSMITTED_PACKETS);
      wire.counters().add(CounterId.RETRANSMITTED_BYTES, fragments.payloadLength(at));
    }
    book(nowNs, path, at, cpsn, packet, again, copy);
    return stops;
  }

  private int padOf(int at, int kind) {
    return kind == FragmentTable.KIND_VOID ? 0 : PacketWriter.padCount(fragments.payloadLength(at));
  }

  /** Writes what follows the MXTH; a fragment whose bytes cannot be read becomes a VOID. */
  private int writeBody(long nowNs, UnsafeBuffer buffer, int offset, int at) {
    if (fragments.kind(at) == FragmentTable.KIND_VOID) {
      counters.voids++;
      return VOID_PACKET;
    }
    int written = source.write(fragments, at, buffer, offset);
    if (written > 0) {
      return written;
    }
    counters.voids++;
    fragments.makeVoid(at);
    source.onLocalFault(fragments, at, -written, nowNs);
    return VOID_PACKET;
  }

  /** Whether another packet could follow at once, or the peer should answer now. */
  private boolean fits(SendPath path, int packet, int nextLength) {
    long next = nextLength == FragmentSource.NOTHING ? 0 : leastTrainBytes(nextLength);
    if (inflightBytes + packet + next > windowBytes()) {
      return false;
    }
    long pathAfter = path.ring.liveBytes() + packet + nextLength;
    return pathAfter <= congestion.pathWindowBytes(path.id);
  }

  private void book(
      long nowNs, SendPath path, int at, int cpsn, int packet, boolean again, boolean copy) {
    boolean samePath = again && fragments.lastPath(at) == path.id;
    int pseq = path.ring.record(cpsn, path.epoch, MxClock.stamp(nowNs), packet, path.train);
    fragments.addLive(at, path.id, pseq);
    fragments.clear(at, FragmentTable.TAIL_COPY | FragmentTable.SAME_PATH_LAST);
    if (samePath) {
      fragments.set(at, FragmentTable.SAME_PATH_LAST);
    }
    inflightBytes += packet;
    everSent = true;
    path.sentPackets++;
    path.sentBytes += packet;
    counters.dataPackets++;
    counters.payloadBytes += fragments.payloadLength(at);
    if (again) {
      path.retransmissions++;
      counters.retransmissions++;
      counters.retransmittedBytes += fragments.payloadLength(at);
    }
    if (copy) {
      path.tailCopies++;
      counters.tailCopies++;
    }
    pacer.take(nowNs, packet);
    if (congestion.pathRateBitsPerSecond(path.id) != CongestionController.UNLIMITED) {
      path.pacer.take(nowNs, packet);
    }
    congestion.onSent(nowNs, path.id, packet, path.ring.liveBytes(), inflightBytes);
    monitor.onSent(path, nowNs);
  }

  /** Tells the controller when sending starts again after a pause of ten round trips. */
  private void noteRestart(long nowNs) {
    if (inflightBytes == 0 && everSent && nowNs - idleSinceNs > 10 * monitor.connectionRttNs()) {
      congestion.onIdle(nowNs);
      idleSinceNs = nowNs;
    }
  }

  // ---- What acknowledgements and path events do ----

  /** Takes a live transmission off the books. Returns its bytes. */
  int retire(SendPath path, int pseq, boolean lost) {
    int bytes = path.ring.bytesOf(pseq);
    path.ring.retire(pseq, lost);
    inflightBytes -= bytes;
    int cpsn = path.ring.cpsn(pseq);
    if (FragmentTable.isOutstanding(cpsn, una, nextCpsn)) {
      fragments.removeLive(fragments.at(cpsn), path.id, pseq);
    }
    return bytes;
  }

  /** The receiver has the fragment. */
  void acknowledge(int at, long nowNs) {
    int state = fragments.state(at);
    if (state == FragmentTable.ACKED || state == FragmentTable.FREE) {
      return;
    }
    leaveQueues(at);
    fragments.state(at, FragmentTable.ACKED);
    lastProgressNs = nowNs;
    source.onAcked(fragments, at, nowNs);
  }

  private void leaveQueues(int at) {
    if (fragments.has(at, FragmentTable.QUEUED)) {
      dequeue(at);
    } else if (fragments.state(at) == FragmentTable.HELD) {
      source.onHeldEnded(fragments, at);
    }
  }

  /** Frees what is acknowledged up to the first gap. */
  void advance(long nowNs) {
    while (una != nextCpsn) {
      int at = fragments.at(una);
      if (fragments.state(at) != FragmentTable.ACKED) {
        return;
      }
      fragments.state(at, FragmentTable.FREE);
      una = Psn.next(una);
    }
    idleSinceNs = nowNs;
  }

  /**
   * Queues a fragment to be sent again unless it is in, held, queued, or still under way.
   *
   * @param first in front of the others, as after a loss
   */
  void requeue(int cpsn, boolean first, boolean loneLoss) {
    if (!FragmentTable.isOutstanding(cpsn, una, nextCpsn)) {
      return;
    }
    int at = fragments.at(cpsn);
    if (fragments.state(at) != FragmentTable.IN_FLIGHT
        || fragments.has(at, FragmentTable.QUEUED)
        || fragments.liveCount(at) > 0) {
      return;
    }
    fragments.clear(at, FragmentTable.LONE_LOSS);
    if (loneLoss) {
      fragments.set(at, FragmentTable.LONE_LOSS);
    }
    enqueue(at, first);
  }

  private void enqueue(int at, boolean first) {
    fragments.set(at, FragmentTable.QUEUED);
    if (first) {
      retransmissions.addFirst(at);
    } else {
      retransmissions.addLast(at);
    }
  }

  /** Queues a second transmission of a fragment that is still under way once. */
  void copy(int cpsn, boolean once) {
    if (!FragmentTable.isOutstanding(cpsn, una, nextCpsn)) {
      return;
    }
    int at = fragments.at(cpsn);
    if (fragments.state(at) != FragmentTable.IN_FLIGHT
        || fragments.has(at, FragmentTable.QUEUED)
        || fragments.liveCount(at) > 1
        || (once && fragments.has(at, FragmentTable.COPIED))) {
      return;
    }
    fragments.set(at, FragmentTable.TAIL_COPY | (once ? FragmentTable.COPIED : 0));
    enqueue(at, false);
  }

  /** Takes a fragment out of the retransmission queue because it has to wait. */
  void hold(int at) {
    if (fragments.has(at, FragmentTable.QUEUED)) {
      dequeue(at);
    }
    fragments.state(at, FragmentTable.HELD);
  }

  /** Ends the wait of a held fragment. */
  void release(int at) {
    fragments.state(at, FragmentTable.IN_FLIGHT);
    if (fragments.liveCount(at) < 2) {
      enqueue(at, true);
    }
  }

  /** Turns an outstanding fragment into a VOID and sends that beside what may be under way. */
  void voidFragment(int at) {
    int state = fragments.state(at);
    if (state == FragmentTable.ACKED || fragments.kind(at) == FragmentTable.KIND_VOID) {
      return;
    }
    leaveQueues(at);
    fragments.makeVoid(at);
    fragments.state(at, FragmentTable.IN_FLIGHT);
    if (fragments.liveCount(at) < 2) {
      fragments.clear(at, FragmentTable.TAIL_COPY);
      enqueue(at, false);
    }
  }

  /** Whether a transmission of a fragment is queued or anything is waiting to be sent. */
  boolean wantsToSend(long nowNs) {
    return !retransmissions.isEmpty() || newLength(nowNs) != FragmentSource.NOTHING;
  }
}
