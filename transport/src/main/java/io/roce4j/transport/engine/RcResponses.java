// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.packet.Aeth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Syndrome;
import io.roce4j.wire.sequence.Msn;
import io.roce4j.wire.sequence.Psn;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a responder still has to say, in request order: READ responses, atomic acknowledges, then an
 * ACK, a NAK, and the ACK of what came after the NAK (IBA 1.4, 9.7.5.1.2; [rc 3-2]).
 *
 * <p>Acknowledgements are decided when the burst is over: one ACK, of the newest packet, answers
 * every AckReq of the burst. It leaves behind the READ responses of earlier requests, and so does a
 * NAK [rc 3-6].
 *
 * <p>Two rings. {@code resources} remembers the last max_dest_rd_atomic READs and atomics for
 * duplicates, whether or not they were acknowledged; the oldest is overwritten. {@code jobs} are
 * the answers not sent yet, new ones and replays; a new READ or atomic always finds room when the
 * peer keeps to max_dest_rd_atomic, a replay that finds none is dropped, the peer asks again.
 */
final class RcResponses {

  private static final int READ = 1;
  private static final int ATOMIC = 2;

  /** Acknowledgements of one burst that can be told apart. */
  private static final int EARLY_ACKS = 64;

  private final RcConnection connection;
  private RcResponder responder;

  private int capacity;

  // Resources, by index modulo capacity.
  private int[] resourceKind = {};
  private int[] resourceFirst = {};
  private int[] resourceLast = {};
  private int[] resourceRkey = {};
  private long[] resourceVa = {};
  private long[] resourceLength = {};
  private long resourceCount;

  /** Index of the oldest that a smaller capacity has left. */
  private long remembered;

  // Jobs, by index modulo twice the capacity.
  private int[] jobKind = {};
  private int[] jobNext = {};
  private int[] jobFirst = {};
  private int[] jobLast = {};
  private int[] jobRkey = {};
  private long[] jobVa = {};
  private long[] jobLength = {};
  private int[] jobReplay = {};
  private long jobHead;
  private long jobTail;
  private int newJobs;

  private boolean ackDue;
  private final EarlyAcks earlyAcks;

  /** Packets that asked for an acknowledgement per acknowledgement; 0: a burst has one. */
  private final int ackEvery;

  private int asked;

  /** Whether the peer was told a limit, and the last message number it may start by it. */
  private boolean limitTold;

  private int limitMsn;
  private boolean nakDue;
  private int nakSyndrome;
  private int nakPsn;
  private int nakMsn;
  private boolean nakFatal;
  private int nakStatus;

  RcResponses(RcConnection connection) {
    this.connection = connection;
    this.ackEvery = connection.queuePair.ackEveryPackets();
    this.earlyAcks = new EarlyAcks(ackEvery == 0 ? 1 : EARLY_ACKS);
  }

  void responder(RcResponder responder) {
    this.responder = responder;
  }

  /**
   * Control path: makes room for max_dest_rd_atomic READs and atomics [rc 3.2-10]. What is owed is
   * kept, and of what can be repeated the newest that fit: the peer's requests know nothing of our
   * going from RTR to RTS or SQD, and a duplicate of one answered before is still answered.
   */
  void resize(int maxDestReadsAndAtomics) {
    if (maxDestReadsAndAtomics == capacity) {
      return;
    }
    remembered = Math.max(remembered, resourceCount - Math.min(capacity, maxDestReadsAndAtomics));
    capacity = maxDestReadsAndAtomics;
    resourceKind = moved(resourceKind, remembered, resourceCount, capacity);
    resourceFirst = moved(resourceFirst, remembered, resourceCount, capacity);
    resourceLast = moved(resourceLast, remembered, resourceCount, capacity);
    resourceRkey = moved(resourceRkey, remembered, resourceCount, capacity);
    resourceVa = moved(resourceVa, remembered, resourceCount, capacity);
    resourceLength = moved(resourceLength, remembered, resourceCount, capacity);
    int jobs = Math.max(2 * capacity, (int) (jobTail - jobHead));
    jobKind = moved(jobKind, jobHead, jobTail, jobs);
    jobNext = moved(jobNext, jobHead, jobTail, jobs);
    jobFirst = moved(jobFirst, jobHead, jobTail, jobs);
    jobLast = moved(jobLast, jobHead, jobTail, jobs);
    jobRkey = moved(jobRkey, jobHead, jobTail, jobs);
    jobVa = moved(jobVa, jobHead, jobTail, jobs);
    jobLength = moved(jobLength, jobHead, jobTail, jobs);
    jobReplay = moved(jobReplay, jobHead, jobTail, jobs);
  }

