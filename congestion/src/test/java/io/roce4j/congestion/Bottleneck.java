// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A packet model of one FIFO link shared by some senders, for tests of controllers: paced and
 * windowed senders, one queue with RED marking and a tail drop, a receiver that acknowledges each
 * packet, notifies of marks and hands out fair shares. Propagation is half the base RTT each way,
 * acknowledgements cost nothing, losses are told to the sender one base RTT after the drop. Virtual
 * time, one seed, no wall clock.
 */
final class Bottleneck {

  final double line;
  final int packetBytes;
  final SplittableRandom random;
  final List<Flow> flows = new ArrayList<>();
  final PriorityQueue<Event> events = new PriorityQueue<>();
  final double packetNs;

  long bufferBytes = Long.MAX_VALUE;
  double markMinBytes = Double.POSITIVE_INFINITY;
  double markMaxBytes = Double.POSITIVE_INFINITY;
  double markMaxProbability = 1;
  boolean dataEcnCapable = true;

  /** Mark by the queue a packet leaves behind instead of the one it meets. */
  boolean markAtDequeue;

  boolean notify;
  long cnpIntervalNs = CnpGenerator.DEFAULT_INTERVAL_NS;
  FairShareAllocator allocator;

  /** Acknowledgements carry the queue, the bytes sent and the clock of the link. */
  boolean telemetry;

  /** Bytes of one grant of a receiver that drives its senders; 0: it does not. */
  long grantBytes;

  private int nextGranted;
  CnpGenerator notificationPoint;

  long nowNs;
  private long order;
  private double linkFreeNs;

  double queuePeakBytes;
  long marks;
  long drops;
  long delivered;
  private double queueIntegral;
  private long queueSinceNs;

  Bottleneck(long line, int packetBytes, long seed) {
    this.line = (double) line;
    this.packetBytes = packetBytes;
    this.packetNs = packetBytes * 8e9 / line;
    this.random = new SplittableRandom(seed);
  }

  /** One sender. */
  final class Flow {
    final CongestionController controller;
    final Pacer pacer;
    final long baseRttNs;
    final int number;
    int slot = -1;
    int weight = 1;
    long backlogBytes;

    /** Application rate in bit/s; 0: everything is there at the start. */
    double appRate;

    double appNextNs;
    long inflightBytes;
    long deliveredBytes;
    long finishedNs = -1;
    long startNs;
    long minRttNs = Long.MAX_VALUE;
    long cnps;
    long lostPackets;
    long sentPackets;
    long scheduledTimerNs = Long.MAX_VALUE;
    long scheduledSendNs = Long.MAX_VALUE;
    long lastCnpNs = Long.MIN_VALUE / 2;
    final ArrayDeque<long[]> hops = new ArrayDeque<>();
    long grantedBytes;
    boolean announced;
    long leastCnpGapNs = Long.MAX_VALUE;
    long inflightPeakBytes;

    Flow(CongestionController controller, long baseRttNs, long backlogBytes, long startNs) {
      this.controller = controller;
      this.baseRttNs = baseRttNs;
      this.backlogBytes = backlogBytes;
      this.startNs = startNs;
      this.number = flows.size();
      this.pacer = new Pacer(CongestionController.UNLIMITED, 2L * packetBytes, 0);
      // The sender's own link: without it a start window would leave in no time.
      pacer.limit(startNs, (long) line);
    }

    double rateSince(long deliveredBefore, long sinceNs) {
      return (deliveredBytes - deliveredBefore) * 8e9 / (nowNs - sinceNs);
    }
  }

  enum Kind {
    SEND,
    ARRIVE,
    RECEIVE,
    ACK,
    LOSS,
    CNP,
    TIMER,
    TICK,
    GRANT,
    CREDIT
  }

