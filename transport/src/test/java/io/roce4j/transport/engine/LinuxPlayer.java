// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionFlags;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.sequence.Psn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Our endpoint in place of one of the two Linux hosts of a captured session: gets what that host
 * got, posts what it posted, and must send what it sent, packet by packet.
 */
final class LinuxPlayer implements AutoCloseable {

  private static final int MTU = 1024;
  private static final int LOCAL_BYTES = 1 << 18;
  private static final int RESULTS = LOCAL_BYTES / 2;

  final PacketQueue in = new PacketQueue(1 << 9);
  final PacketQueue out = new PacketQueue(1 << 9);
  final MemoryPort port;
  final EndpointAgent agent;
  final ProtectionDomain pd;
  final CompletionQueue cq;
  final EndpointPair.Wish wish = new EndpointPair.Wish();
  private final int own;
  private final int peer;
  private final NativeRegion local = NativeRegion.allocate("test-memory", LOCAL_BYTES);
  private final NativeRegion receives = NativeRegion.allocate("test-memory", 1 << 18);
  private final NativeRegion remote = NativeRegion.allocate("test-memory", 1 << 16);
  private final MemoryRegion localRegion;
  private final MemoryRegion receiveRegion;
  private final PacketView view = new PacketView();
  private final List<Integer> answers = new ArrayList<>();
  private final List<Integer> requests = new ArrayList<>();
  final Map<Integer, Integer> postBefore = new HashMap<>();
  QueuePair qp;
  private int peerQpn;
  private int qkey;
  private AddressHandle handle;
  private int nextPsn;
  private int posted;
  private int received;
  private int receiveBytes = 4096;
  private long used;
  long nowNs;

  /** Our last message was on its way as a whole when Linux had sent its first packet. */
  boolean sendsAhead;

  LinuxPlayer(int own, int peer, boolean ipv6) {
    this.own = own;
    this.peer = peer;
    port = new MemoryPort(own, out, in, 0, ipv6);
    port.peerAddress = peer;
    agent = EndpointAgent.open(new ContextSettings(), port, () -> nowNs);
    pd = agent.context().allocateProtectionDomain();
    cq = agent.context().createCompletionQueue(256);
    localRegion = pd.register(local, EndpointPair.ALL_ACCESS);
    receiveRegion = pd.register(receives, EndpointPair.ALL_ACCESS);
  }

  private AddressVector address(int trafficClass) {
    return AddressVector.of(MemoryPort.gidHi(port.ipv6), MemoryPort.gidLo(port.ipv6, peer))
        .withTrafficClass(trafficClass);
  }

  /** Takes a connected queue pair to RTS. */
  void connect(int type, int qpn, int remoteQpn, int sendPsn, int receivePsn, int trafficClass) {
    qp = pd.createQueuePair(settings(type, qpn));
    peerQpn = remoteQpn;
    nextPsn = sendPsn;
    qp.toInit(wish.access);
    qp.modify(
        EndpointPair.rtr(qp, remoteQpn, peer, receivePsn, wish)
            .addressVector(address(trafficClass)));
    qp.modify(EndpointPair.rts(qp, sendPsn, wish));
  }

