// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.live;

import io.roce4j.harness.impair.HoldQueue;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.impair.PacketDice;
import io.roce4j.harness.impair.PacketFate;
import io.roce4j.harness.stage.PacketStage;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortCounters;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.port.TrainSink;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A port whose outgoing packets suffer: each is staged, its fate is drawn at flush, and what
 * survives goes on to the inner port, which seals and sends it. Arriving packets pass untouched, so
 * a lossy connection needs this around the ports of both ends.
 *
 * <p>Where nothing is held, doubled or delayed a packet needs no stage: it is written where the
 * inner port wants it, its fate is drawn when it is committed, and a lost one leaves its place to
 * the next. Copying every packet once more would slow the side that is measured.
 *
 * <p>Trains stay together where the fates allow it. When the inner port has no room the packets
 * wait here and, with all slots taken, so does the engine: local refusal never becomes loss. Driven
 * by the agent's thread like any port; allocates nothing after construction.
 */
public final class ImpairedPort implements DatagramPort {
  /** Largest UDP payload staged: path MTU 4096 and every header, with room to spare. */
  public static final int MAX_DATAGRAM_BYTES = 4_352;

  private static final String TAG = "live.impaired";
  private static final int HOLD_CAPACITY = 256;
  private static final int IPV6_UDP_LENGTH = 48;

  private final DatagramPort inner;
  private final PacketDice dice;
  private final ImpairmentCounts counts = new ImpairmentCounts();
  private final PacketStage stage;
  private final HoldQueue held = new HoldQueue(HOLD_CAPACITY);
  private final SlotFifo delayed;
  private final SlotFifo outgoing;
  private final int largestDatagram;
  private final boolean direct;

  // Per slot of the stage: what was drawn, when it may go on, its number, copies still to send.
  private final int[] fates;
  private final int[] bits;
  private final int[] copies;
  private final long[] dueNs;
  private final long[] numbers;

  // Of the link: the next number to give, and the highest handed on, to tell displaced packets.
  private long nextNumber = 1;
  private long highest;
  private long lastFlushNs;
  private long previousFlushNs;

  private OfferedTap offeredTap = OfferedTap.NONE;
  private int claimedOffset;
  private int trainRoom;
  private int trainSegment;
  private int trainPathSlot;
  private int trainTos;
  private Destination trainDestination;
  private boolean closed;

  /**
   * Puts impairments in front of a port.
   *
   * @param inner carries what survives; closed with this
   * @param dice draws the fates; a port cannot jitter, only delay
   * @param stagePackets packets held here at once: delay times rate must fit, 1 or more
   * @throws IllegalArgumentException when the impairment has jitter
   */
  public ImpairedPort(DatagramPort inner, PacketDice dice, int stagePackets) {
    if (dice.impairment().jitterNs() > 0) {
      throw new IllegalArgumentException(
          "jitter " + dice.impairment().jitterNs() + " ns: a live port offers a fixed delay only");
    }
    this.inner = inner;
    this.dice = dice;
    this.direct =
        dice.impairment().reorder() == 0
            && dice.impairment().duplicate() == 0
            && dice.impairment().delayNs() == 0;
    this.stage = new PacketStage(TAG, stagePackets, MAX_DATAGRAM_BYTES);
    this.delayed = new SlotFifo(stagePackets);
    this.outgoing = new SlotFifo(stagePackets);
    this.largestDatagram = inner.capabilities().mtuBytes() - IPV6_UDP_LENGTH;
    this.fates = new int[stagePackets];
    this.bits = new int[stagePackets];
    this.copies = new int[stagePackets];
    this.dueNs = new long[stagePackets];
    this.numbers = new long[stagePackets];
  }

  /**
   * Shows every packet to an observer as the engine gives it, before its fate is drawn.
   *
   * @param observer called by the agent's thread
   */
  public void offeredTap(OfferedTap observer) {
    offeredTap = observer;
  }

  /**
   * What happened to the packets.
   *
   * @return live counts, written by the agent's thread
   */
  public ImpairmentCounts impairmentCounts() {
    return counts;
  }

