// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.congestion;

import java.util.Arrays;

/**
 * The receiver's side of {@code mx-fair}: one allocator for each receiving port divides the port's
 * rate among the senders that are using it and tells each its share as a hint.
 *
 * <p>Shares fall at once when a sender appears and rise only at ticks, an asymmetry that avoids
 * overshoot. A sender with a backlog may use any rate; one without is expected to need a quarter
 * more than it used. What is left by the modest is divided among the others by weight (max-min).
 * When all backlogged senders see a queueing delay, and only then, the queue is the common one at
 * this port, and all shares are scaled down until it drains, at most to half.
 *
 * <p>Senders are numbers from {@link #admit}; memory is bounded by the maximum given at creation.
 * One thread; allocates nothing after creation.
 *
 * <p>Rules and constants are this project's own; {@link FairShareParameters} lists them.
 */
public final class FairShareAllocator {

  /** {@link #admit} found no free number. */
  public static final int FULL = -1;

  /** Weight of the newest tick in smoothed rates. */
  private static final double RATE_GAIN = 0.25;

  /** A sender without backlog may grow by this much a tick. */
  private static final double DEMAND_HEADROOM = 1.25;

  /** A sender without backlog is always granted this many packets a tick... */
  private static final int DEMAND_FLOOR_PACKETS = 10;

  /** ...but no more than this part of the port, which short ticks would otherwise exceed. */
  private static final double DEMAND_FLOOR_PART = 1.0 / 16;

  /** Scaling below half hurts utilisation without lowering drops. */
  private static final double SCALE_FLOOR = 0.5;

  /** A hint counts as moved when it changes by more than this part. */
  private static final double MOVED_PART = 1.0 / 64;

  /** Packets of each active weight that may be on their way before silence means absence. */
  private static final int SILENCE_PACKETS = 4;

  /** No tick since the sender became active. */
  private static final double UNKNOWN_RATE = -1;

  private static final long NO_SAMPLE = Long.MAX_VALUE;

  private final double line;
  private final double eta;
  private final long tickNs;
  private final double queueReferenceNs;
  private final double drainNs;
  private final int weightMax;
  private final boolean hostFair;
  private final double baseRttNs;
  private final double packetNs;
  private final double demandFloor;
  private final int maxPaths;

  private final boolean[] admitted;
  private final boolean[] active;
  private final double[] weight;
  private final int[] host;
  private final long[] lastReceivedNs;
  private final long[] bytes;
  private final double[] rate;
  private final double[] queueNs;
  private final long[] queueSampleNs;
  private final boolean[] backlogged;
  private final double[] demand;
  private final double[] share;
  private final double[] lastHint;
  private final int[] generation;
  private final DelayBase delayBase;

  private final int[] freeList;
  private int free;
  private final int[] activeList;
  private final int[] activeIndex;
  private int activeCount;
  private double activeWeight;
  private long otherBytes;
  private double otherRate;
  private double available;
  private double scale = 1;

  /** A sender became active since the last tick, so the shares of that tick are too large. */
  private boolean joined;

  private long lastTickNs;
  private long nextTickNs = CongestionController.NO_DEADLINE;

  private final WaterFill fill;
  private final WaterFill hostFill;
  private final double[] hostWeight;
  private int activeHosts;
  private final double[] hostOne;
  private final double[] hostDemand;
  private final double[] hostShare;
  private final int[] hostList;
  private final int[] hostMembers;
  private final int[] firstOfHost;
  private final int[] nextOfHost;