  private static int[] moved(int[] ring, long first, long end, int size) {
    int[] moved = new int[size];
    for (long i = first; i < end; i++) {
      moved[(int) (i % size)] = ring[(int) (i % ring.length)];
    }
    return moved;
  }

  private static long[] moved(long[] ring, long first, long end, int size) {
    long[] moved = new long[size];
    for (long i = first; i < end; i++) {
      moved[(int) (i % size)] = ring[(int) (i % ring.length)];
    }
    return moved;
  }

  /** Forgets everything [rc 3.2-13]: resources are released by RESET and ERR. */
  void clear() {
    clearReadsAndAtomics();
    ackDue = false;
    nakDue = false;
    nakFatal = false;
    earlyAcks.clear();
    asked = 0;
    limitTold = false;
  }

  private void clearReadsAndAtomics() {
    resourceCount = 0;
    remembered = 0;
    jobHead = 0;
    jobTail = 0;
    newJobs = 0;
  }

  /**
   * [rc S4] [rc 24-12] Whether a new READ or atomic may be taken: max_dest_rd_atomic is not 0 and
   * fewer than that many wait for their answers. A finished one is overwritten, as in rxe; one more
   * than that outstanding is refused, as in qib.
   */
  boolean hasRoom() {
    return newJobs < capacity && jobTail - jobHead < jobKind.length;
  }

  /**
   * Queues the responses of a new READ and remembers it [rc 3.2-11] [rc 3.2-12]. It also answers
   * every AckReq before it [rc 3.3-3].
   */
  void read(int firstPsn, int packets, long va, int rkey, long length) {
    int last = Psn.add(firstPsn, packets - 1);
    int resource = (int) (resourceCount++ % capacity);
    resourceKind[resource] = READ;
    resourceFirst[resource] = firstPsn;
    resourceLast[resource] = last;
    resourceRkey[resource] = rkey;
    resourceVa[resource] = va;
    resourceLength[resource] = length;
    addJob(READ, firstPsn, last, va, rkey, length, false);
    newJobs++;
    answersEarlierAsks();
    connection.slot.requestTransmit();
  }

  /** Queues the answer of an atomic, which is already executed [rc 3.2-11] [rc 3.2-12]. */
  void atomic(int psn, long original) {
    int resource = (int) (resourceCount++ % capacity);
    resourceKind[resource] = ATOMIC;
    resourceFirst[resource] = psn;
    resourceLast[resource] = psn;
    resourceLength[resource] = original;
    addJob(ATOMIC, psn, psn, 0, 0, original, false);
    newJobs++;
    answersEarlierAsks();
    connection.slot.requestTransmit();
  }

  private void answersEarlierAsks() {
    ackDue = false;
    asked = 0;
    if (!nakDue) {
      earlyAcks.clear();
    }
  }

  private void addJob(
      int kind, int first, int last, long va, int rkey, long length, boolean replay) {
    int job = (int) (jobTail++ % jobKind.length);
    jobKind[job] = kind;
    jobNext[job] = first;
    jobFirst[job] = first;
    jobLast[job] = last;
    jobRkey[job] = rkey;
    jobVa[job] = va;
    jobLength[job] = length;
    jobReplay[job] = replay ? 1 : 0;
  }

