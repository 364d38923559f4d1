// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.Simulation;
import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.CmSettings;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Both sides of rping in virtual time. */
class RpingTest {
  private static final long LIMIT_NS = 200_000_000_000L;

  private final List<String> shown = new ArrayList<>();
  private long liveBefore;
  private Simulation simulation;
  private SimEndpoint a;
  private SimEndpoint b;
  private RdmaCm cmA;
  private RdmaCm cmB;

  @BeforeEach
  void remember() {
    liveBefore = NativeMemory.liveBytes();
  }

  private void open(double loss, String client, String server) {
    SeededStreams streams = new SeededStreams(4);
    LinkSettings link =
        LinkSettings.perfect(10_000_000_000L, 5_000, 1 << 20)
            .with(Impairment.none().withLoss(loss));
    simulation = new Simulation(streams, 4_224, link, (time, slots) -> LinkObserver.NONE);
    a = endpoint("a", client);
    b = endpoint("b", server);
    cmA = RdmaCm.open(a.context(), CmSettings.defaults(), 1);
    cmB = RdmaCm.open(b.context(), CmSettings.defaults(), 2);
  }

  private SimEndpoint endpoint(String name, String address) {
    return simulation.addEndpoint(
        name, Gid.parse(address), SimPortSettings.defaults(), EndpointSettings.defaults(), null);
  }

  @AfterEach
  void nothingIsLeft() {
    if (simulation != null) {
      simulation.close();
    }
    assertEquals(liveBefore, NativeMemory.liveBytes(), NativeMemory::report);
  }

  private static RpingPlan plan(boolean server, int size, int count, String transport) {
    return new RpingPlan(server, 7_174, size, count, true, true, false, transport);
  }

  private void add(RpingSide side) {
    simulation.addApplication(
        new SimApplication() {
          @Override
          public int turn() {
            return side.turn() ? 1 : 0;
          }

          @Override
          public long nextTurnNs() {
            return Long.MAX_VALUE;
          }
        });
  }

  /** Runs until both sides are done. */
  private void run(RpingSide client, RpingSide server) {
    add(client);
    add(server);
    simulation.start();
    while (!client.isDone() && simulation.timeline().nowNs() < LIMIT_NS && simulation.step()) {}
    long quietNs = simulation.timeline().nowNs() + 1_000_000_000L;
    while (simulation.timeline().nextPs() / 1_000 < quietNs && simulation.step()) {}
  }

  @ParameterizedTest
  @CsvSource({
    "0, 64, 100, 192.0.2.1, 192.0.2.2",
    "0.03, 64, 100, fd00::1, fd00::2",
    "0.01, 65536, 20, 192.0.2.1, 192.0.2.2",
  })
  void everyIterationIsVerified(double loss, int size, int count, String from, String to) {
    open(loss, from, to);
    try (RpingServer server =
            new RpingServer(plan(true, size, 0, "rc"), b.context(), cmB, shown::add);
        RpingClient client =
            new RpingClient(
                plan(false, size, count, "rc"), a.context(), cmA, Gid.parse(to), shown::add)) {
      run(client, server);
      assertNull(client.fault());
      assertNull(server.fault());
      assertEquals(count, client.iterations());
      assertEquals(count, server.iterations());
      assertTrue(server.isDone());
      assertEquals(2 * count, shown.size());
      assertTrue(shown.get(0).startsWith("server ping data: rdma-ping-0: ABC"), shown.get(0));
      assertTrue(shown.get(3).startsWith("ping data: rdma-ping-1: BCD"), shown.get(3));
    }
    assertEquals(loss == 0, simulation.network().counts().lost == 0);
  }