  /**
   * An allocator without senders.
   *
   * @param settings rate of the receiving port, packet size, base RTT and {@link
   *     FairShareParameters}
   * @param maxSenders greatest number of senders at a time, 1 or more
   * @param maxPaths greatest number of paths a sender, 1 or more
   * @param maxHosts greatest number of hosts; hosts are numbered from 0
   */
  public FairShareAllocator(
      CongestionSettings settings, int maxSenders, int maxPaths, int maxHosts) {
    if (maxSenders < 1 || maxPaths < 1 || maxHosts < 1) {
      throw new IllegalArgumentException(
          maxSenders
              + " senders, "
              + maxPaths
              + " paths, "
              + maxHosts
              + " hosts: all must be 1 or"
              + " more");
    }
    line = settings.linkBitsPerSecond();
    eta = settings.value(FairShareParameters.ETA);
    tickNs = settings.longValue(FairShareParameters.T);
    queueReferenceNs = settings.value(FairShareParameters.Q_REF);
    drainNs = settings.value(FairShareParameters.T_DRAIN);
    weightMax = (int) settings.longValue(FairShareParameters.WEIGHT_MAX);
    hostFair = settings.flag(FairShareParameters.HOST_FAIR);
    baseRttNs = settings.baseRttNs();
    packetNs = settings.mtuBytes() * 8e9 / line;
    demandFloor =
        Math.min(
            DEMAND_FLOOR_PACKETS * settings.mtuBytes() * 8e9 / tickNs, line * DEMAND_FLOOR_PART);
    available = eta * line;
    this.maxPaths = maxPaths;

    admitted = new boolean[maxSenders];
    active = new boolean[maxSenders];
    weight = new double[maxSenders];
    host = new int[maxSenders];
    lastReceivedNs = new long[maxSenders];
    bytes = new long[maxSenders];
    rate = new double[maxSenders];
    queueNs = new double[maxSenders];
    queueSampleNs = new long[maxSenders];
    backlogged = new boolean[maxSenders];
    demand = new double[maxSenders];
    share = new double[maxSenders];
    lastHint = new double[maxSenders];
    generation = new int[maxSenders];
    delayBase = new DelayBase(maxSenders, maxPaths, settings.baseRttNs());
    freeList = new int[maxSenders];
    for (int i = 0; i < maxSenders; i++) {
      freeList[i] = maxSenders - 1 - i;
    }
    free = maxSenders;
    activeList = new int[maxSenders];
    activeIndex = new int[maxSenders];
    fill = new WaterFill(maxSenders);
    hostFill = new WaterFill(maxHosts);
    hostWeight = new double[maxHosts];
    hostOne = new double[maxHosts];
    Arrays.fill(hostOne, 1);
    hostDemand = new double[maxHosts];
    hostShare = new double[maxHosts];
    hostList = new int[maxHosts];
    hostMembers = new int[maxSenders];
    firstOfHost = new int[maxHosts];
    nextOfHost = new int[maxSenders];
  }

  /**
   * Takes a sender in.
   *
   * @param weightClaimed the weight its packets claim; 0 means 1, more than the maximum counts as
   *     the maximum
   * @param hostNumber number of its host, 0 to the maximum
   * @return its number, or {@link #FULL}
   */
  public int admit(int weightClaimed, int hostNumber) {
    if (free == 0) {
      return FULL;
    }
    int sender = freeList[--free];
    admitted[sender] = true;
    weight[sender] = Math.min(weightMax, Math.max(1, weightClaimed));
    host[sender] = hostNumber;
    rate[sender] = 0;
    bytes[sender] = 0;
    queueNs[sender] = 0;
    queueSampleNs[sender] = NO_SAMPLE;
    backlogged[sender] = false;
    share[sender] = Double.POSITIVE_INFINITY;
    lastHint[sender] = 0;
    generation[sender] = 0;
    delayBase.forgetAll(sender);
    return sender;
  }

  /**
   * Lets a sender go. Its share is divided at the next tick.
   *
   * @param sender number from {@link #admit}
   */
  public void release(int sender) {
    if (admitted[sender]) {
      deactivate(sender);
      admitted[sender] = false;
      freeList[free++] = sender;
    }
  }

  /**
   * A sender changed the weight its packets claim.
   *
   * @param sender number from {@link #admit}
   * @param weightClaimed as for {@link #admit}
   */
  public void weight(int sender, int weightClaimed) {
    double next = Math.min(weightMax, Math.max(1, weightClaimed));
    if (active[sender]) {
      activeWeight += next - weight[sender];
      hostWeight[host[sender]] += next - weight[sender];
    }
    weight[sender] = next;
  }

  /**
   * A data packet of a sender arrived.
   *
   * @param nowNs time of the endpoint, ns
   * @param sender number from {@link #admit}
   * @param path path of the sender, 0 to the maximum
   * @param packetBytes bytes as they count against the port
   * @param oneWayDelayNs arrival minus transmit time stamp, ns; the clocks need not agree
   * @param backlog true when the sender had more pending behind this packet
   * @param endOfBurst true when the packet ends what the sender had to send
   */
  public void onData(
      long nowNs,
      int sender,
      int path,
      long packetBytes,
      long oneWayDelayNs,
      boolean backlog,
      boolean endOfBurst) {
    long excessNs = delayBase.excessNs(nowNs, sender, path, oneWayDelayNs);
    queueSampleNs[sender] = Math.min(queueSampleNs[sender], excessNs);
    lastReceivedNs[sender] = nowNs;
    backlogged[sender] = backlog;
    if (!active[sender] && (backlog || !endOfBurst)) {
      activate(nowNs, sender);
    }
    if (active[sender]) {
      bytes[sender] += packetBytes;
    } else {
      onOther(nowNs, packetBytes);
    }
  }

