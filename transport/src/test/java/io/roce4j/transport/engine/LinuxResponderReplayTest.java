// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests that Linux sent, replayed into our responder: the same data in memory, the same answers
 * (PSN, kind of syndrome, MSN) as Linux gave, but for differences that are named here.
 */
class LinuxResponderReplayTest {

  private static final int SERVER = 0x0A4D0002;
  private static final int CLIENT = 0x0A4D0003;
  private static final int REGION_BYTES = 131_072;

  /** Our endpoint in place of the Linux server, one queue pair a session. */
  private static final class Server implements AutoCloseable {
    final PacketQueue in = new PacketQueue(1 << 9);
    final PacketQueue out = new PacketQueue(1 << 9);
    final MemoryPort port;
    final EndpointAgent agent;
    final ProtectionDomain pd;
    final CompletionQueue cq;
    final NativeRegion memory = NativeRegion.allocate("test-memory", REGION_BYTES);
    final NativeRegion receives = NativeRegion.allocate("test-memory", 1 << 20);
    final int client;
    final PacketView view = new PacketView();
    long va;

    Server(boolean ipv6) {
      int server = ipv6 ? 2 : SERVER;
      client = ipv6 ? 3 : CLIENT;
      port = new MemoryPort(server, out, in, 0, ipv6);
      agent = EndpointAgent.open(new ContextSettings(), port, () -> 0);
      pd = agent.context().allocateProtectionDomain();
      cq = agent.context().createCompletionQueue(256);
    }

    QueuePair queuePair(int type, int qpn, int psn, int mtu, int clientQpn) {
      QueuePair qp =
          pd.createQueuePair(
              new QueuePairSettings()
                  .type(type)
                  .sendCq(cq)
                  .recvCq(cq)
                  .maxRecvWr(32)
                  .qpNumWish(qpn));
      EndpointPair.Wish wish = new EndpointPair.Wish();
      wish.pathMtu = mtu;
      qp.toInit(wish.access);
      qp.modify(
          EndpointPair.rtr(qp, clientQpn, client, psn, wish)
              .addressVector(
                  AddressVector.of(
                      MemoryPort.gidHi(port.ipv6), MemoryPort.gidLo(port.ipv6, client))));
      return qp;
    }

    void register(long start, int rkey) {
      va = start;
      pd.register(memory.address(), REGION_BYTES, EndpointPair.ALL_ACCESS, start, rkey);
    }

    void postReceives(QueuePair qp, int count, int size) {
      var region = pd.register(receives, EndpointPair.ALL_ACCESS);
      for (int i = 0; i < count; i++) {
        qp.postReceive(
            new ReceiveRequest()
                .wrId(i)
                .sge(receives.address() + (long) i * size, size, region.lkey()));
      }
    }

    void inject(LinuxCapture.Packet packet) {
      port.peerAddress = packet.source();
      int index =
          in.push(
              0, packet.bytes().length, packet.sourcePort(), packet.tos(), packet.identification());
      in.buffer.putBytes(in.offset(index), packet.bytes());
      int work = 1;
      while (work > 0) {
        work = agent.doWork();
      }
    }

    /** Answers since the last call; READ data are compared with what Linux read. */
    List<String> answers(List<byte[]> payloads) {
      List<String> all = new ArrayList<>();
      while (!out.isEmpty()) {
        int index = out.index(out.head++);
        assertEquals(0, view.wrap(out.buffer, out.offset(index), out.length[index]));
        int opcode = view.opcode();
        boolean aeth = Opcode.hasAeth(opcode);
        all.add(
            LinuxCapture.Packet.answer(
                opcode, view.psn(), aeth ? view.syndrome() : -1, aeth ? view.msn() : -1));
        byte[] payload = new byte[view.payloadLength()];
        view.buffer().getBytes(view.payloadOffset(), payload);
        if (Opcode.hasAtomicAckEth(opcode)) {
          payload =
              Long.toHexString(view.atomicOriginal())
                  .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        }
        payloads.add(payload);
      }
      return all;
    }

    List<String> completions() {
      List<String> all = new ArrayList<>();
      WorkCompletion wc = new WorkCompletion();
      while (cq.poll(wc)) {
        all.add(wc.wrId() + " " + WorkCompletionStatus.name(wc.status()) + " " + wc.byteLength());
      }
      return all;
    }

