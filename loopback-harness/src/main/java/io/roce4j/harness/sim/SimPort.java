// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.harness.stage.PacketStage;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortCounters;
import io.roce4j.transport.port.PortTap;
import io.roce4j.transport.port.TrainSink;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.SourcePortEntropy;
import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A port of the simulated network. Packets are real bytes: IP and UDP headers, and the ICRC sealed
 * at flush like on any port. Single-threaded.
 */
public final class SimPort implements DatagramPort, PacketSink {
  private static final String TAG = "sim.port";
  private static final int DEFAULT_HOP_LIMIT = 64;
  private static final int BATCH_HEADROOM = 64;
  private static final int BATCH_BYTES = 65_507;

  private final PortNetwork network;
  private final PacketSlots slots;
  private final String name;
  private final Gid address;
  private final int udpPort;
  private final SimPortSettings settings;
  private final PortCapabilities capabilities;
  private final PortCounters counters = new PortCounters();
  private final PacketStage stage;
  private final ReceiveQueue arrived;
  private final Icrc icrc = new Icrc();
  private final DatagramMeta sentMeta = new DatagramMeta();
  private final DatagramMeta meta = new DatagramMeta();
  private final DatagramMeta nextMeta = new DatagramMeta();
  private final CoalescedBatch batch;
  private final MemorySegment stageMemory;
  private PortTap tap;
  private Runnable onArrival = () -> {};
  private PortUplink openUplink;
  private int openPathSlot;
  private int openTos;
  private int nextIpId;
  private long waitingUntilPs = Timeline.NEVER;
  private boolean closed;

  /**
   * Makes an open port.
   *
   * @param network it stands in
   * @param name unique, for journals
   * @param address its GID, IPv4 as {@code ::ffff:a.b.c.d}
   * @param udpPort where it listens
   * @param settings how it behaves
   */
  public SimPort(
      PortNetwork network, String name, Gid address, int udpPort, SimPortSettings settings) {
    this.network = network;
    this.slots = network.slots();
    this.name = name;
    this.address = address;
    this.udpPort = udpPort;
    this.settings = settings;
    this.stage = new PacketStage(TAG, settings.stagePackets(), settings.maxDatagramBytes());
    UnsafeBuffer staging = stage.buffer();
    // The buffer begins behind the ByteBuffer's first byte, where it is aligned.
    this.stageMemory =
        MemorySegment.ofBuffer(staging.byteBuffer())
            .asSlice(staging.wrapAdjustment(), staging.capacity());
    this.arrived = new ReceiveQueue(settings.receivePackets());
    this.batch =
        settings.coalescePackets() > 1
            ? new CoalescedBatch(TAG, BATCH_HEADROOM, BATCH_BYTES, settings.coalescePackets())
            : null;
    this.capabilities =
        new PortCapabilities(
            "sim",
            true,
            true,
            settings.coalescePackets() == 1,
            true,
            SourcePortEntropy.PORTS,
            BATCH_BYTES,
            settings.maxTrainPackets(),
            settings.maxDatagramBytes() + SimHeaders.IPV6_UDP_LENGTH,
            "");
  }

  /**
   * The port's name.
   *
   * @return as given
   */
  public String name() {
    return name;
  }

  /**
   * The port's address.
   *
   * @return its GID
   */
  public Gid address() {
    return address;
  }

  /**
   * Sets who is told that a packet has arrived, so that the endpoint can be run.
   *
   * @param listener called inside the event of the arrival
   */
  public void onArrival(Runnable listener) {
    onArrival = listener;
  }

  boolean isWaitingForRoom() {
    return waitingUntilPs != Timeline.NEVER;
  }

  /** Whether nothing has arrived that was not handed over, and nothing waits to be sent. */
  boolean isQuiet() {
    return arrived.isEmpty() && stage.committed() == 0;
  }

  /** Grows with every packet sent or handed over. */
  long packetsMoved() {
    return counters.txPackets + counters.rxPackets;
  }