  /**
   * A gap in a sender's packets was seen: something was sent and lost, so the sender is there and
   * is to learn its share with the next acknowledgement.
   *
   * @param nowNs time of the endpoint, ns
   * @param sender number from {@link #admit}
   */
  public void onGap(long nowNs, int sender) {
    lastReceivedNs[sender] = nowNs;
    if (!active[sender]) {
      activate(nowNs, sender);
    }
  }

  /**
   * Traffic arrived that gets no hints, or too little to be divided.
   *
   * @param nowNs time of the endpoint, ns
   * @param packetBytes bytes as they count against the port
   */
  public void onOther(long nowNs, long packetBytes) {
    otherBytes += packetBytes;
    startTicking(nowNs);
  }

  /**
   * A path of a sender took another route: its delay base is unknown.
   *
   * @param sender number from {@link #admit}
   * @param path path of the sender
   */
  public void onPathMoved(int sender, int path) {
    delayBase.forget(sender, path);
  }

  private void startTicking(long nowNs) {
    if (nextTickNs == CongestionController.NO_DEADLINE) {
      lastTickNs = nowNs;
      nextTickNs = nowNs + tickNs;
    }
  }

  private void activate(long nowNs, int sender) {
    startTicking(nowNs);
    joined = true;
    active[sender] = true;
    activeIndex[sender] = activeCount;
    activeList[activeCount++] = sender;
    activeWeight += weight[sender];
    activeHosts += hostWeight[host[sender]] == 0 ? 1 : 0;
    hostWeight[host[sender]] += weight[sender];
    rate[sender] = UNKNOWN_RATE;
    bytes[sender] = 0;
    share[sender] = Double.POSITIVE_INFINITY;
  }

  private void deactivate(int sender) {
    if (!active[sender]) {
      return;
    }
    active[sender] = false;
    int last = activeList[--activeCount];
    activeList[activeIndex[sender]] = last;
    activeIndex[last] = activeIndex[sender];
    activeWeight -= weight[sender];
    hostWeight[host[sender]] -= weight[sender];
    activeHosts -= hostWeight[host[sender]] == 0 ? 1 : 0;
  }

  /**
   * Runs the tick when it is due. A late call covers the whole time since the last tick.
   *
   * @param nowNs time of the endpoint, ns
   */
  public void onTimer(long nowNs) {
    if (nowNs < nextTickNs) {
      return;
    }
    double seconds = (nowNs - lastTickNs) / 1e9;
    joined = false;
    dropSilent(nowNs);
    otherRate += RATE_GAIN * (otherBytes * 8 / seconds - otherRate);
    otherBytes = 0;
    available = Math.max(demandFloor, eta * line - otherRate);
    for (int i = 0; i < activeCount; i++) {
      measure(activeList[i], seconds);
    }
    scale = commonScale();
    if (hostFair) {
      divideByHost();
    } else {
      fill.divide(available, activeList, activeCount, weight, demand, share);
    }
    lastTickNs = nowNs;
    boolean quiet = activeCount == 0 && otherRate < 1;
    otherRate = quiet ? 0 : otherRate;
    available = quiet ? eta * line : available;
    nextTickNs = quiet ? CongestionController.NO_DEADLINE : nowNs + tickNs;
  }

  private void dropSilent(long nowNs) {
    double commonNs = 2 * baseRttNs + SILENCE_PACKETS * activeWeight * packetNs;
    for (int i = activeCount - 1; i >= 0; i--) {
      int sender = activeList[i];
      if (nowNs - lastReceivedNs[sender] > commonNs + queueNs[sender]) {
        deactivate(sender);
      }
    }
  }

