// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.sequence.Psn;
import java.util.SplittableRandom;

/**
 * One seed: drawn settings, weather and operations in both directions. Faults first, then none:
 * then everything must finish in bounded time, once, in order and with the right bytes.
 */
final class StormRun implements AutoCloseable {
  private static final int OPERATIONS = 60;
  private static final int SLICE = 12_000;
  private static final int SIDES = 2;
  private static final long BASE_NS = 5_000;
  private static final long FAULTS_NS = 3_000_000;
  private static final long HEAL_NS = 400_000_000L;

  private final long seed;
  private final SplittableRandom random;
  private final Storm storm;
  final ModelNet net;
  private final ModelSide[] sides = new ModelSide[SIDES];
  private final int[][] opcodes = new int[SIDES][OPERATIONS];
  private final int[][] lengths = new int[SIDES][OPERATIONS];
  private final int[] postedSends = new int[SIDES];
  private final int[] postedReceives = new int[SIDES];
  private final int[] wantedReceives = new int[SIDES];
  private final long[] nextPostNs = new long[SIDES];
  private final boolean lateReceives;
  private int steps;
  private String failure;

  StormRun(long seed) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.storm = new Storm(random.split(), BASE_NS);
    int paths = 1 + random.nextInt(random.nextBoolean() ? 2 : 8);
    MxSettings mx =
        MxSettings.defaults()
            .withPaths(paths)
            .withTrackerUnits(1 + random.nextInt(2))
            .withAckEvery(1 + random.nextInt(8))
            .withMaxAckDelayUs(5 + random.nextInt(20))
            .withAckDelayFloorNs(5_000)
            .withTrainPackets(1 + random.nextInt(8))
            .withSelector(random.nextBoolean() ? PathSelectors.DEFAULT : "round-robin");
    if (random.nextInt(6) == 0) {
      mx =
          mx.withCapabilities(
              MxSettings.ALL_CAPABILITIES & ~(1 << random.nextInt(9) & 0b110101000));
    }
    this.lateReceives = random.nextBoolean();
    this.net =
        new ModelNet(
            10_000_000_000L,
            storm,
            2 + random.nextInt(8),
            random.nextBoolean() ? 16_384 : 8,
            EndpointSettings.defaults().withBaseRttNs(4 * BASE_NS));
    String congestion =
        random.nextInt(3) == 0 ? "none" : random.nextBoolean() ? "mx-aimd" : "mx-fair";
    for (int i = 0; i < SIDES; i++) {
      // Areas: what is sent, what is written, results of READs, what is received; then counters.
      sides[i] =
          new ModelSide(
              net, i, mx, congestion, 4L * OPERATIONS * SLICE + 4096, random.nextInt(1 << 24));
      draw(i);
    }
    ModelSide.connect(sides[0], sides[1], random.nextBoolean() ? 256 : 1024, 20, 7);
    net.everyStep(this::checkStep);
  }

  private void draw(int side) {
    int[] choices = {
      WorkRequestOpcode.RDMA_WRITE,
      WorkRequestOpcode.RDMA_WRITE,
      WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
      WorkRequestOpcode.SEND,
      WorkRequestOpcode.SEND_WITH_IMM,
      WorkRequestOpcode.RDMA_READ,
      WorkRequestOpcode.ATOMIC_FETCH_AND_ADD,
    };
    int kinds = 1 + random.nextInt(choices.length);
    for (int i = 0; i < OPERATIONS; i++) {
      opcodes[side][i] = choices[random.nextInt(kinds)];
      lengths[side][i] = random.nextInt(3) == 0 ? random.nextInt(SLICE) : random.nextInt(600);
      if (consumes(opcodes[side][i])) {
        wantedReceives[1 - side]++;
      }
    }
    for (int i = 0; i < OPERATIONS * SLICE; i += 4) {
      NativeMemory.putInt(
          sides[side].memory.address() + i, (int) (seed * 31 + side * 7L + i) * 0x9E3779B1);
    }
  }

  private static boolean consumes(int opcode) {
    return opcode == WorkRequestOpcode.SEND
        || opcode == WorkRequestOpcode.SEND_WITH_IMM
        || opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
  }

  /** Runs; returns what is wrong, or null. */
  String run() {
    boolean early = net.run(FAULTS_NS, this::advance);
    storm.end();
    boolean done = early || net.run(HEAL_NS, this::advance);
    if (failure == null && storm.violation != null) {
      failure = storm.violation;
    }
    if (failure == null && !done) {
      failure = "not finished: " + state();
    }
    if (failure == null) {
      net.run(20_000_000, () -> failure != null);
      verify();
    }
    return failure == null ? null : "seed " + seed + ": " + failure;
  }

  private String state() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < SIDES; i++) {
      MxConnection c = connection(i);
      SendHalf half = c.requestSend();
      text.append(" side ").append(i).append(" sent ").append(sides[i].sent.size());
      text.append(" received ")
          .append(sides[i].received.size())
          .append('/')
          .append(wantedReceives[i]);
      text.append(" una ").append(half.una).append(" next ").append(half.nextCpsn);
      text.append(" limit ").append(half.cpsnLimit).append(" inflight ").append(half.inflightBytes);
      text.append(" rtx ").append(half.retransmissions.size()).append(" states");
      for (int p = 0; p < half.paths.count(); p++) {
        text.append(' ').append(PathState.name(half.paths.get(p).state));
      }
      text.append(" open ").append(c.streams.get(0).open);
      text.append(" cum ").append(c.requestReceive().tracker.cumulative()).append(';');
    }
    return text.toString();
  }

  private MxConnection connection(int side) {
    return ((MxEngine) sides[side].queuePair.engine()).connection();
  }

  private boolean advance() {
    boolean all = true;
    for (int i = 0; i < SIDES; i++) {
      sides[i].poll();
      post(i);
      all &= sides[i].sent.size() == OPERATIONS && sides[i].received.size() == wantedReceives[i];
    }
    return all || failure != null;
  }

  private void post(int i) {
    boolean idle = postedSends[i] == OPERATIONS && postedReceives[i] == wantedReceives[i];
    if (idle || net.nowNs() < nextPostNs[i]) {
      return;
    }
    nextPostNs[i] = net.nowNs() + 1 + random.nextInt(40_000);
    net.wakeAt(nextPostNs[i]);
    int receives = lateReceives ? random.nextInt(3) : OPERATIONS;
    while (receives-- > 0 && postedReceives[i] < wantedReceives[i]) {
      long at = (3L * OPERATIONS + postedReceives[i]) * SLICE;
      sides[i].receive(postedReceives[i]++, at, SLICE);
    }
    int sends = 1 + random.nextInt(10);
    while (sends-- > 0 && postedSends[i] < OPERATIONS) {
      postOne(i, postedSends[i]++);
    }
  }

  private void postOne(int i, int n) {
    long own = n * (long) SLICE;
    int opcode = opcodes[i][n];
    ModelSide peer = sides[1 - i];
    if (opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD) {
      SendRequest request = new SendRequest().wrId(n).opcode(opcode).signaled(true);
      request.sge(
          sides[i].memory.address() + 2L * OPERATIONS * SLICE + own, 8, sides[i].region.lkey());
      request.remote(peer.region.address() + counterAt(), peer.region.rkey()).atomic(1, 0);
      sides[i].post(request);
    } else if (opcode == WorkRequestOpcode.RDMA_READ) {
      sides[i].post(opcode, n, 2L * OPERATIONS * SLICE + own, peer, own, lengths[i][n]);
    } else {
      long to = ((long) OPERATIONS + n) * SLICE;
      sides[i].post(opcode, n, own, peer, to, lengths[i][n]);
    }
  }

  private static long counterAt() {
    return 4L * OPERATIONS * SLICE;
  }

  // ---- Always ----

  private void checkStep() {
    steps++;
    for (int i = 0; i < SIDES; i++) {
      MxConnection c = connection(i);
      if (c == null) {
        failure = "side " + i + " has no connection any more";
        return;
      }
      checkBooks(c.requestSend(), "request half of " + i);
      if (c.responseSend() != null) {
        checkBooks(c.responseSend(), "response half of " + i);
      }
      if (steps % 64 == i && connection(1 - i) != null) {
        checkAcked(c.requestSend(), connection(1 - i).requestReceive(), i);
      }
    }
  }

  private void checkBooks(SendHalf half, String what) {
    long bytes = 0;
    for (int p = 0; p < half.paths.count(); p++) {
      bytes += half.paths.get(p).ring.liveBytes();
    }
    if (bytes != half.inflightBytes) {
      failure = what + ": paths have " + bytes + " bytes in flight, the half " + half.inflightBytes;
    }
    if (half.outstanding() > half.parameters.trackerWindow() || half.outstanding() < 0) {
      failure = what + ": " + half.outstanding() + " fragments outstanding";
    }
  }

  private void checkAcked(SendHalf half, ReceiveHalf peer, int side) {
    for (int cpsn = half.una; cpsn != half.nextCpsn; cpsn = Psn.next(cpsn)) {
      boolean acked = half.fragments.state(half.fragments.at(cpsn)) == FragmentTable.ACKED;
      if (acked && (peer.tracker.isBeyond(cpsn) || !peer.tracker.contains(cpsn))) {
        failure = "side " + side + ": CPSN " + cpsn + " acknowledged but not in the tracker";
      }
    }
  }

  // ---- At the end ----

  private void verify() {
    long[] adds = new long[SIDES];
    for (int i = 0; i < SIDES && failure == null; i++) {
      ModelSide side = sides[i];
      ModelSide peer = sides[1 - i];
      if (side.sent.size() != OPERATIONS || side.received.size() != wantedReceives[i]) {
        failure = "too many completions on side " + i;
        return;
      }
      int receive = 0;
      for (int n = 0; n < OPERATIONS; n++) {
        ModelSide.Done done = side.sent.get(n);
        if (done.wrId() != n || done.status() != WorkCompletionStatus.SUCCESS) {
          failure = "side " + i + " completion " + n + " is " + done;
          return;
        }
        int opcode = opcodes[i][n];
        if (opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD) {
          long original =
              NativeMemory.getLong(
                  side.memory.address() + 2L * OPERATIONS * SLICE + n * (long) SLICE);
          if (original != adds[i]++) {
            failure = "side " + i + " atomic " + n + " saw " + original;
          }
        } else if (opcode == WorkRequestOpcode.RDMA_READ) {
          compare(
              peer,
              n * (long) SLICE,
              side,
              2L * OPERATIONS * SLICE + n * (long) SLICE,
              lengths[i][n]);
        } else if (opcode == WorkRequestOpcode.RDMA_WRITE || !consumesBuffer(opcode)) {
          compare(side, n * (long) SLICE, peer, ((long) OPERATIONS + n) * SLICE, lengths[i][n]);
        }
        if (consumes(opcode)) {
          checkReceive(i, n, receive++);
        }
      }
      long counter = NativeMemory.getLong(peer.memory.address() + counterAt());
      if (counter != adds[i]) {
        failure = "counter of side " + (1 - i) + " is " + counter + " after " + adds[i] + " adds";
      }
    }
    checkQuiet();
  }

  private static boolean consumesBuffer(int opcode) {
    return opcode == WorkRequestOpcode.SEND || opcode == WorkRequestOpcode.SEND_WITH_IMM;
  }

  private void checkReceive(int sender, int n, int index) {
    ModelSide.Done done = sides[1 - sender].received.get(index);
    int opcode = opcodes[sender][n];
    boolean good =
        done.wrId() == index
            && done.status() == WorkCompletionStatus.SUCCESS
            && done.bytes() == lengths[sender][n]
            && (opcode == WorkRequestOpcode.SEND || done.immediate() == n);
    if (!good) {
      failure = "receive " + index + " of side " + (1 - sender) + " is " + done;
    } else if (consumesBuffer(opcode)) {
      long at = (3L * OPERATIONS + index) * SLICE;
      compare(sides[sender], n * (long) SLICE, sides[1 - sender], at, lengths[sender][n]);
    }
  }

  private void compare(ModelSide from, long at, ModelSide to, long there, int bytes) {
    for (int k = 0; k < bytes; k++) {
      if (NativeMemory.getByte(from.memory.address() + at + k)
          != NativeMemory.getByte(to.memory.address() + there + k)) {
        failure = "byte " + k + " of " + bytes + " differs at " + there;
        return;
      }
    }
  }

  private void checkQuiet() {
    for (int i = 0; i < SIDES && failure == null; i++) {
      MxConnection c = connection(i);
      quiet(c.requestSend(), "request half of " + i);
      quiet(c.responseSend(), "response half of " + i);
      if (failure == null && c.streams.backlogBytes != 0) {
        failure = "backlog of " + c.streams.backlogBytes + " bytes on idle side " + i;
      }
    }
  }

  private void quiet(SendHalf half, String what) {
    if (half != null && (half.inflightBytes != 0 || !half.isQuiet())) {
      failure = what + " is not quiet: " + half.inflightBytes + " bytes, " + half.outstanding();
    }
  }

  @Override
  public void close() {
    net.close();
    for (ModelSide side : sides) {
      side.memory.close();
    }
  }
}
