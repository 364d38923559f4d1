// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

/**
 * A {@link TrainPort} whose network says at once what it takes: the flush loop over {@link #stage}
 * and {@link #submit}.
 *
 * <p>A message is one system-call unit: a run of packets of one train that leaves as one segmented
 * datagram, or a single packet. A subclass collects up to a fixed number of them and submits them
 * in one call.
 */
public abstract class BatchedTrainPort extends TrainPort {
  /** Of {@link #addressState}: the train can leave. */
  protected static final int ADDRESS_KNOWN = 0;

  /** Of {@link #addressState}: where it goes is being found out. */
  protected static final int ADDRESS_SOUGHT = 1;

  /** Of {@link #addressState}: nobody knows where it goes. */
  protected static final int ADDRESS_UNKNOWN = 2;

  /** How often {@link #housekeeping} is done. */
  private static final long HOUSEKEEPING_NS = 1_000_000;

  private static final long BUSY_RETRY_NS = 20_000;

  private final long[] messageTrain;
  private final int[] messagePackets;
  private int messages;
  private int handedOver;
  private long lastHousekeepingNs;
  private boolean flushed;
  private long nextDeadlineNs = Long.MAX_VALUE;

  /**
   * Makes the shared part.
   *
   * @param settings how the port is opened
   * @param local interface of the bound address
   * @param messageLimit messages a submit takes, at least 1
   */
  protected BatchedTrainPort(PortSettings settings, LocalInterface local, int messageLimit) {
    super(settings, local);
    messageTrain = new long[messageLimit];
    messagePackets = new int[messageLimit];
  }

  /**
   * Packets that one message may carry now.
   *
   * @return 1 or more; 1 when the network cannot segment
   */
  protected abstract int segmentLimit();

  /**
   * Whether one submit may hold messages of different path slots.
   *
   * @return false when each slot has a socket of its own
   */
  protected abstract boolean mixesPathSlots();

  /**
   * Whether the port knows where on the link a train goes. Until it does, the train is kept as long
   * as it does not stand in the way of others. A port whose system finds out by itself always does.
   *
   * @param train absolute index in {@link #trains}, not yet sent in full
   * @return {@link #ADDRESS_KNOWN}, {@link #ADDRESS_SOUGHT} or {@link #ADDRESS_UNKNOWN}
   */
  protected int addressState(long train) {
    return ADDRESS_KNOWN;
  }

  /**
   * Takes a sealed run of packets as a message.
   *
   * @param message 0 to the message limit - 1
   * @param train absolute index in {@link #trains}
   * @param from first packet
   * @param packets 1 or more
   */
  protected abstract void stage(int message, long train, int from, int packets);

  /**
   * Sends the staged messages.
   *
   * @param pathSlot of all of them, or of the first when they are mixed
   * @param count messages staged, 1 or more
   * @return messages taken, 1 or more, or a {@link SendRefusal} of the first
   */
  protected abstract int submit(int pathSlot, int count);

  /**
   * Called by the first flush and then about every millisecond: to look at what changes slowly
   * (MTU, neighbours, drop counters). Must not allocate.
   *
   * @param nowNs the endpoint's clock
   */
  protected void housekeeping(long nowNs) {
    followMtu(nowNs);
  }

  @Override
  public final int flush(long nowNs) {
    trains.end();
    nextDeadlineNs = Long.MAX_VALUE;
    handedOver = 0;
    if (!flushed || nowNs - lastHousekeepingNs >= HOUSEKEEPING_NS) {
      flushed = true;
      lastHousekeepingNs = nowNs;
      housekeeping(nowNs);
    }
    long train = nextReady(trains.head(), nowNs);
    while (train < trains.tail()) {
      dropOversized(train);
      collect(train, nowNs);
      if (messages > 0 && !submitCollected(nowNs)) {
        nextDeadlineNs = Math.min(nextDeadlineNs, nowNs + BUSY_RETRY_NS);
        break;
      }
      train = nextReady(Math.max(train, trains.head()), nowNs);
    }
    return handedOver;
  }

  /**
   * Gives packets up that the interface has become too small for: not every network refuses them
   * itself.
   */
  private void dropOversized(long train) {
    while (!trains.isDone(train)
        && trains.packetLength(train, trains.sent(train)) > maxDatagram()) {
      refusedForSize(train, 1);
    }
  }

  /** The first train from an index on that can be tried; tail when there is none. */
  private long nextReady(long from, long nowNs) {
    long train = from;
    while (train < trains.tail() && !isReady(train, nowNs)) {
      train++;
    }
    return train;
  }

  private boolean isReady(long train, long nowNs) {
    if (trains.isDone(train)) {
      return false;
    }
    long retryAtNs = waitingUntilNs(train, nowNs);
    nextDeadlineNs = Math.min(nextDeadlineNs, retryAtNs);
    return retryAtNs == Long.MAX_VALUE && isAddressed(train, nowNs);
  }

  private boolean isAddressed(long train, long nowNs) {
    int state = addressState(train);
    if (state == ADDRESS_KNOWN) {
      return true;
    }
    if (state == ADDRESS_SOUGHT && !trains.isHalfFull()) {
      nextDeadlineNs = Math.min(nextDeadlineNs, nowNs + HOLD_NS);
    } else {
      giveUpUnreachable(train);
    }
    return false;
  }

  /**
   * Seals and stages messages of as many trains as one submit takes, beginning with a ready one.
   */
  private void collect(long first, long nowNs) {
    messages = 0;
    int slot = trains.pathSlot(first);
    for (long train = first; train < trains.tail() && messages < messageTrain.length; train++) {
      if (!isReady(train, nowNs)) {
        continue;
      }
      boolean fits = trains.packetLength(train, trains.sent(train)) <= maxDatagram();
      if (!fits || (trains.pathSlot(train) != slot && !mixesPathSlots())) {
        return;
      }
      collectTrain(train);
    }
  }

  private void collectTrain(long train) {
    int limit = Math.min(segmentLimit(), trains.pieceLimit(train));
    int count = trains.count(train);
    int from = trains.sent(train);
    while (from < count && messages < messageTrain.length) {
      int packets = Math.min(limit, count - from);
      trains.seal(train, from, packets, headers(train));
      stage(messages, train, from, packets);
      messageTrain[messages] = train;
      messagePackets[messages] = packets;
      messages++;
      from += packets;
    }
  }

  /** Whether the flush may go on. */
  private boolean submitCollected(long nowNs) {
    int taken = submit(trains.pathSlot(messageTrain[0]), messages);
    for (int i = 0; i < taken; i++) {
      handedOver += messagePackets[i];
      sent(messageTrain[i], messagePackets[i], nowNs);
    }
    switch (taken) {
      case SendRefusal.BUSY -> {
        counters.refusedTrains++;
        return false;
      }
      case SendRefusal.TOO_LONG -> refusedForSize(messageTrain[0], messagePackets[0]);
      case SendRefusal.UNREACHABLE -> unreachable(messageTrain[0], nowNs);
      default -> {
        // The messages after the taken ones, if any, are tried again: that tells their error.
      }
    }
    return true;
  }

  @Override
  public final long nextDeadlineNs() {
    return nextDeadlineNs;
  }
}