  private void measure(int sender, double seconds) {
    double current = bytes[sender] * 8 / seconds;
    rate[sender] =
        rate[sender] == UNKNOWN_RATE
            ? current
            : rate[sender] + RATE_GAIN * (current - rate[sender]);
    bytes[sender] = 0;
    demand[sender] =
        backlogged[sender]
            ? Double.POSITIVE_INFINITY
            : Math.max(DEMAND_HEADROOM * rate[sender], demandFloor);
    if (queueSampleNs[sender] != NO_SAMPLE) {
      queueNs[sender] = (double) queueSampleNs[sender];
      queueSampleNs[sender] = NO_SAMPLE;
    }
  }

  /** Only a queue that every backlogged sender sees is the one at this port. */
  private double commonScale() {
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < activeCount; i++) {
      if (backlogged[activeList[i]]) {
        least = Math.min(least, queueNs[activeList[i]]);
      }
    }
    return least == Double.POSITIVE_INFINITY
        ? 1
        : Math.min(1, Math.max(SCALE_FLOOR, 1 - (least - queueReferenceNs) / drainNs));
  }

  private void divideByHost() {
    for (int i = 0; i < activeCount; i++) {
      hostDemand[host[activeList[i]]] = 0;
      firstOfHost[host[activeList[i]]] = -1;
    }
    int hosts = 0;
    for (int i = 0; i < activeCount; i++) {
      int sender = activeList[i];
      int h = host[sender];
      if (firstOfHost[h] < 0) {
        hostList[hosts++] = h;
      }
      hostDemand[h] += demand[sender];
      nextOfHost[sender] = firstOfHost[h];
      firstOfHost[h] = sender;
    }
    hostFill.divide(available, hostList, hosts, hostOne, hostDemand, hostShare);
    for (int k = 0; k < hosts; k++) {
      int members = 0;
      for (int s = firstOfHost[hostList[k]]; s >= 0; s = nextOfHost[s]) {
        hostMembers[members++] = s;
      }
      fill.divide(hostShare[hostList[k]], hostMembers, members, weight, demand, share);
    }
  }

  /**
   * When {@link #onTimer} is wanted next.
   *
   * @return time of the endpoint in ns, or {@link CongestionController#NO_DEADLINE}
   */
  public long nextDeadlineNs() {
    return nextTickNs;
  }

  /**
   * The share of a sender now, for the acknowledgement that is about to leave. Looking at it counts
   * as sending it: the {@link #generation} moves when the share moved by more than 1/64 since the
   * last look.
   *
   * @param sender number from {@link #admit}
   * @return bit/s, 1 or more
   */
  public long hintBitsPerSecond(int sender) {
    double part = active[sender] ? share[sender] : Double.POSITIVE_INFINITY;
    if (joined || !active[sender]) {
      // Between a join and the next tick all fall to their equal part at once.
      part = Math.min(part, equalPart(sender));
    }
    double value = Math.max(1, scale * part);
    if (Math.abs(value - lastHint[sender]) > lastHint[sender] * MOVED_PART) {
      generation[sender] = (generation[sender] + 1) & 0xff;
      lastHint[sender] = value;
    }
    return (long) value;
  }

  /** What a sender would get if all active senders had a backlog. */
  private double equalPart(int sender) {
    double own = weight[sender];
    double others = active[sender] ? 0 : own;
    if (!hostFair) {
      return available * own / (activeWeight + others);
    }
    double inHost = hostWeight[host[sender]] + others;
    int hosts = activeHosts + (hostWeight[host[sender]] == 0 ? 1 : 0);
    return available / hosts * own / inHost;
  }

  /**
   * Number of the share last looked at, to be sent with it.
   *
   * @param sender number from {@link #admit}
   * @return 0 to 255
   */
  public int generation(int sender) {
    return generation[sender];
  }

  /**
   * Whether a sender is being shared among.
   *
   * @param sender number from {@link #admit}
   * @return true while it counts as using the port
   */
  public boolean isActive(int sender) {
    return active[sender];
  }

  /**
   * Senders that are being shared among.
   *
   * @return count
   */
  public int activeSenders() {
    return activeCount;
  }

  /**
   * How far shares are scaled down because of a queue at this port.
   *
   * @return 0.5 to 1
   */
  public double scale() {
    return scale;
  }

  /**
   * Rate that is being divided.
   *
   * @return bit/s
   */
  public double availableBitsPerSecond() {
    return available;
  }

  /**
   * Greatest number of paths a sender may have.
   *
   * @return count
   */
  public int maxPaths() {
    return maxPaths;
  }
}
