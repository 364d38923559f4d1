// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.memory.AccessFlags;
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
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.packet.Bth;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups on ports of real networks: on loopback, and in namespaces where there is the right. */
@Timeout(60)
class MulticastTest {
  private static final Gid GROUP = Gid.parse("239.47.91.7");
  private static final Gid OTHER = Gid.parse("239.47.91.8");
  private static final Gid GROUP6 = Gid.parse("ff0e::4791:7");
  private static final int PACKETS = 5;

  private static boolean works(String name) {
    return Ports.providers().stream()
        .anyMatch(each -> each.name().equals(name) && each.unavailableReason() == null);
  }

  private static int send(DatagramPort from, Gid group, int udpPort) {
    Destination to = from.destination(group.high(), group.low(), udpPort, 0, 0);
    for (int i = 0; i < PACKETS; i++) {
      assertTrue(from.open(0, to, 0, 200) > 0);
      PortPair.write(from, i, 200);
      from.commit(200);
    }
    return from.flush(1);
  }

  private static PacketCollector receive(DatagramPort at, int expected) {
    PacketCollector collector = new PacketCollector();
    long deadlineNs = System.nanoTime() + (expected == 0 ? 50_000_000 : 5_000_000_000L);
    while (collector.packets.size() < Math.max(expected, 1) && System.nanoTime() < deadlineNs) {
      at.flush(System.nanoTime());
      at.receive(collector, 64, System.nanoTime());
      LockSupport.parkNanos(100_000);
    }
    assertEquals(expected, collector.packets.size());
    assertTrue(collector.packets.stream().allMatch(PacketCollector.Packet::icrcRight));
    return collector;
  }