  @Override
  public PortCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public Destination destination(
      long gidHi, long gidLo, int destinationUdpPort, int hopLimit, int flowLabel) {
    Gid gid = new Gid(gidHi, gidLo);
    PortUplink uplink = network.uplink(this, gid);
    boolean bothIpv4 = isIpv4(gid) == isIpv4(address);
    if (!bothIpv4) {
      throw new IllegalArgumentException(
          "address " + gid + " cannot be reached from " + address + ": other IP version");
    }
    int hops = hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit;
    SimRoute route = new SimRoute(gid, uplink);
    return new Destination(gidHi, gidLo, destinationUdpPort, hops, flowLabel, route);
  }

  private static boolean isIpv4(Gid gid) {
    return Gid.isIpv4Mapped(gid.high(), gid.low());
  }

  @Override
  public int sourcePort(int pathSlot) {
    return SourcePortEntropy.MIN_PORT + pathSlot;
  }

  @Override
  public long localGidHi() {
    return address.high();
  }

  @Override
  public long localGidLo() {
    return address.low();
  }

  @Override
  public int localUdpPort() {
    return udpPort;
  }

  @Override
  public int open(int pathSlot, Destination destination, int tos, int segmentBytes) {
    int room = stage.open(pathSlot, destination, tos, segmentBytes);
    if (room <= 0) {
      return room;
    }
    openPathSlot = pathSlot;
    openTos = tos;
    openUplink = ((SimRoute) destination.portState()).uplink();
    int beyond = openUplink.room(pathSlot, tos);
    if (beyond <= 0) {
      return TrainSink.BACK_PRESSURE;
    }
    return Math.min(Math.min(room, beyond), settings.maxTrainPackets());
  }

  @Override
  public UnsafeBuffer transmitBuffer() {
    return stage.buffer();
  }

  @Override
  public int claim() {
    return stage.claim();
  }

  @Override
  public void commit(int length) {
    openUplink.onCommitted(openPathSlot, openTos);
    stage.commit(length, PacketStage.NO_BIT);
  }

  @Override
  public void commitDamaged(int length, int bit) {
    openUplink.onCommitted(openPathSlot, openTos);
    stage.commit(length, bit);
  }

  @Override
  public int flush(long nowNs) {
    int sent = 0;
    waitingUntilPs = Timeline.NEVER;
    int staged = stage.peek();
    while (staged != PacketStage.NONE) {
      SimRoute route = (SimRoute) stage.destination(staged).portState();
      int headerBytes = SimHeaders.lengthFor(address);
      int wireBytes = stage.length(staged) + headerBytes + LinkSettings.ETHERNET_OVERHEAD;
      if (settings.waitsForRoom() && !route.uplink().hasRoom(wireBytes)) {
        counters.refusedTrains++;
        waitingUntilPs = route.uplink().nextRoomPs();
        break;
      }
      stage.take();
      send(staged, route, headerBytes, nowNs);
      stage.free(staged);
      sent++;
      staged = stage.peek();
    }
    return sent;
  }

  private void send(int staged, SimRoute route, int headerBytes, long nowNs) {
    int length = stage.length(staged);
    int offset = stage.offset(staged);
    Destination destination = stage.destination(staged);
    int sourcePort = sourcePort(stage.pathSlot(staged));
    describeSent(staged, destination, sourcePort);
    int slot = slots.acquire();
    slots.describe(slot, length, headerBytes, sourcePort);
    slots.seal(slot, stage.buffer(), stageMemory, offset, sentMeta.ip, icrc);
    int bit = stage.bit(staged);
    if (bit != PacketStage.NO_BIT) {
      int at = offset + (bit >> 3);
      stage.buffer().putByte(at, (byte) (stage.buffer().getByte(at) ^ (0x80 >> (bit & 7))));
      slots.flipBit(slot, bit);
    }
    counters.txPackets++;
    counters.txTrains++;
    counters.txBytes += length;
    if (tap != null) {
      tap.onTransmit(nowNs, stage.buffer(), offset, length, sentMeta);
    }
    SimHeaders.write(
        slots.buffer(slot), slots.bth(slot), length, address, route.gid(), destination, sentMeta);
    route.uplink().accept(slot);
  }

