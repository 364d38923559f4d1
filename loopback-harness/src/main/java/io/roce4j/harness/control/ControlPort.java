// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.control;

import io.roce4j.harness.stage.PacketStage;
import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortCapabilities;
import io.roce4j.transport.port.PortCounters;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.SourcePortEntropy;
import io.roce4j.wire.ip.UdpHeader;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.mx.Mxth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.WireFault;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A port whose network is whoever holds it: {@link #offer} hands a whole IP packet in, {@link
 * #drain} takes those out that the endpoint sent. Packets are real bytes, with IP and UDP headers
 * and the ICRC sealed at flush like on any port; the IPv4 identification is 0, the UDP checksum 0.
 *
 * <p>What waits to be drained is bounded; a full list refuses like a full socket, and the endpoint
 * goes on after the next {@link #drain}. One thread, the agent's; not a fast path.
 */
public final class ControlPort implements DatagramPort {
  /** Name of the port. */
  public static final String NAME = "control";

  private static final String TAG = "control.port";
  private static final int MAX_DATAGRAM_BYTES = 4_352;
  private static final int STAGE_PACKETS = 512;
  private static final int TRAIN_PACKETS = 64;
  private static final int HEADROOM = 64;
  private static final int MAX_IP_BYTES = Ipv6Header.LENGTH + 0xFFFF;
  private static final int DEFAULT_HOP_LIMIT = 64;
  private static final int PORT_MASK = 0xFFFF;

  private final Gid address;
  private final int udpPort;
  private final int frameLimit;
  private final long byteLimit;
  private final PortCapabilities capabilities;
  private final PortCounters counters = new PortCounters();
  private final PacketStage stage = new PacketStage(TAG, STAGE_PACKETS, MAX_DATAGRAM_BYTES);
  private final UnsafeBuffer frame = NativeMemory.allocate(TAG, HEADROOM + MAX_IP_BYTES, 64);
  private final FrameDissector dissector;
  private final Icrc icrc = new Icrc();
  private final MxPacketView mx = new MxPacketView();
  private final DatagramMeta sentMeta = new DatagramMeta();
  private final DatagramMeta meta = new DatagramMeta();
  private final Queue<byte[]> arrived = new ArrayDeque<>();
  private final List<SentFrame> sent = new ArrayList<>();
  private final Set<Gid> groups = new HashSet<>();
  private long sentBytes;
  private Runnable onHandled = () -> {};
  private PortTap tap;
  private boolean closed;

  /**
   * Opens a port.
   *
   * @param address of the endpoint, IPv4 or IPv6
   * @param udpPort where it is reached, 1..65535
   * @param frameLimit frames that may wait to be drained, 1 or more
   * @param byteLimit bytes that may wait to be drained, at least one frame's
   */
  public ControlPort(Gid address, int udpPort, int frameLimit, long byteLimit) {
    this.address = address;
    this.udpPort = udpPort;
    this.frameLimit = frameLimit;
    this.byteLimit = byteLimit;
    this.dissector = new FrameDissector(udpPort);
    this.capabilities =
        new PortCapabilities(
            NAME,
            true,
            true,
            true,
            true,
            SourcePortEntropy.PORTS,
            TRAIN_PACKETS * MAX_DATAGRAM_BYTES,
            TRAIN_PACKETS,
            MAX_DATAGRAM_BYTES + Ipv6Header.LENGTH + UdpHeader.LENGTH,
            "");
  }

  // ---- the network's side ----------------------------------------------------------------------

  /**
   * Sets who is told, after each frame that was offered, that the endpoint has looked at it.
   *
   * @param listener called inside {@link #receive}, once for each good {@link #offer}, in order
   */
  public void onHandled(Runnable listener) {
    onHandled = listener;
  }

  /**
   * Hands in a packet, which the endpoint receives in its next cycle. The IPv4 header checksum is
   * not judged: the ICRC covers what matters, and a tool may rewrite TOS and TTL as a router does.
   *
   * @param packet from the IP header on; bytes behind the length in the header are Ethernet padding
   * @return {@link WireFault#OK}, or why no IP stack would pass it on; then it is forgotten
   */
  public int offer(byte[] packet) {
    int fault = dissect(packet);
    if (fault == WireFault.OK) {
      arrived.add(packet);
    }
    return fault;
  }

  private int dissect(byte[] packet) {
    if (packet.length > MAX_IP_BYTES) {
      return WireFault.LENGTH_MISMATCH;
    }
    frame.putBytes(HEADROOM, packet);
    int fault = dissector.dissect(frame, HEADROOM, packet.length, packet.length, LinkType.RAW_IP);
    if (fault != WireFault.OK) {
      return fault;
    }
    if (dissector.fields().destinationPort() != udpPort) {
      return WireFault.NOT_ROCE;
    }
    boolean wrongChecksum = !dissector.isIpv4() && !dissector.isUdpChecksumRight();
    return dissector.length() == 0 || wrongChecksum ? WireFault.LENGTH_MISMATCH : WireFault.OK;
  }

  /**
   * Takes what the endpoint sent since the last call.
   *
   * @return in the order of sending
   */
  public List<SentFrame> drain() {
    List<SentFrame> all = List.copyOf(sent);
    sent.clear();
    sentBytes = 0;
    return all;
  }

  // ---- the endpoint's side ---------------------------------------------------------------------

  @Override
  public PortCapabilities capabilities() {
    return capabilities;
  }

  @Override
  public Destination destination(
      long gidHi, long gidLo, int destinationUdpPort, int hopLimit, int flowLabel) {
    boolean sameVersion = Gid.isIpv4Mapped(gidHi, gidLo) == address.isIpv4();
    if (!sameVersion) {
      throw new IllegalArgumentException(
          "address "
              + new Gid(gidHi, gidLo)
              + " cannot be reached from "
              + address
              + ": other IP version");
    }
    int hops = hopLimit == 0 ? DEFAULT_HOP_LIMIT : hopLimit;
    return new Destination(gidHi, gidLo, destinationUdpPort, hops, flowLabel, null);
  }

  @Override
  public int sourcePort(int pathSlot) {
    return (SourcePortEntropy.MIN_PORT + pathSlot) & PORT_MASK;
  }

  @Override
  public int pathSlotOf(int sourcePort) {
    return (sourcePort - SourcePortEntropy.MIN_PORT) & PORT_MASK;
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
    return Math.min(stage.open(pathSlot, destination, tos, segmentBytes), TRAIN_PACKETS);
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
    stage.commit(length, PacketStage.NO_BIT);
  }

  @Override
  public void commitDamaged(int length, int bit) {
    stage.commit(length, bit);
  }

  @Override
  public int flush(long nowNs) {
    int count = 0;
    int staged = stage.peek();
    while (staged != PacketStage.NONE) {
      if (!hasRoom(stage.length(staged))) {
        counters.refusedTrains++;
        break;
      }
      stage.take();
      send(staged, nowNs);
      stage.free(staged);
      count++;
      staged = stage.peek();
    }
    return count;
  }

  private boolean hasRoom(int length) {
    return sent.size() < frameLimit
        && sentBytes + length + Ipv6Header.LENGTH + UdpHeader.LENGTH <= byteLimit;
  }

  private void send(int staged, long nowNs) {
    int length = stage.length(staged);
    int offset = stage.offset(staged);
    UnsafeBuffer buffer = stage.buffer();
    Destination destination = stage.destination(staged);
    describe(staged, destination);
    icrc.seal(buffer, offset, length, sentMeta.ip);
    int bit = stage.bit(staged);
    if (bit != PacketStage.NO_BIT) {
      int at = offset + (bit >> 3);
      buffer.putByte(at, (byte) (buffer.getByte(at) ^ (1 << (bit & 7))));
    }
    counters.txPackets++;
    counters.txTrains++;
    counters.txBytes += length;
    if (tap != null) {
      tap.onTransmit(nowNs, buffer, offset, length, sentMeta);
    }
    byte[] packet = new byte[FrameWriter.ipHeadersLength(sentMeta.ip) + length];
    UnsafeBuffer target = new UnsafeBuffer(packet);
    FrameWriter.rawIp(
        target,
        0,
        sentMeta.ip,
        sentMeta.tos,
        sentMeta.hopLimit,
        destination.flowLabel(),
        buffer,
        offset,
        length);
    if (!address.isIpv4()) {
      UdpHeader.checksum(target, Ipv6Header.LENGTH, 0);
    }
    sent.add(new SentFrame(packet, nowNs, pathOf(buffer, offset, length)));
    sentBytes += packet.length;
  }

  private void describe(int staged, Destination destination) {
    sentMeta.tos = stage.tos(staged);
    sentMeta.ecn = sentMeta.tos & 3;
    sentMeta.hopLimit = destination.hopLimit();
    sentMeta.idKnowledge = DatagramMeta.ID_KNOWN;
    int sourcePort = sourcePort(stage.pathSlot(staged));
    if (address.isIpv4()) {
      sentMeta.ip.ipv4(
          address.ipv4(), (int) destination.gidLo(), sourcePort, destination.udpPort());
    } else {
      sentMeta.ip.ipv6(
          address.high(),
          address.low(),
          destination.gidHi(),
          destination.gidLo(),
          sourcePort,
          destination.udpPort());
    }
    sentMeta.ip.identification(0);
  }

  private int pathOf(UnsafeBuffer buffer, int offset, int length) {
    boolean hasPath =
        Opcode.transportClass(Bth.opcode(buffer, offset)) == Opcode.CLASS_MX
            && mx.wrap(buffer, offset, length) == MxFault.OK;
    return hasPath ? Mxth.pathId(buffer, mx.headOffset()) : 0;
  }

  @Override
  public int receive(DatagramHandler handler, int limitPackets, long nowNs) {
    int packets = 0;
    while (packets < limitPackets && !arrived.isEmpty()) {
      // Found good when it was offered; looked into again because the buffer is one.
      dissect(arrived.remove());
      readMeta();
      int offset = dissector.bthOffset();
      int length = dissector.length();
      if (tap != null) {
        tap.onReceive(nowNs, frame, offset, length, meta);
      }
      handler.onDatagram(frame, offset, length, length, meta);
      counters.rxBatches++;
      counters.rxPackets++;
      counters.rxBytes += length;
      packets++;
      onHandled.run();
    }
    return packets;
  }

  private void readMeta() {
    meta.ip.set(dissector.fields());
    meta.tos = dissector.tos();
    meta.ecn = meta.tos & 3;
    meta.hopLimit = dissector.hopLimit();
    meta.idKnowledge = DatagramMeta.ID_KNOWN;
  }

  @Override
  public long nextDeadlineNs() {
    return Long.MAX_VALUE;
  }

  @Override
  public void joinMulticast(long gidHi, long gidLo) {
    if (Gid.isIpv4Mapped(gidHi, gidLo) != address.isIpv4()) {
      throw new IllegalArgumentException(
          "group " + new Gid(gidHi, gidLo) + ": other IP version than " + address);
    }
    groups.add(new Gid(gidHi, gidLo));
  }

  @Override
  public void leaveMulticast(long gidHi, long gidLo) {
    groups.remove(new Gid(gidHi, gidLo));
  }

  /**
   * The multicast groups joined: what the network would send here.
   *
   * @return a copy
   */
  public Set<Gid> groups() {
    return Set.copyOf(groups);
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
    arrived.clear();
    sent.clear();
    stage.close();
    NativeMemory.release(frame);
  }
}