  private static void joinSendAndLeave(
      DatagramPort left, DatagramPort right, Gid group, Gid other) {
    int port = right.localUdpPort();
    right.joinMulticast(group.high(), group.low());
    right.joinMulticast(group.high(), group.low());
    send(left, group, port);
    receive(right, PACKETS);
    // A group that was not joined, and one that was left, do not arrive.
    send(left, other, port);
    receive(right, 0);
    right.leaveMulticast(group.high(), group.low());
    right.leaveMulticast(group.high(), group.low());
    send(left, group, port);
    receive(right, 0);
    // What goes to the host itself is not disturbed by any of it.
    Destination host = left.destination(right.localGidHi(), right.localGidLo(), port, 0, 0);
    assertTrue(left.open(0, host, 0, 200) > 0);
    PortPair.write(left, 9, 200);
    left.commit(200);
    left.flush(2);
    receive(right, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll", "io_uring", "linux"})
  void datagramsOfAJoinedGroupArriveOverLoopback(String name) {
    assumeTrue(works(name), "port " + name + " cannot work here");
    try (PortPair pair = PortPair.open(name, false)) {
      joinSendAndLeave(pair.left, pair.right, GROUP, OTHER);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nio, false",
    "nio, true",
    "epoll, true",
    "linux, false",
    "linux, true",
    "raw, false",
    "raw, true"
  })
  void datagramsOfAJoinedGroupArriveOverALink(String name, boolean ipv6) {
    String reason = NetworkNamespaces.unavailableReason();
    assumeTrue(reason == null, "multicast over a link needs namespaces: " + reason);
    assumeTrue(works(name), "port " + name + " cannot work here");
    try (NetworkNamespaces namespaces = NetworkNamespaces.create(9000);
        PortPair pair = PortPair.openIn(namespaces, name, ipv6)) {
      Gid group = ipv6 ? GROUP6 : GROUP;
      Gid other = ipv6 ? Gid.parse("ff0e::4791:8") : OTHER;
      namespaces.inside(
          NetworkNamespaces.RIGHT,
          () -> {
            joinSendAndLeave(pair.left, pair.right, group, other);
            return null;
          });
    }
  }

  @Test
  void rawFilterTakesManyGroupsAndSaysWhenItIsFull() {
    String reason = NetworkNamespaces.unavailableReason();
    assumeTrue(reason == null, "port raw over a link needs namespaces: " + reason);
    assumeTrue(works("raw"), "port raw cannot work here");
    try (NetworkNamespaces namespaces = NetworkNamespaces.create(9000);
        PortPair pair = PortPair.openIn(namespaces, "raw", true)) {
      int joined = 0;
      IllegalArgumentException full = null;
      while (full == null && joined < 100) {
        try {
          pair.right.joinMulticast(GROUP6.high(), GROUP6.low() + joined);
          joined++;
        } catch (IllegalArgumentException e) {
          full = e;
        }
      }
      assertTrue(joined >= 25 && full != null, "joined " + joined);
      assertTrue(full.getMessage().contains("multicast groups at most"), full::getMessage);
      send(pair.left, new Gid(GROUP6.high(), GROUP6.low() + joined - 1), 4791);
      receive(pair.right, PACKETS);
    }
  }

  @Test
  void whatIsNoGroupOfThePortsFamilyIsRefused() {
    try (PortPair pair = PortPair.open("nio", false)) {
      for (Gid wrong : List.of(Gid.parse("10.0.0.1"), GROUP6)) {
        IllegalArgumentException e =
            assertThrows(
                IllegalArgumentException.class,
                () -> pair.right.joinMulticast(wrong.high(), wrong.low()));
        assertTrue(e.getMessage().contains(wrong.toString()), e::getMessage);
      }
    }
  }

  /**
   * [rc D10] The whole stack: a UD SEND to a group ends in the receive of an attached queue pair.
   */
  @ParameterizedTest
  @ValueSource(strings = {"nio", "linux"})
  void unreliableDatagramReachesAnAttachedQueuePair(String name) {
    assumeTrue(works(name), "port " + name + " cannot work here");
    PortSettings one = PortPair.settings(false, 1);
    PortSettings two = PortPair.settings(false, 2);
    try (Arena arena = Arena.ofConfined();
        EndpointAgent sender = open(name, one);
        EndpointAgent receiver = open(name, two)) {
      MemorySegment memory = arena.allocate(4096, 64);
      try (Datagrams from = new Datagrams(sender, memory);
          Datagrams to = new Datagrams(receiver, memory)) {
        to.qp.attachMulticast(GROUP.high(), GROUP.low());
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 42);
        to.qp.postReceive(
            new ReceiveRequest().wrId(7).sge(to.region.address() + 1024, 200, to.region.lkey()));
        AddressVector way = AddressVector.of(GROUP.high(), GROUP.low()).withUdpPort(two.udpPort());
        AddressHandle handle = from.domain.createAddressHandle(way);
        from.qp.postSend(
            new SendRequest()
                .wrId(1)
                .opcode(WorkRequestOpcode.SEND)
                .signaled(true)
                .sge(from.region.address(), 100, from.region.lkey())
                .datagram(handle, Bth.MULTICAST_QP, Datagrams.QKEY));
        WorkCompletion completion = new WorkCompletion();
        long deadlineNs = System.nanoTime() + 5_000_000_000L;
        while (!to.completions.poll(completion) && System.nanoTime() < deadlineNs) {
          sender.doWork();
          receiver.doWork();
        }
        assertEquals(7, completion.wrId());
        assertEquals(WorkCompletionStatus.SUCCESS, completion.status());
        assertEquals(42, memory.get(ValueLayout.JAVA_BYTE, 1024 + 40));
        to.qp.detachMulticast(GROUP.high(), GROUP.low());
        handle.close();
      }
    }
  }

  private static EndpointAgent open(String name, PortSettings settings) {
    return EndpointAgent.open(
        new ContextSettings(), Ports.open(name, settings).port(), SystemNanoClock.INSTANCE);
  }

  /** A UD queue pair that is ready to send and receive. */
  private static final class Datagrams implements AutoCloseable {
    static final int QKEY = 0x11111111;

    final ProtectionDomain domain;
    final CompletionQueue completions;
    final MemoryRegion region;
    final QueuePair qp;

    Datagrams(EndpointAgent agent, MemorySegment memory) {
      domain = agent.context().allocateProtectionDomain();
      completions = agent.context().createCompletionQueue(8);
      region = domain.register(memory.address(), memory.byteSize(), AccessFlags.LOCAL_WRITE);
      qp =
          domain.createQueuePair(
              new QueuePairSettings()
                  .type(QueuePairType.UD)
                  .sendCq(completions)
                  .recvCq(completions)
                  .maxSendWr(4)
                  .maxRecvWr(4));
      qp.modify(
          new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
      qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
      qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sqPsn(1));
    }

    @Override
    public void close() {
      qp.close();
      region.close();
      completions.close();
      domain.close();
    }
  }
}