  /**
   * Packets staged, delayed, held or waiting for the inner port.
   *
   * @return 0 or more
   */
  public int packetsInside() {
    return stage.committed() + delayed.size() + held.size() + outgoing.size();
  }

  @Override
  public int open(int pathSlot, Destination destination, int tos, int segmentBytes) {
    if (segmentBytes > largestDatagram) {
      return TrainSink.TOO_LARGE;
    }
    if (direct) {
      return inner.open(pathSlot, destination, tos, segmentBytes);
    }
    int room = stage.open(pathSlot, destination, tos, segmentBytes);
    PortCapabilities limits = inner.capabilities();
    // What the inner port would cut in two is a train of that length here, too.
    int segments = Math.min(limits.maxTrainSegments(), limits.maxTrainBytes() / segmentBytes);
    return Math.min(room, segments);
  }

  @Override
  public UnsafeBuffer transmitBuffer() {
    return direct ? inner.transmitBuffer() : stage.buffer();
  }

  @Override
  public int claim() {
    claimedOffset = direct ? inner.claim() : stage.claim();
    return claimedOffset;
  }

  @Override
  public void commit(int length) {
    commitDamaged(length, PacketStage.NO_BIT);
  }

  @Override
  public void commitDamaged(int length, int bit) {
    offeredTap.onOffered(transmitBuffer(), claimedOffset, length);
    if (direct) {
      pass(length, bit);
    } else {
      stage.commit(length, bit);
    }
  }

  /** Hands a packet that lies in the inner port's memory over, or leaves its place to the next. */
  private void pass(int length, int bit) {
    counts.offered++;
    int fate = dice.nextFate();
    if (PacketFate.isLost(fate)) {
      counts.lost++;
      return;
    }
    int damage = bit;
    if (PacketFate.isCorrupted(fate)) {
      damage = dice.nextBit(length);
      counts.corrupted++;
    }
    if (damage == PacketStage.NO_BIT) {
      inner.commit(length);
    } else {
      inner.commitDamaged(length, damage);
    }
    counts.delivered++;
  }

  @Override
  public int flush(long nowNs) {
    previousFlushNs = lastFlushNs;
    lastFlushNs = nowNs;
    drawFates(nowNs);
    releaseDelayed(nowNs);
    releaseHeld(nowNs);
    forward();
    return inner.flush(nowNs);
  }

  private void drawFates(long nowNs) {
    int slot = stage.peek();
    while (slot != PacketStage.NONE) {
      stage.take();
      draw(slot, nowNs);
      slot = stage.peek();
    }
  }

  private void draw(int slot, long nowNs) {
    counts.offered++;
    int fate = dice.nextFate();
    long delayNs = dice.nextDelayNs();
    if (PacketFate.isLost(fate)) {
      counts.lost++;
      stage.free(slot);
      return;
    }
    fates[slot] = fate;
    bits[slot] = stage.bit(slot);
    copies[slot] = 1;
    numbers[slot] = nextNumber++;
    if (PacketFate.isDuplicated(fate)) {
      copies[slot] = 2;
      counts.duplicated++;
    }
    if (PacketFate.isCorrupted(fate)) {
      bits[slot] = dice.nextBit(stage.length(slot));
      counts.corrupted += copies[slot];
    }
    if (delayNs > 0) {
      dueNs[slot] = nowNs + delayNs;
      delayed.add(slot);
    } else {
      depart(slot, nowNs, stage.committed() > 0);
    }
  }

  /**
   * Lets a packet go, or holds it back. A hold that is owed waits for a packet with another right
   * behind it: one that is likely to be overtaken, and that costs a pause nothing.
   */
  private void depart(int slot, long nowNs, boolean isFollowed) {
    boolean isHeld = PacketFate.isHeld(fates[slot]) || (isFollowed && held.takeOwed());
    long deadlineNs = nowNs + dice.impairment().reorderHoldNs();
    if (isHeld && held.offer(slot, dice.impairment().reorderGap(), deadlineNs)) {
      counts.held++;
      return;
    }
    outgoing.add(slot);
    held.onPassed();
    releaseHeld(nowNs);
  }