  void datagrams(int qpn, int remoteQpn, int key, int sendPsn) {
    qp = pd.createQueuePair(settings(QueuePairType.UD, qpn));
    peerQpn = remoteQpn;
    qkey = key;
    nextPsn = sendPsn;
    qp.modify(
        new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1).qkey(key));
    qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
    qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(sendPsn));
    handle = pd.createAddressHandle(address(0));
  }

  private QueuePairSettings settings(int type, int qpn) {
    return new QueuePairSettings().type(type).sendCq(cq).recvCq(cq).maxRecvWr(32).qpNumWish(qpn);
  }

  /** The region that the peer reads and writes, 64 KiB as in all captures. */
  MemoryRegion grant(long va, int rkey, int access) {
    return pd.register(remote.address(), 1 << 16, access, va, rkey);
  }

  void postReceives(int count, int bytes) {
    receiveBytes = bytes;
    for (int i = 0; i < count; i++) {
      long at = receives.address() + (long) received * bytes;
      int result =
          qp.postReceive(
              new ReceiveRequest().wrId(1000 + received++).sge(at, bytes, receiveRegion.lkey()));
      assertEquals(0, result);
    }
  }

  /** Memory as far as the READ responses of this side show it. */
  void fill(List<LinuxCapture.Packet> packets, long va) {
    for (LinuxCapture.Packet packet : packets) {
      boolean read = Opcode.isReadResponse(packet.opcode());
      if (!packet.isFrom(own) || !(read || Opcode.isAtomicAck(packet.opcode()))) {
        continue;
      }
      LinuxCapture.Packet request = requestOf(packets, packet);
      long at = remote.address() + request.va() - va;
      if (read) {
        at += (long) Psn.distance(request.psn(), packet.psn()) * MTU;
        for (int i = 0; i < packet.payload().length; i++) {
          NativeMemory.putByte(at + i, packet.payload()[i]);
        }
      } else {
        NativeMemory.putLong(at, packet.original());
      }
    }
  }

  /** The newest READ or atomic at or before the answer's PSN. */
  private LinuxCapture.Packet requestOf(
      List<LinuxCapture.Packet> packets, LinuxCapture.Packet answer) {
    return packets.stream()
        .filter(p -> Opcode.isReadRequest(p.opcode()) || Opcode.isAtomic(p.opcode()))
        .filter(p -> p.isFrom(peer) && Psn.distance(p.psn(), answer.psn()) >= 0)
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  /**
   * Goes through a session.
   *
   * @param packets of both sides
   * @param left numbers of packets of this side that ours does not send, or of the peer that are
   *     lost; the reason stands at the test
   */
  void play(List<LinuxCapture.Packet> packets, Set<Integer> left) {
    for (LinuxCapture.Packet packet : packets) {
      postReceives(postBefore.getOrDefault(packet.number(), 0), receiveBytes);
      if (left.contains(packet.number())) {
        continue;
      }
      if (packet.isFrom(peer)) {
        inject(packet);
      } else if (Opcode.isResponse(packet.opcode())) {
        assertAnswers(packet);
      } else {
        boolean fresh = Psn.distance(nextPsn, packet.psn()) >= 0;
        if (fresh && Opcode.startsMessage(packet.opcode())) {
          post(packets, packet);
        }
        nextPsn = fresh ? Psn.add(packet.psn(), psns(packet)) : nextPsn;
        assertSends(packet);
      }
    }
    settle();
    sortSent();
    assertEquals(List.of(), answers, "answers that Linux did not send");
    if (sendsAhead) {
      requests.clear();
    }
    assertEquals(List.of(), requests, "requests that Linux did not send");
  }

  private static int psns(LinuxCapture.Packet packet) {
    return Opcode.isReadRequest(packet.opcode())
        ? (int) Math.max(1, (packet.length() + MTU - 1) / MTU)
        : 1;
  }

  private void inject(LinuxCapture.Packet packet) {
    int index =
        in.push(
            nowNs,
            packet.bytes().length,
            packet.sourcePort(),
            packet.tos(),
            packet.identification());
    in.buffer.putBytes(in.offset(index), packet.bytes());
    settle();
  }

  void settle() {
    int work = 1;
    while (work > 0) {
      work = agent.doWork();
    }
  }

  /**
   * Our next answer, or our next request: the two are in order each, but the captures show Linux's
   * answers and requests in the order of two threads.
   */
  private byte[] nextSent(LinuxCapture.Packet expected) {
    List<Integer> sent = Opcode.isResponse(expected.opcode()) ? answers : requests;
    sortSent();
    long endNs = nowNs + 2_000_000_000L;
    while (sent.isEmpty() && agent.nextDeadlineNs() <= endNs) {
      nowNs = Math.max(nowNs, agent.nextDeadlineNs());
      settle();
      sortSent();
    }
    assertTrue(!sent.isEmpty(), "nothing sent where Linux sent packet " + expected.number());
    int index = sent.removeFirst();
    byte[] ours = new byte[out.length[index]];
    out.buffer.getBytes(out.offset(index), ours);
    assertEquals(0, view.wrap(out.buffer, out.offset(index), ours.length));
    assertEquals(expected.tos(), out.tos[index], "TOS of packet " + expected.number());
    return ours;
  }

  private void sortSent() {
    while (!out.isEmpty()) {
      int index = out.index(out.head++);
      assertEquals(0, view.wrap(out.buffer, out.offset(index), out.length[index]));
      (Opcode.isResponse(view.opcode()) ? answers : requests).add(index);
    }
  }

  /** The same answer with the same bytes; credits differ between stacks. */
  private void assertAnswers(LinuxCapture.Packet expected) {
    nextSent(expected);
    int opcode = view.opcode();
    boolean aeth = Opcode.hasAeth(opcode);
    assertEquals(
        expected.answer(),
        LinuxCapture.Packet.answer(
            opcode, view.psn(), aeth ? view.syndrome() : -1, aeth ? view.msn() : -1));
    byte[] payload = new byte[view.payloadLength()];
    view.buffer().getBytes(view.payloadOffset(), payload);
    assertArrayEquals(expected.payload(), payload, expected.answer());
    if (Opcode.isAtomicAck(opcode)) {
      assertEquals(expected.original(), view.atomicOriginal());
    }
  }

  /** Byte for byte, but for MigReq and the ICRC that covers it. */
  private void assertSends(LinuxCapture.Packet expected) {
    byte[] ours = nextSent(expected);
    byte[] linux = expected.bytes().clone();
    assertEquals(linux.length, ours.length, "packet " + expected.number());
    ours[1] &= (byte) ~0x40;
    Arrays.fill(ours, ours.length - 4, ours.length, (byte) 0);
    Arrays.fill(linux, linux.length - 4, linux.length, (byte) 0);
    assertArrayEquals(linux, ours, "packet " + expected.number());
  }

  /** Posts the message that starts with this packet. */
  private void post(List<LinuxCapture.Packet> packets, LinuxCapture.Packet first) {
    SendRequest request =
        new SendRequest().wrId(posted++).signaled(true).remote(first.va(), first.rkey());
    if (Opcode.isReadRequest(first.opcode())) {
      request
          .opcode(WorkRequestOpcode.RDMA_READ)
          .sge(local.address() + RESULTS, first.length(), localRegion.lkey());
    } else {
      message(request, packets, first);
    }
    if (qp.type() == QueuePairType.UD) {
      request.datagram(handle, peerQpn, qkey);
    }
    assertEquals(0, qp.postSend(request));
    settle();
  }

  private void message(
      SendRequest request, List<LinuxCapture.Packet> packets, LinuxCapture.Packet first) {
    long start = used;
    LinuxCapture.Packet last = first;
    int psn = first.psn();
    for (LinuxCapture.Packet packet : packets) {
      boolean next = packet.isFrom(own) && packet.number() >= first.number();
      if (next && packet.psn() == psn && !Opcode.isResponse(packet.opcode())) {
        for (byte value : packet.payload()) {
          NativeMemory.putByte(local.address() + used++, value);
        }
        last = packet;
        psn = Psn.next(psn);
        if (Opcode.endsMessage(packet.opcode())) {
          break;
        }
      }
    }
    if (Opcode.isWrite(first.opcode())) {
      used = start + first.length(); // also when Linux never came to send all of it
    }
    boolean immediate = Opcode.hasImmDt(last.opcode());
    boolean invalidate = Opcode.hasIeth(last.opcode());
    int send =
        immediate
            ? WorkRequestOpcode.SEND_WITH_IMM
            : invalidate ? WorkRequestOpcode.SEND_WITH_INV : WorkRequestOpcode.SEND;
    int write = immediate ? WorkRequestOpcode.RDMA_WRITE_WITH_IMM : WorkRequestOpcode.RDMA_WRITE;
    request.opcode(Opcode.isWrite(first.opcode()) ? write : send).immediate(last.immediate());
    if (invalidate) {
      request.invalidate(last.invalidate());
    }
    if (last.solicited()) {
      request.solicited();
    }
    request.sge(local.address() + start, used - start, localRegion.lkey());
  }

  /** Completions in words: {@code 0 SUCCESS}; receives with their length, flags and immediate. */
  List<String> completions() {
    List<String> all = new ArrayList<>();
    WorkCompletion wc = new WorkCompletion();
    while (cq.poll(wc)) {
      String text = wc.wrId() + " " + WorkCompletionStatus.name(wc.status());
      if (wc.wrId() >= 1000 && wc.status() == WorkCompletionStatus.SUCCESS) {
        text += " " + wc.byteLength();
        if ((wc.flags() & WorkCompletionFlags.WITH_IMM) != 0) {
          text += " imm " + Integer.toHexString(wc.immediate());
        }
        if ((wc.flags() & WorkCompletionFlags.WITH_INV) != 0) {
          text += " inv " + Integer.toHexString(wc.invalidatedRkey());
        }
      }
      all.add(text);
    }
    return all;
  }

  @Override
  public void close() {
    agent.close();
    local.close();
    receives.close();
    remote.close();
    in.close();
    out.close();
  }
}
