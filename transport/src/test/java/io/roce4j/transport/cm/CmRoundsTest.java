// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A server that is connected to, written to and left, again and again, some of its clients
 * vanishing half-way. The system property {@code roce4j.cm.rounds} asks for more rounds.
 */
class CmRoundsTest {
  private static final int ROUNDS = Integer.getInteger("roce4j.cm.rounds", 1_000);
  private static final int MESSAGE_BYTES = 4_096;

  private final CmNet net = new CmNet();
  private final CmNet.Side client = net.add("192.0.2.1");
  private final CmNet.Side server = net.add("192.0.2.2");
  private final List<RdmaCmId> served = new ArrayList<>();
  private final WorkCompletion completion = new WorkCompletion();
  private int unreachable;

  @Test
  void everyRoundIsServedAndNothingIsLeft() { // [FC-32]
    server.listen(PortSpace.TCP, HandPeer.PORT, 0);
    net.loss = 0.01;
    round(0);
    net.runFor(100_000 * CmNet.MS);
    serve();
    long liveBefore = NativeMemory.liveBytes();
    int vanished = 0;
    for (int i = 1; i <= ROUNDS; i++) {
      round(i);
      if (i % 7 == 0 || i % 11 == 0) {
        vanished++;
        CmRecord req =
            HandPeer.req(server.address).with("localCommId", i).with("localQpn", i & 0xFFFF);
        server.inject(HandPeer.ADDRESS, req);
        serve();
      }
      net.sent.clear();
      net.overheard.clear();
      net.runFor(20 * CmNet.MS);
    }
    net.runFor(300_000 * CmNet.MS);
    serve();
    assertEquals(vanished, unreachable);
    assertEquals(0, client.cm.connections());
    assertEquals(0, server.cm.connections());
    assertEquals(List.of(), served);
    assertEquals(liveBefore, NativeMemory.liveBytes(), NativeMemory::report);
    net.close();
  }

  private void round(int number) {
    RdmaCmId id = client.resolved(PortSpace.TCP, server.address, HandPeer.PORT);
    id.connect(new ConnectionParameters());
    long beganNs = net.nowNs;
    CmEvent event = null;
    while (event == null) {
      net.runFor(100 * CmNet.MS);
      serve();
      event = client.channel.poll();
      assertTrue(net.nowNs - beganNs < 100_000 * CmNet.MS, "round " + number);
    }
    assertEquals(CmEventType.ESTABLISHED, event.type());
    write(id.queuePair());
    id.disconnect();
    net.runFor(1 * CmNet.MS);
    serve();
    id.close();
    id.queuePair().close();
    while (client.cq.poll(completion)) {
      assertEquals(WorkCompletionStatus.SUCCESS, completion.status());
    }
  }

  private void write(QueuePair queuePair) {
    try (NativeRegion memory = NativeRegion.allocate("test-rounds", 2 * MESSAGE_BYTES)) {
      MemoryRegion source = client.pd.register(memory, AccessFlags.LOCAL_WRITE);
      MemoryRegion target =
          server.pd.register(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
      queuePair.postSend(
          new SendRequest()
              .opcode(WorkRequestOpcode.RDMA_WRITE)
              .signaled(true)
              .sge(source.address(), MESSAGE_BYTES, source.lkey())
              .remote(target.address() + MESSAGE_BYTES, target.rkey()));
      boolean done = false;
      while (!done) {
        net.runFor(10 * CmNet.MS);
        serve();
        done = client.cq.poll(completion);
      }
      assertEquals(WorkCompletionStatus.SUCCESS, completion.status());
      source.close();
      target.close();
    }
  }

  /** Accepts, and lets go of what has ended. */
  private void serve() {
    CmEvent event = server.channel.poll();
    while (event != null) {
      RdmaCmId id = event.id();
      switch (event.type()) {
        case CONNECT_REQUEST -> {
          id.queuePair(server.queuePair(QueuePairType.RC));
          id.accept(new ConnectionParameters());
          served.add(id);
        }
        case DISCONNECTED, UNREACHABLE -> {
          unreachable += event.type() == CmEventType.UNREACHABLE ? 1 : 0;
          id.close();
          id.queuePair().close();
          served.remove(id);
        }
        default -> assertEquals(CmEventType.ESTABLISHED, event.type());
      }
      event = server.channel.poll();
      net.settle();
    }
  }
}
