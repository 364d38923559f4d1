// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.Syndrome;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The requester in place of Linux's: it posts what Linux posted, gets the answers that Linux got,
 * and sends the same packets (opcode, PSN, headers, bytes), retransmissions included.
 */
class LinuxRequesterReplayTest {

  private static final int SERVER = 0x0A4D0002;
  private static final int CLIENT = 0x0A4D0003;
  private static final int MEMORY_BYTES = 1 << 20;
  private static final int READ_OFFSET = MEMORY_BYTES / 2;

  private static final class Client implements AutoCloseable {
    final PacketQueue in = new PacketQueue(1 << 9);
    final PacketQueue out = new PacketQueue(1 << 9);
    final MemoryPort port = new MemoryPort(CLIENT, out, in, 0);
    final EndpointAgent agent;
    final NativeRegion memory = NativeRegion.allocate("test-memory", MEMORY_BYTES);
    final MemoryRegion region;
    final CompletionQueue cq;
    final QueuePair qp;
    long nowNs;
    long used;
    int posted;

    Client(int qpn, int psn, int mtu) {
      port.peerAddress = SERVER;
      agent = EndpointAgent.open(new ContextSettings(), port, () -> nowNs);
      ProtectionDomain pd = agent.context().allocateProtectionDomain();
      region = pd.register(memory, EndpointPair.ALL_ACCESS);
      cq = agent.context().createCompletionQueue(256);
      qp =
          pd.createQueuePair(
              new QueuePairSettings().type(QueuePairType.RC).sendCq(cq).recvCq(cq).qpNumWish(qpn));
      EndpointPair.Wish wish = new EndpointPair.Wish();
      wish.pathMtu = mtu;
      EndpointPair.bring(qp, qpn, SERVER, psn, psn, wish);
    }

    void settle() {
      int work = 1;
      while (work > 0) {
        work = agent.doWork();
      }
    }

