// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.verbs.AsyncEvent;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.packet.Aeth;
import io.roce4j.wire.packet.AtomicAckEth;
import io.roce4j.wire.packet.AtomicEth;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Deth;
import io.roce4j.wire.packet.Ieth;
import io.roce4j.wire.packet.ImmDt;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One endpoint whose peer is the test: packets are made and read by hand, time stands still unless
 * moved. Local queue pair 0x11 at 192.0.2.2, peer 0x22 at 192.0.2.1, expected PSN 0x64.
 */
final class HandFed implements AutoCloseable {
  static final int QPN = 0x11;
  static final int PEER_QPN = 0x22;
  static final int EXPECTED_PSN = 0x64;
  static final int SEND_PSN = 0x1000;
  static final int LOCAL = 0xC0000202;
  static final int PEER = 0xC0000201;
  static final int MEMORY_BYTES = 1 << 20;

  /** P_Key of index 1; index 0 has the default one. */
  static final int OTHER_PKEY = 0x8123;

  /** A packet that left. */
  @SuppressWarnings("ArrayRecordComponent") // never compared, only looked at
  record Sent(
      int opcode,
      int psn,
      boolean ackRequest,
      boolean solicited,
      int syndrome,
      int msn,
      long va,
      int rkey,
      long dmaLength,
      long original,
      byte[] payload,
      int padCount,
      int tos,
      int destQp,
      int qkey,
      int sourceQp,
      int invalidate,
      int immediate,
      int pkey) {

    String name() {
      return Opcode.name(opcode);
    }

    /** For example {@code RC_ACK 100 1f 1}. */
    @Override
    public String toString() {
      String text = name() + " " + psn;
      if (Opcode.hasAeth(opcode)) {
        text += String.format(Locale.ROOT, " %02x %d", syndrome, msn);
      }
      return text;
    }
  }

  long nowNs = 1_000_000_000L;
  final PacketQueue in = new PacketQueue(1 << 9);
  final PacketQueue out = new PacketQueue(1 << 9);
  final MemoryPort port;
  final EndpointAgent agent;
  final ProtectionDomain pd;
  final NativeRegion memory = NativeRegion.allocate("test-memory", MEMORY_BYTES);
  final MemoryRegion region;
  final CompletionQueue cq;
  final WorkCompletion completion = new WorkCompletion();
  QueuePair qp;

  /** Nobody looks at what is sent. */
  boolean discardsSent;

  private final Icrc icrc = new Icrc();
  private final IpUdpFields ip = new IpUdpFields();
  private final PacketView view = new PacketView();
  private final UnsafeBuffer scratch = NativeMemory.allocate("test-scratch", 8192, 64);

  /** Fields of a packet to be made; what is not set has the usual value. */
  final class Packet {
    final int opcode;
    final int psn;
    private byte[] payload = {};
    private int payloadLength;
    private boolean ackRequest;
    private boolean solicited;
    private int destQp = QPN;
    private int pkey = 0xFFFF;
    private int source = PEER;
    private int destination = LOCAL;
    private int tos = 2;
    private long va;
    private int rkey;
    private long dmaLength;
    private int immediate;
    private int invalidate;
    private int syndrome = 0x1F;
    private int msn;
    private long swapOrAdd;
    private long compare;
    private long original;
    private int qkey;
    private int sourceQp = PEER_QPN;
    private boolean damaged;
    private int identification;
    private boolean migReq = true;
    private int tver;

    Packet(int opcode, int psn) {
      this.opcode = opcode;
      this.psn = psn;
    }

    Packet payload(byte... bytes) {
      payload = bytes;
      payloadLength = bytes.length;
      return this;
    }

