// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
import io.roce4j.transport.port.NetworkNamespaces;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.port.raw.RawPortProvider;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.ip.Gid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Requests for connections that name addresses where nobody is, over port raw. */
class CmFloodTest {
  private static final int FIRST_ABSENT = 10;
  private static final int ABSENT = 240;

  /** Of them, those that the port looks for at a time: the others are refused at once. */
  private static final int SOUGHT = 128;

  /** Requests on their way at a time, so that the socket holds them. */
  private static final int BURST = 16;

  @Test
  void forgedRequestsMakeNobodyWait() throws IOException {
    String reason = NetworkNamespaces.unavailableReason();
    assumeTrue(reason == null, reason);
    String noRaw = new RawPortProvider().unavailableReason();
    assumeTrue(noRaw == null, noRaw);
    try (NetworkNamespaces namespaces = NetworkNamespaces.create(9000);
        Side server = new Side(namespaces, NetworkNamespaces.LEFT);
        Side client = new Side(namespaces, NetworkNamespaces.RIGHT);
        DatagramSocket forger = namespaces.inside(NetworkNamespaces.RIGHT, CmFloodTest::socket)) {
      RdmaCmId listener = server.cm.createId(server.channel, PortSpace.TCP);
      listener.bindAddress(null, HandPeer.PORT);
      listener.listen(ABSENT + 1);
      long waits = waits();
      int accepted = flood(server, forger);
      assertEquals(waits, waits(), "the agent's thread has waited");
      assertTrue(accepted >= SOUGHT, () -> accepted + " accepted");
      connect(client, server);
      assertTrue(server.cm.connections() > SOUGHT, "the forged ones are still there");
    }
  }

  /** Sends a request from each absent address and accepts them. Returns how many. */
  private static int flood(Side server, DatagramSocket forger) throws IOException {
    int accepted = 0;
    for (int i = 0; i < ABSENT; i++) {
      Gid from = Gid.parse("10.47.91." + (FIRST_ABSENT + i));
      send(forger, server.address, HandPeer.req(from, HandPeer.COMM_ID + i, server.address));
      if (i % BURST == BURST - 1) {
        server.awaitRequests(i + 1);
      }
      for (CmEvent event = server.channel.poll(); event != null; event = server.channel.poll()) {
        assertEquals(CmEventType.CONNECT_REQUEST, event.type());
        server.accept(event.id());
        accepted++;
      }
    }
    return accepted;
  }

  private static void connect(Side client, Side server) {
    RdmaCmId id = client.cm.createId(client.channel, PortSpace.TCP);
    id.resolveAddress(server.address, HandPeer.PORT);
    client.await(CmEventType.ADDR_RESOLVED, server);
    id.resolveRoute();
    client.await(CmEventType.ROUTE_RESOLVED, server);
    client.createQueuePair(id);
    id.connect(new ConnectionParameters());
    server.accept(server.await(CmEventType.CONNECT_REQUEST, client).id());
    client.await(CmEventType.ESTABLISHED, server);
    server.await(CmEventType.ESTABLISHED, client);
  }

  private static void send(DatagramSocket socket, Gid to, CmRecord mad) throws IOException {
    UnsafeBuffer bytes = new UnsafeBuffer(new byte[Mad.LENGTH]);
    mad.emit(bytes, 0);
    byte[] packet = CmNet.packetOf(bytes.byteArray());
    InetAddress address = InetAddress.getByAddress(to.toAddress());
    socket.send(new DatagramPacket(packet, packet.length, address, PortSettings.DEFAULT_UDP_PORT));
  }

  private static DatagramSocket socket() {
    try {
      return new DatagramSocket();
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How often this thread has waited for anything. */
  private static long waits() {
    long id = Thread.currentThread().threadId();
    return ManagementFactory.getThreadMXBean().getThreadInfo(id).getWaitedCount();
  }

  /** An endpoint in a namespace, driven by the test's thread. */
  private static final class Side implements AutoCloseable {
    final Gid address;
    final EndpointAgent agent;
    final RdmaCm cm;
    final CmEventChannel channel;
    final ProtectionDomain pd;
    final CompletionQueue cq;

    Side(NetworkNamespaces namespaces, int side) {
      address = Gid.parse(NetworkNamespaces.ipv4(side));
      PortSettings settings = PortSettings.of(NetworkNamespaces.ipv4(side));
      agent =
          EndpointAgent.open(
              new ContextSettings().seed(side),
              // What a socket of the kernel sends has no ICRC of ours.
              EndpointSettings.defaults().withIcrcMode(IcrcMode.OFF),
              namespaces.inside(side, () -> Ports.open("raw", settings).port()),
              SystemNanoClock.INSTANCE);
      cm = RdmaCm.open(agent.context(), CmSettings.defaults(), side);
      channel = cm.createEventChannel();
      pd = agent.context().allocateProtectionDomain();
      cq = agent.context().createCompletionQueue(16);
    }

    void createQueuePair(RdmaCmId id) {
      id.createQueuePair(
          pd,
          new QueuePairSettings()
              .type(QueuePairType.RC)
              .sendCq(cq)
              .recvCq(cq)
              .maxSendWr(1)
              .maxRecvWr(1));
    }

    void accept(RdmaCmId id) {
      createQueuePair(id);
      id.accept(new ConnectionParameters());
    }

    /** Works until so many requests have arrived. */
    void awaitRequests(int count) {
      while (agent.counters().get(CounterId.CM_RX_MSGS_REQ) < count) {
        agent.doWork();
      }
    }

    CmEvent await(CmEventType type, Side other) {
      CmEvent event = channel.poll();
      while (event == null) {
        agent.doWork();
        other.agent.doWork();
        event = channel.poll();
      }
      assertEquals(type, event.type());
      return event;
    }

    @Override
    public void close() {
      agent.close();
    }
  }
}