  record Event(
      long timeNs, long order, Kind kind, Flow flow, long sentNs, boolean marked, long value)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(timeNs, other.timeNs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  Flow add(CongestionController controller, long baseRttNs, long bytes, long startNs) {
    Flow flow = new Flow(controller, baseRttNs, bytes, startNs);
    flows.add(flow);
    wantSend(flow, startNs);
    return flow;
  }

  private void push(long timeNs, Kind kind, Flow flow, long sentNs, boolean marked, long value) {
    events.add(new Event(Math.max(nowNs, timeNs), order++, kind, flow, sentNs, marked, value));
  }

  private void wantSend(Flow flow, long timeNs) {
    if (timeNs < flow.scheduledSendNs) {
      flow.scheduledSendNs = timeNs;
      push(timeNs, Kind.SEND, flow, 0, false, 0);
    }
  }

  /** Starts the grants: one each time the link could have carried one at 0.99 of its rate. */
  void driveFromReceiver(long bytes) {
    grantBytes = bytes;
    push(nowNs, Kind.GRANT, null, 0, false, 0);
  }

  /** Round robin among senders that have announced themselves and are owed bytes. */
  private void grant() {
    for (int i = 0; i < flows.size(); i++) {
      Flow flow = flows.get((nextGranted + i) % flows.size());
      if (flow.announced && flow.backlogBytes > flow.grantedBytes) {
        nextGranted = (flow.number + 1) % flows.size();
        flow.grantedBytes += grantBytes;
        push(nowNs + flow.baseRttNs / 2, Kind.CREDIT, flow, 0, false, grantBytes);
        break;
      }
    }
    push(nowNs + (long) (grantBytes * 8e9 / (0.99 * line)), Kind.GRANT, null, 0, false, 0);
  }

  /** Runs until the given time. */
  void run(long untilNs) {
    if (notificationPoint == null) {
      notificationPoint = new CnpGenerator(cnpIntervalNs, Math.max(1, flows.size()));
    }
    while (!events.isEmpty() && events.peek().timeNs <= untilNs) {
      Event event = events.poll();
      nowNs = event.timeNs;
      handle(event);
    }
    integrateQueue(untilNs);
    nowNs = untilNs;
  }

  /** Runs until every sender with a finite backlog has finished. */
  void runToEnd(long limitNs) {
    while (nowNs < limitNs && flows.stream().anyMatch(f -> f.finishedNs < 0)) {
      run(nowNs + 100_000);
    }
  }

  private void handle(Event event) {
    Flow flow = event.flow;
    switch (event.kind) {
      case SEND -> {
        if (event.timeNs >= flow.scheduledSendNs) {
          flow.scheduledSendNs = Long.MAX_VALUE;
        }
        send(flow);
      }
      case ARRIVE -> arrive(flow, event.sentNs);
      case RECEIVE -> receive(flow, event.sentNs, event.marked);
      case ACK -> acknowledge(flow, event);
      case LOSS -> {
        flow.inflightBytes -= packetBytes;
        flow.backlogBytes += packetBytes;
        flow.lostPackets++;
        flow.controller.onLoss(nowNs, packetBytes, flow.inflightBytes);
        send(flow);
      }
      case CNP -> {
        flow.leastCnpGapNs = Math.min(flow.leastCnpGapNs, nowNs - flow.lastCnpNs);
        flow.lastCnpNs = nowNs;
        flow.cnps++;
        flow.controller.onCnp(nowNs);
        armTimer(flow);
      }
      case TIMER -> {
        flow.scheduledTimerNs = Long.MAX_VALUE;
        flow.controller.onTimer(nowNs);
        armTimer(flow);
        send(flow);
      }
      case GRANT -> grant();
      case CREDIT -> {
        flow.controller.onCredit(nowNs, event.value);
        send(flow);
      }
      case TICK -> {
        if (allocator.nextDeadlineNs() <= nowNs) {
          allocator.onTimer(nowNs);
        }
        armTick();
      }
    }
  }

  private long tickNs = Long.MAX_VALUE;

  private void armTick() {
    if (tickNs <= nowNs) {
      tickNs = Long.MAX_VALUE;
    }
    if (allocator.nextDeadlineNs() < tickNs) {
      tickNs = allocator.nextDeadlineNs();
      push(tickNs, Kind.TICK, null, 0, false, 0);
    }
  }

  private void armTimer(Flow flow) {
    long deadline = flow.controller.nextDeadlineNs();
    if (deadline < flow.scheduledTimerNs) {
      flow.scheduledTimerNs = deadline;
      push(deadline, Kind.TIMER, flow, 0, false, 0);
    }
  }

  private void send(Flow flow) {
    CongestionController controller = flow.controller;
    while (flow.backlogBytes > 0 && nowNs >= flow.startNs) {
      if (flow.appRate > 0 && flow.appNextNs > nowNs) {
        wantSend(flow, (long) Math.ceil(flow.appNextNs));
        return;
      }
      boolean room =
          flow.inflightBytes == 0 || flow.inflightBytes + packetBytes <= controller.windowBytes();
      if (!room && controller.trickleNs() > nowNs) {
        if (controller.trickleNs() != CongestionController.NO_DEADLINE) {
          wantSend(flow, controller.trickleNs());
        }
        return;
      }
      flow.pacer.rate(nowNs, controller.rateBitsPerSecond());
      if (!flow.pacer.tryTake(nowNs, packetBytes)) {
        wantSend(flow, flow.pacer.earliestNs(nowNs, packetBytes));
        return;
      }
      flow.backlogBytes -= packetBytes;
      flow.grantedBytes = Math.max(0, flow.grantedBytes - packetBytes);
      flow.inflightBytes += packetBytes;
      flow.inflightPeakBytes = Math.max(flow.inflightPeakBytes, flow.inflightBytes);
      flow.sentPackets++;
      flow.appNextNs =
          flow.appRate > 0
              ? Math.max(flow.appNextNs, (double) (nowNs - 1_000))
                  + packetBytes * 8e9 / flow.appRate
              : 0;
      controller.onSent(nowNs, packetBytes, flow.inflightBytes);
      armTimer(flow);
      push(nowNs + flow.baseRttNs / 2, Kind.ARRIVE, flow, nowNs, false, 0);
    }
  }

  private double queueBytes() {
    return Math.max(0, linkFreeNs - nowNs) * line / 8e9;
  }

  private void integrateQueue(long untilNs) {
    // Between arrivals the queue falls linearly; the trapezoid is exact enough for a mean.
    double before = Math.max(0, linkFreeNs - queueSinceNs) * line / 8e9;
    double after = Math.max(0, linkFreeNs - untilNs) * line / 8e9;
    queueIntegral += (before + after) / 2 * (untilNs - queueSinceNs);
    queueSinceNs = untilNs;
  }

  double meanQueueBytes() {
    return queueIntegral / Math.max(1, nowNs);
  }

  private void arrive(Flow flow, long sentNs) {
    integrateQueue(nowNs);
    double queue = queueBytes();
    if (queue + packetBytes > bufferBytes) {
      drops++;
      push(nowNs + flow.baseRttNs, Kind.LOSS, flow, sentNs, false, 0);
      return;
    }
    boolean marked = !markAtDequeue && mark(queue);
    linkFreeNs = Math.max(linkFreeNs, (double) nowNs) + packetNs;
    queuePeakBytes = Math.max(queuePeakBytes, queue + packetBytes);
    push((long) Math.ceil(linkFreeNs), Kind.RECEIVE, flow, sentNs, marked, 0);
  }

  private boolean mark(double queue) {
    if (!dataEcnCapable || queue < markMinBytes) {
      return false;
    }
    double p = markMaxProbability * (queue - markMinBytes) / (markMaxBytes - markMinBytes);
    boolean marked = queue > markMaxBytes || random.nextDouble() < p;
    marks += marked ? 1 : 0;
    return marked;
  }

  /** Hints travel with a mantissa of twelve bits, rounded down. */
  private static long asOnTheWire(long bitsPerSecond) {
    return bitsPerSecond == CongestionController.UNLIMITED
        ? bitsPerSecond
        : bitsPerSecond & -Math.max(1, Long.highestOneBit(bitsPerSecond) >>> 11);
  }

  private void receive(Flow flow, long sentNs, boolean markedBefore) {
    boolean marked = markedBefore || (markAtDequeue && mark(queueBytes()));
    delivered += packetBytes;
    flow.deliveredBytes += packetBytes;
    flow.announced = true;
    if (telemetry) {
      flow.hops.add(new long[] {(long) queueBytes(), delivered, nowNs});
    }
    long hint = 0;
    if (allocator != null) {
      if (flow.slot < 0) {
        flow.slot = allocator.admit(flow.weight, 0);
      }
      boolean more = flow.appRate == 0 && flow.backlogBytes > 0;
      allocator.onData(nowNs, flow.slot, 0, packetBytes, nowNs - sentNs, more, false);
      armTick();
      hint = asOnTheWire(allocator.hintBitsPerSecond(flow.slot));
    }
    if (marked && notify && notificationPoint.onMarked(nowNs, flow.number, 1)) {
      push(nowNs + flow.baseRttNs / 2, Kind.CNP, flow, 0, false, 0);
    }
    push(nowNs + flow.baseRttNs / 2, Kind.ACK, flow, sentNs, marked, hint);
  }

  private void acknowledge(Flow flow, Event event) {
    flow.inflightBytes -= packetBytes;
    long rtt = nowNs - event.sentNs;
    flow.minRttNs = Math.min(flow.minRttNs, rtt);
    if (event.value > 0) {
      flow.controller.onHint(nowNs, event.value);
    }
    if (telemetry) {
      long[] hop = flow.hops.poll();
      flow.controller.onIntHop(nowNs, 0, hop[0], hop[1], hop[2], (long) line);
    }
    flow.controller.onAck(
        nowNs,
        packetBytes,
        1,
        event.marked && !notify ? 1 : 0,
        rtt,
        flow.minRttNs,
        flow.inflightBytes,
        flow.backlogBytes <= 0);
    armTimer(flow);
    if (flow.inflightBytes == 0 && flow.backlogBytes <= 0 && flow.finishedNs < 0) {
      flow.finishedNs = nowNs;
    }
    send(flow);
  }

  /** Jain's index of what the flows delivered since the given snapshot. */
  double jain(long[] before) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < flows.size(); i++) {
      double x = (double) (flows.get(i).deliveredBytes - before[i]);
      sum += x;
      squares += x * x;
    }
    return sum * sum / (flows.size() * squares);
  }

  long[] snapshot() {
    return flows.stream().mapToLong(f -> f.deliveredBytes).toArray();
  }
}