  @ParameterizedTest
  @CsvSource({"mx, mx", "mx, rc", "rc, mx"})
  void mxIsSpokenWhereBothSidesOfferIt(String asking, String asked) { // [mx B.10]
    open(0.02, "192.0.2.9", "192.0.2.2");
    try (RpingServer server =
            new RpingServer(plan(true, 20_000, 0, asked), b.context(), cmB, shown::add);
        RpingClient client =
            new RpingClient(
                plan(false, 20_000, 20, asking),
                a.context(),
                cmA,
                Gid.parse("192.0.2.2"),
                shown::add)) {
      run(client, server);
      assertNull(client.fault());
      assertEquals(20, client.iterations());
      assertEquals(asking.equals(asked) ? "mx" : "rc", client.transport());
      assertEquals(client.transport(), server.transport());
    }
  }

  @Test
  void theTransportsOfferTakesRoomFromTheApplication() { // [FC-30] [mx B.10]
    open(0, "192.0.2.1", "192.0.2.2");
    CmEventChannel channel = cmA.createEventChannel();
    RdmaCmId id = cmA.createId(channel, PortSpace.TCP);
    id.resolveAddress(Gid.parse("192.0.2.2"), 7_174);
    id.resolveRoute();
    ProtectionDomain pd = a.context().allocateProtectionDomain();
    CompletionQueue cq = a.context().createCompletionQueue(8);
    id.createQueuePair(pd, new QueuePairSettings().profile("mx").sendCq(cq).recvCq(cq));
    VerbsException refused =
        assertThrows(
            VerbsException.class,
            () -> id.connect(new ConnectionParameters().privateData(new byte[25])));
    assertTrue(refused.getMessage().contains("at most 24"), refused.getMessage());
    byte[] data = new byte[24];
    data[0] = 77;
    id.connect(new ConnectionParameters().privateData(data));
    RdmaCmId listener = cmB.createId(cmB.createEventChannel(), PortSpace.TCP);
    listener.bindAddress(null, 7_174);
    listener.listen(1);
    simulation.start();
    while (simulation.timeline().nowNs() < 1_000_000 && simulation.step()) {}
    CmEvent request = listener.channel().poll();
    assertEquals(56, request.privateData().length);
    assertArrayEquals(data, request.applicationData());
    ProtectionDomain pdB = b.context().allocateProtectionDomain();
    CompletionQueue cqB = b.context().createCompletionQueue(8);
    request
        .id()
        .createQueuePair(pdB, new QueuePairSettings().profile("mx").sendCq(cqB).recvCq(cqB));
    refused =
        assertThrows(
            VerbsException.class,
            () -> request.id().accept(new ConnectionParameters().privateData(new byte[165])));
    assertTrue(refused.getMessage().contains("at most 164"), refused.getMessage());
    request.id().accept(new ConnectionParameters().privateData(new byte[164]));
  }

  @Test
  void nobodyListens() {
    open(0, "192.0.2.1", "192.0.2.2");
    try (RpingClient client =
        new RpingClient(
            plan(false, 64, 1, "rc"), a.context(), cmA, Gid.parse("192.0.2.2"), shown::add)) {
      add(client);
      simulation.start();
      while (!client.isDone() && simulation.step()) {}
      assertTrue(client.fault().contains("nobody listens at port 7174"), client.fault());
    }
  }

  @Test
  void aServerWithTooSmallABufferSaysWhatToDo() {
    open(0, "192.0.2.1", "192.0.2.2");
    try (RpingServer server =
            new RpingServer(plan(true, 64, 0, "rc"), b.context(), cmB, shown::add);
        RpingClient client =
            new RpingClient(
                plan(false, 128, 1, "rc"), a.context(), cmA, Gid.parse("192.0.2.2"), shown::add)) {
      run(client, server);
      assertTrue(server.fault().contains("start the server with -S 128"), server.fault());
      assertTrue(client.fault().contains("disconnected"), client.fault());
    }
  }

  @Test
  void textIsThatOfTheExample() {
    byte[] text = RpingText.of(57, 64);
    assertEquals(
        "rdma-ping-57: zABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnop",
        new String(text, 0, 63, StandardCharsets.US_ASCII));
    assertEquals(63, RpingText.length(text));
    assertEquals('A', RpingText.of(58, 64)["rdma-ping-58: ".length()]);
  }
}