  /**
   * [rc 3.2-2..4] [rc 24-13] Answers a duplicate READ from memory as it is now: the same R_Key, a
   * range inside the original, PSNs inside the original's. The key is checked again when the
   * responses are written.
   *
   * @return false when it cannot be answered, for any reason: the duplicate is dropped.
   */
  boolean replayRead(int psn, long va, int rkey, long length) {
    int resource = find(READ, psn);
    if (resource < 0 || resourceRkey[resource] != rkey) {
      return false;
    }
    long offset = va - resourceVa[resource];
    long whole = resourceLength[resource];
    // Offset first, then compared with what is left: no sum that could wrap [FC-20].
    if (Long.compareUnsigned(offset, whole) > 0
        || Long.compareUnsigned(length, whole - offset) > 0) {
      return false;
    }
    int mtu = connection.pathMtu;
    int packets = (int) Math.max(1, (length + mtu - 1) / mtu);
    if (packets - 1 > Psn.distance(psn, resourceLast[resource])) {
      return false;
    }
    int last = Psn.add(psn, packets - 1);
    if (!rewindJob(psn, last, va, rkey, length) && !addReplay(READ, psn, last, va, rkey, length)) {
      return false;
    }
    connection.slot.requestTransmit();
    return true;
  }

  /**
   * The READ asked for again is still being answered: what is left of its responses would only be
   * thrown away, so that job starts again where the duplicate asks.
   */
  private boolean rewindJob(int psn, int last, long va, int rkey, long length) {
    for (long i = jobHead; i < jobTail; i++) {
      int job = (int) (i % jobKind.length);
      if (jobKind[job] == READ
          && jobLast[job] == last
          && !Psn.isBefore(psn, jobFirst[job])
          && Psn.isAfter(jobNext[job], psn)) {
        jobFirst[job] = psn;
        jobNext[job] = psn;
        jobVa[job] = va;
        jobRkey[job] = rkey;
        jobLength[job] = length;
        return true;
      }
      if (jobKind[job] == READ && jobFirst[job] == psn && jobLast[job] == last) {
        return true; // not begun yet
      }
    }
    return false;
  }

  private boolean addReplay(int kind, int psn, int last, long va, int rkey, long length) {
    if (jobTail - jobHead >= jobKind.length - Math.max(0, capacity - newJobs)) {
      return false; // the rest is kept for new requests
    }
    addJob(kind, psn, last, va, rkey, length, true);
    return true;
  }

  /** [rc 3.2-5] [rc 3.2-6] Sends the saved original value again; never executes again [FC-17]. */
  boolean replayAtomic(int psn) {
    int resource = find(ATOMIC, psn);
    if (resource < 0) {
      return false;
    }
    if (!addReplay(ATOMIC, psn, psn, 0, 0, resourceLength[resource])) {
      return false;
    }
    connection.slot.requestTransmit();
    return true;
  }

  private int find(int kind, int psn) {
    long oldest = Math.max(remembered, resourceCount - capacity);
    for (long i = resourceCount - 1; i >= oldest; i--) {
      int resource = (int) (i % capacity);
      if (!Psn.isBefore(psn, resourceFirst[resource])
          && !Psn.isAfter(psn, resourceLast[resource])) {
        return resourceKind[resource] == kind ? resource : -1;
      }
    }
    return -1;
  }

  /**
   * An ACK of the newest SEND or WRITE packet is owed [rc S11] [rc 3.3-1] [rc 3.3-2]. One answers
   * the whole burst, unless the queue pair wants one for every few packets; behind a NAK that
   * waits, one is enough in any case.
   */
  void acknowledge() {
    ackDue = true;
    if (ackEvery > 0 && !nakDue && ++asked >= ackEvery) {
      settleAck(responder.msn());
    }
    connection.slot.requestTransmit();
  }

  private void settleAck(int msn) {
    earlyAcks.add(responder.acknowledgePsn(), msn);
    ackDue = false;
    asked = 0;
  }

  /**
   * [rc 5-9] Receives were posted: a peer that was told of none, or has used up those it was told
   * of, hears of them without asking. One that was refused with an RNR NAK comes back by itself.
   */
  void tellCredits(ReceiveCursor receives) {
    boolean usedUp = limitTold && !Msn.isAfter(limitMsn, responder.msn());
    if (usedUp && !responder.isRnrNakSent() && !nakDue && receives.unused() > 0) {
      ackDue = true;
      connection.slot.requestTransmit();
    }
  }