    @Override
    public void close() {
      agent.close();
      memory.close();
      receives.close();
      in.close();
      out.close();
    }
  }

  /** Memory before the session as far as READs and atomics showed it. */
  private static void fillFromAnswers(Server server, List<LinuxCapture.Packet> packets) {
    long va = 0;
    int firstPsn = 0;
    int mtu = 1024;
    for (LinuxCapture.Packet packet : packets) {
      if (Opcode.isReadRequest(packet.opcode())) {
        continue;
      }
      if (Opcode.isReadResponse(packet.opcode())) {
        LinuxCapture.Packet request = requestOf(packets, packet);
        va = request.va();
        firstPsn = request.psn();
        mtu = Math.max(256, Integer.highestOneBit(largest(packets)));
        long at = va - server.va + (long) (packet.psn() - firstPsn) * mtu;
        for (int i = 0; i < packet.payload().length; i++) {
          NativeMemory.putByte(server.memory.address() + at + i, packet.payload()[i]);
        }
      } else if (Opcode.isAtomicAck(packet.opcode())) {
        LinuxCapture.Packet request = requestOf(packets, packet);
        long at = server.memory.address() + (request.va() - server.va);
        if (NativeMemory.getLong(at) == 0) {
          NativeMemory.putLong(at, packet.original());
        }
      }
    }
  }

  private static int largest(List<LinuxCapture.Packet> packets) {
    return packets.stream().mapToInt(packet -> packet.payload().length).max().orElse(0);
  }