    /** Posts the message that starts with this packet; its bytes come from all its packets. */
    void post(List<LinuxCapture.Packet> packets, LinuxCapture.Packet first) {
      SendRequest request = new SendRequest().wrId(posted++).signaled(true);
      int opcode = first.opcode();
      if (Opcode.isReadRequest(opcode)) {
        request
            .opcode(WorkRequestOpcode.RDMA_READ)
            .remote(first.va(), first.rkey())
            .sge(memory.address() + READ_OFFSET, first.length(), region.lkey());
      } else if (Opcode.isAtomic(opcode)) {
        boolean swap = opcode == Opcode.RC_CMP_SWAP;
        request
            .opcode(
                swap
                    ? WorkRequestOpcode.ATOMIC_CMP_AND_SWP
                    : WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
            .remote(first.va(), first.rkey())
            .atomic(swap ? first.compare() : first.swapOrAdd(), swap ? first.swapOrAdd() : 0)
            .sge(memory.address() + READ_OFFSET, 8, region.lkey());
      } else {
        message(request, packets, first);
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
        boolean next = packet.isFrom(CLIENT) && packet.number() >= first.number();
        if (next && packet.psn() == psn && packet.opcode() != Opcode.RC_ACK) {
          for (byte value : packet.payload()) {
            NativeMemory.putByte(memory.address() + used++, value);
          }
          last = packet;
          psn = (psn + 1) & 0xFFFFFF;
          if (Opcode.endsMessage(packet.opcode())) {
            break;
          }
        }
      }
      boolean immediate = Opcode.hasImmDt(last.opcode());
      if (Opcode.isWrite(first.opcode())) {
        request
            .opcode(
                immediate ? WorkRequestOpcode.RDMA_WRITE_WITH_IMM : WorkRequestOpcode.RDMA_WRITE)
            .remote(first.va(), first.rkey());
      } else {
        request.opcode(immediate ? WorkRequestOpcode.SEND_WITH_IMM : WorkRequestOpcode.SEND);
      }
      if (last.solicited()) {
        request.solicited();
      }
      request
          .immediate(last.immediate())
          .sge(memory.address() + start, used - start, region.lkey());
    }

    /** Waits for our next packet, at most a second of virtual time. */
    boolean await() {
      long endNs = nowNs + 1_000_000_000L;
      while (out.isEmpty() && agent.nextDeadlineNs() <= endNs) {
        nowNs = Math.max(nowNs, agent.nextDeadlineNs());
        settle();
      }
      return !out.isEmpty();
    }

    /** Our next packet is the one Linux sent, but for MigReq and the ICRC that covers it. */
    void assertSends(LinuxCapture.Packet expected) {
      assertTrue(await(), "nothing sent where Linux sent packet " + expected.number());
      int index = out.index(out.head++);
      byte[] ours = new byte[out.length[index]];
      out.buffer.getBytes(out.offset(index), ours);
      byte[] linux = expected.bytes().clone();
      assertEquals(linux.length, ours.length, "packet " + expected.number());
      ours[1] &= (byte) ~0x40;
      java.util.Arrays.fill(ours, ours.length - 4, ours.length, (byte) 0);
      java.util.Arrays.fill(linux, linux.length - 4, linux.length, (byte) 0);
      assertArrayEquals(linux, ours, "packet " + expected.number());
    }

    void answer(LinuxCapture.Packet packet) {
      if (packet.syndrome() == Syndrome.NAK_PSN_SEQUENCE_ERROR) {
        // Ours were all on their way when the NAK came, Linux's not yet: it sends them once.
        out.head = out.tail;
      }
      int index =
          in.push(nowNs, packet.bytes().length, packet.sourcePort(), 0, packet.identification());
      in.buffer.putBytes(in.offset(index), packet.bytes());
      settle();
    }

    int completions() {
      int count = 0;
      var wc = new io.roce4j.transport.verbs.WorkCompletion();
      while (cq.poll(wc)) {
        assertEquals(0, wc.status(), "request " + wc.wrId());
        assertEquals(count, wc.wrId());
        count++;
      }
      return count;
    }

    @Override
    public void close() {
      agent.close();
      memory.close();
      in.close();
      out.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "rc-send-only-v4, 0x11, 0x100, 1024, ''",
    "rc-send-multi-v4, 0x12, 0xfffffa, 1024, ''",
    "rc-send-imm-v4, 0x13, 0x100, 1024, ''",
    "rc-write-v4, 0x17, 0x100, 1024, ''",
    "rc-write-imm-v4, 0x18, 0x100, 1024, ''",
    "rc-read-v4, 0x19, 0x100, 1024, ''",
    "rc-atomics-v4, 0x1a, 0x100, 1024, ''",
    "rc-pads-v4, 0x1b, 0x100, 1024, ''",
    "rc-mtu4096-v4, 0x23, 0x100, 4096, ''",
    "rc-mtu256-v4, 0x24, 0x100, 256, ''",
    "rc-nak-psn-v4, 0x28, 0x100, 1024, ''",
    "rc-nak-psn2-v4, 0x29, 0x200, 1024, ''",
    "rc-timeout-v4, 0x2a, 0x300, 1024, ''",
    "rc-ack-lost-v4, 0x2b, 0x400, 1024, '2 4'",
    "rc-read-resp-lost-v4, 0x2c, 0x500, 1024, '3'"
  })
  void packetsAreThoseOfLinux(String capture, String qpn, String psn, int mtu, String lost)
      throws IOException {
    List<LinuxCapture.Packet> packets = LinuxCapture.read(capture + ".pcap");
    java.util.Set<String> lostOnArrival = java.util.Set.of(lost.split(" ", -1));
    try (Client client = new Client(Integer.decode(qpn), Integer.decode(psn), mtu)) {
      int nextPsn = Integer.decode(psn);
      for (LinuxCapture.Packet packet : packets) {
        if (!packet.isFrom(CLIENT)) {
          if (!lostOnArrival.contains(Integer.toString(packet.number()))) {
            client.answer(packet);
          }
          continue;
        }
        boolean fresh = ((packet.psn() - nextPsn) << 8) >= 0;
        if (fresh && Opcode.startsMessage(packet.opcode())) {
          client.post(packets, packet);
        }
        if (fresh) {
          nextPsn = packet.psn() + psns(packet, mtu);
        }
        client.assertSends(packet);
      }
      assertEquals(client.posted, client.completions());
      assertTrue(client.out.isEmpty());
    }
  }

  private static int psns(LinuxCapture.Packet packet, int mtu) {
    return Opcode.isReadRequest(packet.opcode())
        ? (int) Math.max(1, (packet.length() + mtu - 1) / mtu)
        : 1;
  }
}