  /** Queues a NAK that leaves the queue pair alive: sequence error or RNR. */
  void nak(int syndrome, int psn, int msn) {
    if (nakFatal) {
      return;
    }
    if (ackDue) {
      // The ACK owed is for packets before the gap; it must not wait behind what comes after it.
      settleAck(msn);
    }
    nakDue = true;
    nakSyndrome = syndrome;
    nakPsn = psn;
    nakMsn = msn;
    connection.slot.requestTransmit();
  }

  /** Queues the last word of this responder; the queue pair goes to ERR when it has left. */
  void fatalNak(int syndrome, int psn, int msn, int status) {
    nak(syndrome, psn, msn);
    nakFatal = true;
    nakStatus = status;
  }

  /** See {@link ConnectionEngine#touch}. */
  long touch() {
    return jobHead + (earlyAcks.isEmpty() ? 1 : 0);
  }

  boolean isEmpty() {
    return jobHead == jobTail && !owesAcknowledge();
  }

  private boolean owesAcknowledge() {
    return ackDue || nakDue || !earlyAcks.isEmpty();
  }

  /**
   * Sends at most one train of responses.
   *
   * @return {@link ConnectionEngine#IDLE} when nothing is left, MORE or BLOCKED.
   */
  int transmit(long nowNs, TrainSink sink) {
    if (jobHead != jobTail) {
      int result = transmitJobs(nowNs, sink);
      if (result != ConnectionEngine.IDLE || jobHead != jobTail) {
        return result;
      }
    }
    return owesAcknowledge() ? transmitAcknowledge(nowNs, sink) : ConnectionEngine.IDLE;
  }

  /** IDLE when all jobs are done or the pacer says later. */
  private int transmitJobs(long nowNs, TrainSink sink) {
    if (!connection.pacing.paced(nowNs)) {
      return ConnectionEngine.IDLE;
    }
    int room = connection.openTrain(sink, connection.dataTos);
    if (room < 0) {
      return ConnectionEngine.BLOCKED;
    }
    while (jobHead != jobTail && room > 0) {
      int job = (int) (jobHead % jobKind.length);
      if (jobKind[job] == ATOMIC) {
        writeAtomic(nowNs, sink, job);
        room--;
        finishJob(job);
        continue;
      }
      int written = writeReads(nowNs, sink, job, room);
      if (written < 0) {
        return ConnectionEngine.MORE; // a replay or the whole connection was given up
      }
      room -= written;
      if (Psn.isAfter(jobNext[job], jobLast[job])) {
        finishJob(job);
      } else if (room > 0) {
        return ConnectionEngine.IDLE; // the pacer's turn
      }
    }
    return jobHead != jobTail ? ConnectionEngine.MORE : ConnectionEngine.IDLE;
  }

  private void finishJob(int job) {
    if (jobReplay[job] == 0) {
      newJobs--;
    }
    jobHead++;
  }

  /** Writes READ responses of one job; the key is checked once a train. Returns packets, or -1. */
  private int writeReads(long nowNs, TrainSink sink, int job, int room) {
    int mtu = connection.pathMtu;
    long done = (long) Psn.distance(jobFirst[job], jobNext[job]) * mtu;
    long left = jobLength[job] - done;
    long source = 0;
    if (left > 0) {
      source =
          connection.memory.resolve(
              jobRkey[job],
              jobVa[job] + done,
              left,
              AccessFlags.REMOTE_READ,
              connection.pdId,
              connection.qpn);
      if (source < 0) {
        memoryGone(job);
        return -1;
      }
    }
    UnsafeBuffer buffer = sink.transmitBuffer();
    int written = 0;
    while (written < room && !Psn.isAfter(jobNext[job], jobLast[job])) {
      if (written > 0 && !connection.pacing.paced(nowNs)) {
        break;
      }
      int psn = jobNext[job];
      boolean first = psn == jobFirst[job];
      boolean last = psn == jobLast[job];
      int payload = (int) Math.min(mtu, left);
      int opcode = readOpcode(first, last);
      int offset = sink.claim();
      int length =
          PacketWriter.begin(
              buffer,
              offset,
              opcode,
              payload,
              false,
              connection.pkey,
              connection.destQpn,
              false,
              psn);
      if (Opcode.hasAeth(opcode)) {
        Aeth.write(buffer, offset + Opcode.aethOffset(opcode), ackSyndrome(), responder.msn());
      }
      if (payload > 0) {
        NativeMemory.copyToBuffer(
            source, buffer, PacketWriter.payloadOffset(offset, opcode), payload);
        source += payload;
        left -= payload;
      }
      sink.commit(length);
      connection.onResponseSent(nowNs, opcode, psn, length, payload);
      jobNext[job] = Psn.next(psn);
      written++;
    }
    return written;
  }