  private void releaseDelayed(long nowNs) {
    while (delayed.size() > 0 && dueNs[delayed.peek()] - nowNs <= 0) {
      int slot = delayed.poll();
      counts.delayed++;
      long lateNs = nowNs - dueNs[slot];
      counts.delayNsSum += dice.impairment().delayNs() + lateNs;
      // Late because nobody called between: had there been a call, it would be this port's fault.
      counts.lateNsSum += dueNs[slot] - previousFlushNs > 0 ? lateNs : 0;
      depart(slot, nowNs, delayed.size() > 0 && dueNs[delayed.peek()] - nowNs <= 0);
    }
  }

  private void releaseHeld(long nowNs) {
    int slot = held.poll(nowNs);
    while (slot != HoldQueue.NONE) {
      outgoing.add(slot);
      slot = held.poll(nowNs);
    }
  }

  private void forward() {
    trainRoom = 0;
    while (outgoing.size() > 0) {
      int slot = outgoing.peek();
      while (copies[slot] > 0) {
        if (!continuesTrain(slot) && !openTrain(slot)) {
          return;
        }
        hand(slot);
        if (copies[slot] == 1) {
          noteOrder(slot);
        }
        copies[slot]--;
      }
      outgoing.poll();
      stage.free(slot);
    }
  }

  private boolean continuesTrain(int slot) {
    return trainRoom > 0
        && stage.length(slot) <= trainSegment
        && stage.pathSlot(slot) == trainPathSlot
        && stage.tos(slot) == trainTos
        && stage.destination(slot) == trainDestination;
  }

  private boolean openTrain(int slot) {
    trainPathSlot = stage.pathSlot(slot);
    trainTos = stage.tos(slot);
    trainDestination = stage.destination(slot);
    trainSegment = stage.length(slot);
    trainRoom = inner.open(trainPathSlot, trainDestination, trainTos, trainSegment);
    if (trainRoom == TrainSink.TOO_LARGE) {
      throw new IllegalStateException(
          "the inner port refuses " + trainSegment + " bytes, its MTU allows " + largestDatagram);
    }
    return trainRoom > 0;
  }

  private void hand(int slot) {
    int length = stage.length(slot);
    int offset = inner.claim();
    inner.transmitBuffer().putBytes(offset, stage.buffer(), stage.offset(slot), length);
    if (bits[slot] == PacketStage.NO_BIT) {
      inner.commit(length);
    } else {
      inner.commitDamaged(length, bits[slot]);
    }
    // A shorter packet ends the train.
    trainRoom = length == trainSegment ? trainRoom - 1 : 0;
    counts.delivered++;
  }

  private void noteOrder(int slot) {
    if (numbers[slot] < highest) {
      counts.displaced++;
    } else {
      highest = numbers[slot];
    }
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    return inner.receive(handler, limitPackets, nowNs);
  }

  @Override
  public long nextDeadlineNs() {
    long next = Math.min(inner.nextDeadlineNs(), held.nextDeadline());
    if (delayed.size() > 0) {
      next = Math.min(next, dueNs[delayed.peek()]);
    }
    // What the inner port had no room for goes at the next opportunity.
    return outgoing.size() > 0 ? Math.min(next, lastFlushNs) : next;
  }

  @Override
  public PortCapabilities capabilities() {
    return inner.capabilities();
  }

  @Override
  public Destination destination(long gidHi, long gidLo, int udpPort, int hopLimit, int flowLabel) {
    return inner.destination(gidHi, gidLo, udpPort, hopLimit, flowLabel);
  }

  @Override
  public int sourcePort(int pathSlot) {
    return inner.sourcePort(pathSlot);
  }

  @Override
  public long localGidHi() {
    return inner.localGidHi();
  }

  @Override
  public long localGidLo() {
    return inner.localGidLo();
  }

  @Override
  public int localUdpPort() {
    return inner.localUdpPort();
  }

  @Override
  public void tap(PortTap tap) {
    inner.tap(tap);
  }

  @Override
  public PortCounters counters() {
    return inner.counters();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      inner.close();
      stage.close();
    }
  }
}