    Packet bytes(int length, int seed) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = pattern(i, seed);
      }
      return payload(bytes);
    }

    Packet ack() {
      ackRequest = true;
      return this;
    }

    Packet solicited() {
      solicited = true;
      return this;
    }

    Packet to(int qpn) {
      destQp = qpn;
      return this;
    }

    Packet pkey(int value) {
      pkey = value;
      return this;
    }

    Packet from(int address) {
      source = address;
      return this;
    }

    Packet toAddress(int address) {
      destination = address;
      return this;
    }

    Packet tos(int value) {
      tos = value;
      return this;
    }

    Packet remote(long address, int key, long length) {
      va = address;
      rkey = key;
      dmaLength = length;
      return this;
    }

    Packet immediate(int value) {
      immediate = value;
      return this;
    }

    Packet invalidate(int key) {
      invalidate = key;
      return this;
    }

    Packet aeth(int value, int number) {
      syndrome = value;
      msn = number;
      return this;
    }

    Packet atomic(long swapOrAddValue, long compareValue) {
      swapOrAdd = swapOrAddValue;
      compare = compareValue;
      return this;
    }

    Packet original(long value) {
      original = value;
      return this;
    }

    Packet qkey(int value, int senderQpn) {
      qkey = value;
      sourceQp = senderQpn;
      return this;
    }

    Packet damaged() {
      damaged = true;
      return this;
    }

    Packet identification(int value) {
      identification = value;
      return this;
    }

    Packet migReq(boolean value) {
      migReq = value;
      return this;
    }

    Packet tver(int value) {
      tver = value;
      return this;
    }

    /** Makes the packet and runs the endpoint until it is idle. */
    void inject() {
      enqueue();
      settle();
    }

    /** Makes the packet; it is received with the next step. */
    void enqueue() {
      int at = Icrc.HEADROOM + 8;
      int length =
          PacketWriter.begin(
              scratch, at, opcode, payloadLength, solicited, pkey, destQp, ackRequest, psn);
      Bth.migReq(scratch, at, migReq);
      Bth.tver(scratch, at, tver);
      if (Opcode.hasReth(opcode)) {
        Reth.write(scratch, at + Opcode.rethOffset(opcode), va, rkey, dmaLength);
      }
      if (Opcode.hasAeth(opcode)) {
        Aeth.write(scratch, at + Opcode.aethOffset(opcode), syndrome, msn);
      }
      if (Opcode.hasAtomicEth(opcode)) {
        AtomicEth.write(scratch, at + Opcode.atomicEthOffset(opcode), va, rkey, swapOrAdd, compare);
      }
      if (Opcode.hasAtomicAckEth(opcode)) {
        AtomicAckEth.original(scratch, at + Opcode.atomicAckEthOffset(opcode), original);
      }
      if (Opcode.hasImmDt(opcode)) {
        ImmDt.immediate(scratch, at + Opcode.immDtOffset(opcode), immediate);
      }
      if (Opcode.hasIeth(opcode)) {
        Ieth.rkey(scratch, at + Opcode.iethOffset(opcode), invalidate);
      }
      if (Opcode.hasDeth(opcode)) {
        Deth.write(scratch, at + Opcode.dethOffset(opcode), qkey, sourceQp);
      }
      scratch.putBytes(PacketWriter.payloadOffset(at, opcode), payload, 0, payloadLength);
      push(at, length, source, destination, tos, damaged, identification);
    }
  }

  HandFed() {
    this(EndpointSettings.defaults());
  }

  HandFed(EndpointSettings settings) {
    this(settings, false);
  }

  HandFed(EndpointSettings settings, boolean ipv6) {
    this(settings, ipv6, true);
  }

  HandFed(EndpointSettings settings, boolean ipv6, boolean identificationSeen) {
    port = new MemoryPort(LOCAL, out, in, 0, ipv6);
    port.identificationSeen = identificationSeen;
    port.peerAddress = PEER;
    agent =
        EndpointAgent.open(
            new ContextSettings().seed(5).pkeys(0xFFFF, OTHER_PKEY), settings, port, () -> nowNs);
    pd = agent.context().allocateProtectionDomain();
    region = pd.register(memory, EndpointPair.ALL_ACCESS);
    cq = agent.context().createCompletionQueue(1024);
  }

  /** Byte i of a content; not the same at every path MTU, or bytes of a wrong packet would pass. */
  static byte pattern(int i, int seed) {
    return (byte) (i * 13 + (i >> 8) * 7 + seed);
  }

  QueuePairSettings settings(int type) {
    return new QueuePairSettings()
        .type(type)
        .sendCq(cq)
        .recvCq(cq)
        .maxSendWr(64)
        .maxRecvWr(64)
        .maxSendSge(4)
        .maxRecvSge(4)
        .maxInlineData(64)
        .qpNumWish(QPN);
  }

  /** Makes the queue pair and takes it to RTS. */
  QueuePair rts(EndpointPair.Wish wish) {
    rtr(QueuePairType.RC, wish);
    qp.modify(EndpointPair.rts(qp, SEND_PSN, wish));
    return qp;
  }

  QueuePair rtr(int type, EndpointPair.Wish wish) {
    qp = pd.createQueuePair(settings(type));
    qp.toInit(wish.access);
    qp.modify(EndpointPair.rtr(qp, PEER_QPN, PEER, EXPECTED_PSN, wish));
    return qp;
  }

  Packet packet(int opcode, int psn) {
    return new Packet(opcode, psn);
  }

  /** Hands raw UDP payload over whose ICRC is right or not as it stands. */
  void injectRaw(byte[] bytes) {
    int index = in.push(nowNs, bytes.length, 0xC000, 2, 0);
    in.buffer.putBytes(in.offset(index), bytes);
    settle();
  }

  /** A packet of an opcode that is not defined, with the right ICRC. */
  void injectSealed(int opcode, int qpn, int psn, int bytes) {
    int at = Icrc.HEADROOM + 8;
    Bth.write(scratch, at, opcode, false, true, 0, 0xFFFF, qpn, true, psn);
    scratch.setMemory(at + Bth.LENGTH, bytes, (byte) 0);
    push(at, Bth.LENGTH + bytes + PacketWriter.ICRC_LENGTH, PEER, LOCAL, 2, false, 0);
    settle();
  }

  /** Empty WRITEs of one train, whose identifications count up from the first. */
  void injectBatch(int packets, int firstPsn, int firstIdentification) {
    int segment = PacketWriter.packetLength(Opcode.RC_WRITE_ONLY, 0);
    int index = in.push(nowNs, packets * segment, 0xC000, 2, firstIdentification);
    in.segmentBytes[index] = segment;
    int at = Icrc.HEADROOM + 8;
    for (int i = 0; i < packets; i++) {
      PacketWriter.begin(
          scratch, at, Opcode.RC_WRITE_ONLY, 0, false, 0xFFFF, QPN, true, firstPsn + i);
      Reth.write(scratch, at + Opcode.rethOffset(Opcode.RC_WRITE_ONLY), 0, 0, 0);
      MemoryPort.carry(ip, port.ipv6, PEER, LOCAL, 0xC000);
      ip.identification(firstIdentification + i);
      icrc.seal(scratch, at, segment, ip);
      in.buffer.putBytes(in.offset(index) + i * segment, scratch, at, segment);
    }
    settle();
  }

  private void push(
      int at,
      int length,
      int source,
      int destination,
      int tos,
      boolean damaged,
      int identification) {
    port.peerAddress = source;
    port.ownAddress = destination;
    MemoryPort.carry(ip, port.ipv6, source, destination, 0xC000);
    ip.identification(identification);
    icrc.seal(scratch, at, length, ip);
    if (damaged) {
      scratch.putByte(at + length - 1, (byte) (scratch.getByte(at + length - 1) ^ 1));
    }
    int index = in.push(nowNs, length, 0xC000, tos, identification);
    in.buffer.putBytes(in.offset(index), scratch, at, length);
  }

  void settle() {
    int quiet = 0;
    int cycles = 0;
    while (quiet < 2) {
      quiet = agent.doWork() == 0 ? quiet + 1 : 0;
      if (discardsSent) {
        out.head = out.tail;
      }
      if (++cycles > 10_000) {
        throw new AssertionError("the endpoint does not come to rest");
      }
    }
  }

  /** Moves time, firing every deadline at its own instant. */
  void advance(long ns) {
    long endNs = nowNs + ns;
    while (agent.nextDeadlineNs() <= endNs) {
      nowNs = Math.max(nowNs, agent.nextDeadlineNs());
      settle();
    }
    nowNs = endNs;
    settle();
  }

  /** Packets that left since the last call. */
  List<Sent> sent() {
    List<Sent> all = new ArrayList<>();
    while (!out.isEmpty()) {
      int index = out.index(out.head++);
      int fault = view.wrap(out.buffer, out.offset(index), out.length[index]);
      if (fault != 0) {
        throw new AssertionError("sent a packet with fault " + fault);
      }
      int opcode = view.opcode();
      byte[] payload = new byte[view.payloadLength()];
      out.buffer.getBytes(view.payloadOffset(), payload);
      boolean atomic = Opcode.hasAtomicEth(opcode);
      all.add(
          new Sent(
              opcode,
              view.psn(),
              view.ackRequest(),
              view.solicited(),
              Opcode.hasAeth(opcode) ? view.syndrome() : -1,
              Opcode.hasAeth(opcode) ? view.msn() : -1,
              atomic ? view.atomicVa() : Opcode.hasReth(opcode) ? view.rethVa() : 0,
              atomic ? view.atomicRkey() : Opcode.hasReth(opcode) ? view.rethRkey() : 0,
              Opcode.hasReth(opcode) ? view.rethLength() : 0,
              Opcode.hasAtomicAckEth(opcode) ? view.atomicOriginal() : 0,
              payload,
              view.padCount(),
              out.tos[index],
              view.destQp(),
              Opcode.hasDeth(opcode) ? view.qkey() : 0,
              Opcode.hasDeth(opcode) ? view.sourceQp() : 0,
              Opcode.hasIeth(opcode) ? view.invalidateRkey() : 0,
              Opcode.hasImmDt(opcode) ? view.immediate() : 0,
              view.pkey()));
    }
    return all;
  }

  /** As {@link #sent}, in words. */
  List<String> said() {
    return sent().stream().map(Sent::toString).toList();
  }

  /** Completions since the last call, as {@code wrId STATUS}. */
  List<String> completions() {
    List<String> all = new ArrayList<>();
    while (cq.poll(completion)) {
      all.add(completion.wrId() + " " + WorkCompletionStatus.name(completion.status()));
    }
    return all;
  }

  List<String> asyncEvents() {
    List<String> all = new ArrayList<>();
    AsyncEvent event = new AsyncEvent();
    while (agent.context().pollAsyncEvent(event)) {
      all.add(AsyncEventType.name(event.type()));
    }
    return all;
  }

  long counter(String name) {
    return agent.counters().get(name);
  }

  long at(long offset) {
    return memory.address() + offset;
  }

  byte[] read(long offset, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = NativeMemory.getByte(at(offset + i));
    }
    return bytes;
  }

  void fill(long offset, int length, int seed) {
    for (int i = 0; i < length; i++) {
      NativeMemory.putByte(at(offset + i), pattern(i, seed));
    }
  }

  ReceiveRequest receive(long wrId, long offset, long length) {
    return new ReceiveRequest().wrId(wrId).sge(at(offset), length, region.lkey());
  }

  void postReceive(long wrId, long offset, long length) {
    int result = qp.postReceive(receive(wrId, offset, length));
    if (result != 0) {
      throw new AssertionError("post receive: " + result);
    }
  }

  SendRequest send(long wrId, int opcode, long offset, long length) {
    return new SendRequest()
        .wrId(wrId)
        .opcode(opcode)
        .signaled(true)
        .sge(at(offset), length, region.lkey());
  }

  void post(SendRequest request) {
    int result = qp.postSend(request);
    if (result != 0) {
      throw new AssertionError("post send: " + result);
    }
    settle();
  }

  @Override
  public void close() {
    agent.close();
    memory.close();
    in.close();
    out.close();
    NativeMemory.release(scratch);
  }
}