  /** The newest READ or atomic request at or before the answer's PSN. */
  private static LinuxCapture.Packet requestOf(
      List<LinuxCapture.Packet> packets, LinuxCapture.Packet answer) {
    LinuxCapture.Packet found = null;
    for (LinuxCapture.Packet packet : packets) {
      boolean asks = Opcode.isReadRequest(packet.opcode()) || Opcode.isAtomic(packet.opcode());
      if (asks && packet.number() < answer.number() && packet.psn() <= answer.psn()) {
        found = found == null || packet.psn() >= found.psn() ? packet : found;
      }
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource({
    "rc-send-only-v4, 0x11, 0x100, 0x228, 0x55f30248c000, 1024, 20, 4096, ''",
    "rc-send-multi-v4, 0x12, 0xfffffa, 0x431, 0x5647b8d0e000, 1024, 8, 8192, ''",
    "rc-send-imm-v4, 0x13, 0x100, 0x687, 0x5555afadd000, 1024, 12, 4096, ''",
    "rc-write-v4, 0x17, 0x100, 0xe42, 0x558f4842d000, 1024, 1, 4096, ''",
    "rc-write-imm-v4, 0x18, 0x100, 0x10bf, 0x56344339a000, 1024, 10, 4096, ''",
    "rc-read-v4, 0x19, 0x100, 0x12ce, 0x5607d10f3000, 1024, 1, 4096, ''",
    "rc-atomics-v4, 0x1a, 0x100, 0x14e6, 0x5637600d3000, 1024, 4, 4096, ''",
    "rc-pads-v4, 0x1b, 0x100, 0x169a, 0x561e5e901000, 1024, 12, 2048, ''",
    "rc-mixed-v6, 0x21, 0x100, 0x2294, 0x5640657bd000, 1024, 12, 4096, ''",
    "rc-mtu4096-v4, 0x23, 0x100, 0x26b6, 0x7fb5a6df3000, 4096, 4, 16384, ''",
    "rc-mtu256-v4, 0x24, 0x100, 0x2815, 0x55e80279b000, 256, 6, 4096, ''",
    "rc-nak-psn-v4, 0x28, 0x100, 0x308d, 0x55c6ebba3000, 1024, 4, 8192, '3'",
    "rc-nak-psn2-v4, 0x29, 0x200, 0x3274, 0x55c171b85000, 1024, 20, 1024, '5'",
    "rc-timeout-v4, 0x2a, 0x300, 0x344c, 0x55f369c31000, 1024, 4, 4096, '1 2 8'",
    "rc-ack-lost-v4, 0x2b, 0x400, 0x3612, 0x55c9842000, 1024, 8, 4096, ''"
  })
  void answersAreThoseOfLinux(
      String capture,
      String qpn,
      String psn,
      String rkey,
      String va,
      int mtu,
      int receives,
      int receiveBytes,
      String lost)
      throws IOException {
    List<LinuxCapture.Packet> packets = LinuxCapture.read(capture + ".pcap");
    boolean ipv6 = capture.endsWith("v6");
    try (Server server = new Server(ipv6)) {
      LinuxCapture.Packet reth =
          packets.stream().filter(packet -> packet.rkey() != 0).findFirst().orElse(null);
      server.register(reth == null ? Long.decode(va) : regionStart(packets), Integer.decode(rkey));
      int clientQpn = Integer.decode(qpn);
      QueuePair qp =
          server.queuePair(
              QueuePairType.RC, Integer.decode(qpn), Integer.decode(psn), mtu, clientQpn);
      server.postReceives(qp, receives, receiveBytes);
      fillFromAnswers(server, packets);
      replay(server, packets, Set.of(lost.split(" ", -1)));
    }
  }

  /** Regions are page aligned, and the lowest address asked for lies in the first page. */
  private static long regionStart(List<LinuxCapture.Packet> packets) {
    return packets.stream()
            .filter(packet -> packet.va() != 0)
            .mapToLong(LinuxCapture.Packet::va)
            .min()
            .orElseThrow()
        & -4096L;
  }

  private static void replay(Server server, List<LinuxCapture.Packet> packets, Set<String> lost) {
    List<String> expected = new ArrayList<>();
    List<byte[]> expectedData = new ArrayList<>();
    List<String> answers = new ArrayList<>();
    List<byte[]> data = new ArrayList<>();
    for (LinuxCapture.Packet packet : packets) {
      if (packet.isFrom(server.client)) {
        if (!lost.contains(Integer.toString(packet.number()))) {
          server.inject(packet);
          answers.addAll(server.answers(data));
        }
      } else {
        expected.add(packet.answer());
        expectedData.add(
            Opcode.hasAtomicAckEth(packet.opcode())
                ? Long.toHexString(packet.original())
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII)
                : packet.payload());
      }
    }
    assertEquals(String.join("\n", expected), String.join("\n", answers));
    for (int i = 0; i < data.size(); i++) {
      assertArrayEquals(expectedData.get(i), data.get(i), expected.get(i));
    }
    checkPlaced(server, packets);
  }

  /** SEND bytes lie in the receives, in order; WRITE bytes at their addresses. */
  private static void checkPlaced(Server server, List<LinuxCapture.Packet> packets) {
    int receive = 0;
    long received = 0;
    long writeVa = 0;
    int next = -1;
    List<String> lengths = new ArrayList<>();
    List<String> completions = server.completions();
    int size = 0;
    for (LinuxCapture.Packet packet : packets) {
      int opcode = packet.opcode();
      boolean message = Opcode.isSend(opcode) || Opcode.isWrite(opcode);
      if (!packet.isFrom(server.client) || !message) {
        continue;
      }
      if (next != -1 && ((packet.psn() - next) << 8) < 0) {
        continue; // sent again
      }
      next = packet.psn() + 1;
      if (Opcode.isWrite(opcode)) {
        writeVa = Opcode.startsMessage(opcode) ? packet.va() : writeVa;
        writeVa += packet.payload().length;
        size = Opcode.startsMessage(opcode) ? (int) packet.length() : size;
        if (Opcode.hasImmDt(opcode)) {
          lengths.add(receive++ + " SUCCESS " + size);
        }
        continue;
      }
      received = Opcode.startsMessage(opcode) ? 0 : received;
      received += packet.payload().length;
      if (Opcode.endsMessage(opcode)) {
        lengths.add(receive++ + " SUCCESS " + received);
      }
    }
    assertEquals(lengths, completions);
  }

  // rxe continues a resumed READ with Middle and Last, we answer a READ request with a message of
  // its own (qib's form): PSNs and bytes are the same.
  @Test
  void restOfAReadIsAnsweredWithTheSamePsnsAndBytes() throws IOException {
    List<LinuxCapture.Packet> packets = LinuxCapture.read("rc-read-resp-lost-v4.pcap");
    try (Server server = new Server(false)) {
      server.register(regionStart(packets), 0x381e);
      QueuePair qp = server.queuePair(QueuePairType.RC, 0x2c, 0x500, 1024, 0x2c);
      server.postReceives(qp, 1, 4096);
      fillFromAnswers(server, packets);
      List<byte[]> data = new ArrayList<>();
      List<String> answers = new ArrayList<>();
      List<LinuxCapture.Packet> expected = new ArrayList<>();
      for (LinuxCapture.Packet packet : packets) {
        if (packet.isFrom(server.client)) {
          server.inject(packet);
          answers.addAll(server.answers(data));
        } else {
          expected.add(packet);
        }
      }
      assertEquals(expected.size(), answers.size());
      for (int i = 0; i < answers.size(); i++) {
        String psn = " " + expected.get(i).psn();
        assertTrue((answers.get(i) + " ").contains(psn + " "), answers.get(i));
        assertArrayEquals(expected.get(i).payload(), data.get(i));
      }
    }
  }

  // Linux answers a SEND that is too long with 0x63, the architecture says 0x61.
  @Test
  void tooLongASendGetsAnInvalidRequestWhereLinuxSaysOperationalError() throws IOException {
    List<LinuxCapture.Packet> packets = LinuxCapture.read("rc-nak-toolong-v4.pcap");
    try (Server server = new Server(false)) {
      QueuePair qp = server.queuePair(QueuePairType.RC, 0x35, 0x100, 1024, 0x35);
      server.postReceives(qp, 2, 64);
      List<String> answers = new ArrayList<>();
      for (LinuxCapture.Packet packet : packets) {
        if (packet.isFrom(server.client) && packet.destQp() == 0x35) {
          server.inject(packet);
          answers.addAll(server.answers(new ArrayList<>()));
        }
      }
      assertEquals(List.of("RC_ACK 256 00 1", "RC_ACK 257 61 1"), answers);
      assertEquals(List.of("0 SUCCESS 64", "1 LOC_LEN_ERR 0"), server.completions());
    }
  }

  @Test
  void unreliableConnectionDeliversWhatLinuxSent() throws IOException {
    List<LinuxCapture.Packet> packets = LinuxCapture.read("uc-send-write-v4.pcap");
    try (Server server = new Server(false)) {
      server.register(regionStart(packets), 0x18b4);
      QueuePair qp = server.queuePair(QueuePairType.UC, 0x1c, 0x100, 1024, 0x1c);
      server.postReceives(qp, 16, 4096);
      for (LinuxCapture.Packet packet : packets) {
        server.inject(packet);
      }
      assertEquals(List.of(), server.answers(new ArrayList<>()));
      assertEquals(
          List.of(
              "0 SUCCESS 0",
              "1 SUCCESS 1",
              "2 SUCCESS 1024",
              "3 SUCCESS 1025",
              "4 SUCCESS 3999",
              "5 SUCCESS 6",
              "6 SUCCESS 2051",
              "7 SUCCESS 7",
              "8 SUCCESS 2500",
              "9 SUCCESS 2"),
          server.completions());
    }
  }

  @Test
  void packetWithTheWrongIcrcIsDroppedAsLinuxDoes() throws IOException {
    List<LinuxCapture.Packet> packets = LinuxCapture.read("rc-bad-icrc-v4.pcap");
    try (Server server = new Server(false)) {
      LinuxCapture.Packet first = packets.get(0);
      QueuePair qp =
          server.pd.createQueuePair(
              new QueuePairSettings()
                  .type(QueuePairType.RC)
                  .sendCq(server.cq)
                  .recvCq(server.cq)
                  .qpNumWish(first.destQp()));
      EndpointPair.Wish wish = new EndpointPair.Wish();
      qp.toInit(wish.access);
      qp.modify(EndpointPair.rtr(qp, 0x39, first.source(), first.psn(), wish));
      server.postReceives(qp, 4, 4096);
      List<String> answers = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (LinuxCapture.Packet packet : packets) {
        if (packet.destQp() == first.destQp() && packet.source() == first.source()) {
          server.inject(packet);
          answers.addAll(server.answers(new ArrayList<>()));
        } else if (packet.source() == SERVER) {
          expected.add(packet.answer());
        }
      }
      assertEquals(1, server.agent.counters().get("rx_icrc_encapsulated"));
      assertEquals(expected, answers);
      assertEquals(3, server.completions().size());
    }
  }
}