  private void describeSent(int staged, Destination destination, int sourcePort) {
    sentMeta.tos = stage.tos(staged);
    sentMeta.ecn = sentMeta.tos & 3;
    sentMeta.hopLimit = destination.hopLimit();
    sentMeta.idKnowledge = DatagramMeta.ID_KNOWN;
    IpUdpFields ip = sentMeta.ip;
    if (isIpv4(address)) {
      int ipId = settings.countsIpIds() ? nextIpId++ & 0xFFFF : 0;
      ip.ipv4((int) address.low(), (int) destination.gidLo(), sourcePort, destination.udpPort());
      ip.identification(ipId);
    } else {
      ip.ipv6(
          address.high(),
          address.low(),
          destination.gidHi(),
          destination.gidLo(),
          sourcePort,
          destination.udpPort());
    }
  }

  /** A packet arrives from a link. */
  @Override
  public void accept(int slot) {
    boolean isForUs = SimHeaders.udpDestination(slots.buffer(slot), slots.bth(slot)) == udpPort;
    if (closed || !isForUs) {
      drop(slot, LinkObserver.NO_ROUTE);
    } else if (!arrived.offer(slot)) {
      counters.rxSocketOverflow++;
      drop(slot, LinkObserver.RECEIVER_FULL);
    } else {
      onArrival.run();
    }
  }

  private void drop(int slot, int reason) {
    network.observer().onDropped(name, slot, reason);
    slots.release(slot);
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int packets = 0;
    while (packets < limitPackets && !arrived.isEmpty()) {
      packets += batch == null ? receiveOne(handler, nowNs) : receiveBatch(handler, nowNs);
    }
    return packets;
  }

  private int receiveOne(DatagramHandler handler, long nowNs) {
    int slot = arrived.poll();
    UnsafeBuffer buffer = slots.buffer(slot);
    int length = slots.length(slot);
    SimHeaders.read(buffer, slots.bth(slot), slots.headerBytes(slot), meta);
    meta.idKnowledge = DatagramMeta.ID_KNOWN;
    int bth = slots.bth(slot);
    if (!slots.isWhole(slot)) {
      buffer = slots.scratch();
      bth = PacketSlots.BTH_OFFSET;
      slots.read(slot, buffer, bth);
    }
    if (tap != null) {
      tap.onReceive(nowNs, buffer, bth, length, meta);
    }
    handler.onDatagram(buffer, bth, length, length, meta);
    slots.release(slot);
    count(1, length);
    return 1;
  }

  private int receiveBatch(DatagramHandler handler, long nowNs) {
    int slot = arrived.peek();
    SimHeaders.read(slots.buffer(slot), slots.bth(slot), slots.headerBytes(slot), meta);
    batch.begin(slots.length(slot));
    while (slot != ReceiveQueue.EMPTY) {
      SimHeaders.read(slots.buffer(slot), slots.bth(slot), slots.headerBytes(slot), nextMeta);
      if (!SimHeaders.isSameFlow(meta, nextMeta) || !batch.takes(slots.length(slot))) {
        break;
      }
      UnsafeBuffer rebuilt = slots.scratch();
      slots.read(slot, rebuilt, PacketSlots.BTH_OFFSET);
      if (tap != null) {
        tap.onReceive(nowNs, rebuilt, PacketSlots.BTH_OFFSET, slots.length(slot), nextMeta);
      }
      batch.add(rebuilt, PacketSlots.BTH_OFFSET, slots.length(slot));
      arrived.poll();
      slots.release(slot);
      slot = arrived.peek();
    }
    meta.idKnowledge = DatagramMeta.ID_UNKNOWN;
    meta.ip.identification(0);
    handler.onDatagram(batch.buffer(), BATCH_HEADROOM, batch.length(), batch.segmentBytes(), meta);
    count(batch.packets(), batch.length());
    return batch.packets();
  }

  private void count(int packets, int bytes) {
    counters.rxBatches++;
    counters.rxPackets += packets;
    counters.rxBytes += bytes;
  }

  @Override
  public long nextDeadlineNs() {
    return waitingUntilPs == Timeline.NEVER
        ? Long.MAX_VALUE
        : Math.ceilDiv(waitingUntilPs, Timeline.PS_PER_NS);
  }

  @Override
  public void tap(PortTap newTap) {
    tap = newTap;
  }

  @Override
  public PortCounters counters() {
    return counters;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    while (!arrived.isEmpty()) {
      slots.release(arrived.poll());
    }
    stage.close();
    if (batch != null) {
      batch.close();
    }
  }
}