  /**
   * [rc 3.3-4] [rc 24-3] First or Only with the first packet of every answer, a tail asked for
   * later included: a READ request of its own has a response message of its own, as in qib; rxe
   * continues with Middle.
   */
  private static int readOpcode(boolean first, boolean last) {
    if (first) {
      return last ? Opcode.RC_READ_RESP_ONLY : Opcode.RC_READ_RESP_FIRST;
    }
    return last ? Opcode.RC_READ_RESP_LAST : Opcode.RC_READ_RESP_MIDDLE;
  }

  /** [rc 3.2-8] A replay ends in silence, a first answer with a NAK in place of the response. */
  private void memoryGone(int job) {
    int psn = jobNext[job];
    boolean replay = jobReplay[job] != 0;
    finishJob(job);
    if (!replay) {
      jobHead = jobTail;
      newJobs = 0;
      ackDue = false;
      nakDue = false;
      earlyAcks.clear();
      responder.refuseRead(psn);
    }
  }

  private void writeAtomic(long nowNs, TrainSink sink, int job) {
    int offset = sink.claim();
    int length =
        PacketWriter.atomicAck(
            sink.transmitBuffer(),
            offset,
            connection.pkey,
            connection.destQpn,
            jobFirst[job],
            ackSyndrome(),
            responder.msn(),
            jobLength[job]);
    sink.commit(length);
    connection.onResponseSent(nowNs, Opcode.RC_ATOMIC_ACK, jobFirst[job], length, 0);
  }

  /** ACKs of before the gap, NAK, ACK of what came after it. */
  private int transmitAcknowledge(long nowNs, TrainSink sink) {
    int room = connection.openTrain(sink, connection.controlTos);
    if (room < 0) {
      return ConnectionEngine.BLOCKED;
    }
    while (room > 0 && owesAcknowledge()) {
      room--;
      if (!earlyAcks.isEmpty()) {
        writeAcknowledge(nowNs, sink, earlyAcks.psn(), ackSyndrome(), earlyAcks.msn());
        earlyAcks.removeOldest();
      } else if (nakDue) {
        nakDue = false;
        writeAcknowledge(nowNs, sink, nakPsn, nakSyndrome, nakMsn);
        if (nakFatal) {
          connection.failReceive(nakSyndrome, nakStatus, nowNs);
          return ConnectionEngine.IDLE;
        }
      } else {
        ackDue = false;
        asked = 0;
        writeAcknowledge(nowNs, sink, responder.acknowledgePsn(), ackSyndrome(), responder.msn());
      }
    }
    return owesAcknowledge() ? ConnectionEngine.MORE : ConnectionEngine.IDLE;
  }

  // [rc 3-7]
  private void writeAcknowledge(long nowNs, TrainSink sink, int psn, int syndrome, int msn) {
    int offset = sink.claim();
    int length =
        PacketWriter.ack(
            sink.transmitBuffer(), offset, connection.pkey, connection.destQpn, psn, syndrome, msn);
    sink.commit(length);
    connection.onAcknowledgeSent(nowNs, psn, syndrome, msn, length);
  }

  private int ackSyndrome() {
    int code = connection.creditCode();
    if (code != Syndrome.UNLIMITED_CREDITS) {
      limitTold = true;
      limitMsn = Msn.add(responder.msn(), Syndrome.credits(code));
    }
    return Syndrome.ack(code);
  }
}
