// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.docs;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.CmEventType;
import io.roce4j.transport.cm.CmSettings;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.wire.ip.Gid;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;

/** Two endpoints on one machine: a server that listens, and a client that connects to it. */
public final class ConnectToServer {
  private static final int PORT = 7_471;

  private ConnectToServer() {}

  /**
   * Runs the sample and prints what the two said to each other.
   *
   * @param addresses two local addresses; 127.0.0.1 and 127.0.0.2 when there are none
   */
  public static void main(String[] addresses) {
    String client = addresses.length == 2 ? addresses[0] : "127.0.0.1";
    String server = addresses.length == 2 ? addresses[1] : "127.0.0.2";
    System.out.println(connect(client, server));
  }

  /**
   * Connects, and parts again.
   *
   * @param clientAddress a local address
   * @param serverAddress another one
   * @return what the server heard, and what the client
   */
  static String connect(String clientAddress, String serverAddress) {
    try (Side client = new Side(clientAddress);
        Side server = new Side(serverAddress)) {
      RdmaCmId listener = server.cm.createId(server.events, PortSpace.TCP);
      listener.bindAddress(null, PORT);
      listener.listen(16);

      RdmaCmId asking = client.cm.createId(client.events, PortSpace.TCP);
      asking.resolveAddress(Gid.parse(serverAddress), PORT);
      await(client, server, client.events, CmEventType.ADDR_RESOLVED);
      asking.resolveRoute();
      await(client, server, client.events, CmEventType.ROUTE_RESOLVED);
      client.createQueuePair(asking);
      asking.connect(new ConnectionParameters().privateData(bytes("hello")));

      CmEvent request = await(client, server, server.events, CmEventType.CONNECT_REQUEST);
      server.createQueuePair(request.id());
      request.id().accept(new ConnectionParameters().privateData(bytes("welcome")));
      CmEvent answer = await(client, server, client.events, CmEventType.ESTABLISHED);
      await(client, server, server.events, CmEventType.ESTABLISHED);

      // Here both queue pairs are ready to send.
      asking.disconnect();
      await(client, server, client.events, CmEventType.DISCONNECTED);
      await(client, server, server.events, CmEventType.DISCONNECTED);
      return text(request) + ", " + text(answer);
    }
  }

  /**
   * Runs both agents until an event comes; a program has a thread for each, or a loop of its own.
   */
  private static CmEvent await(Side one, Side other, CmEventChannel events, CmEventType type) {
    CmEvent event = events.poll();
    while (event == null) {
      one.agent.doWork();
      other.agent.doWork();
      event = events.poll();
    }
    if (event.type() != type) {
      throw new IllegalStateException(event.toString());
    }
    return event;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The area has a fixed size: the text ends at the first zero. */
  private static String text(CmEvent event) {
    return new String(event.privateData(), StandardCharsets.US_ASCII).split("\0", 2)[0];
  }

  private static final class Side implements AutoCloseable {
    final EndpointAgent agent;
    final RdmaCm cm;
    final CmEventChannel events;

    Side(String address) {
      long seed = new SplittableRandom().nextLong();
      agent =
          EndpointAgent.open(
              new ContextSettings().seed(seed),
              Ports.open(Ports.AUTO, PortSettings.of(address)).port(),
              SystemNanoClock.INSTANCE);
      cm = RdmaCm.open(agent.context(), CmSettings.defaults(), seed);
      events = cm.createEventChannel();
    }

    void createQueuePair(RdmaCmId id) {
      CompletionQueue completions = agent.context().createCompletionQueue(16);
      id.createQueuePair(
          agent.context().allocateProtectionDomain(),
          new QueuePairSettings()
              .type(QueuePairType.RC)
              .sendCq(completions)
              .recvCq(completions)
              .maxSendWr(8)
              .maxRecvWr(8));
    }

    @Override
    public void close() {
      agent.close();
    }
  }
}
