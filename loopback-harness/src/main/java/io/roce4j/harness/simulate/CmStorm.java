// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.Journal;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.impair.ImpairmentCounts;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.sim.EndpointJournal;
import io.roce4j.harness.sim.LinkSettings;
import io.roce4j.harness.sim.SimEndpoint;
import io.roce4j.harness.sim.SimPortSettings;
import io.roce4j.harness.sim.Simulation;
import io.roce4j.transport.cm.CmSettings;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.io.OutputStream;
import java.util.SplittableRandom;

/**
 * One run of connection management in virtual time, through a network that loses, doubles and
 * overtakes its messages: conversations that begin, are refused, part or are left, by either side
 * at drawn times. Then the network heals, and soon nothing may be left: no id, no half-open
 * connection, no work request without a completion, no memory.
 */
public final class CmStorm {
  /** Where the server listens. */
  static final int PORT = 7_174;

  private static final long SECOND_NS = 1_000_000_000;
  private static final long MS_NS = 1_000_000;

  /** All that was begun has come to its end by then if messages arrive. */
  private static final long HEAL_NS = 150 * SECOND_NS;

  /** The longest wait there is: 16 REQs, an MRA's interval long. */
  private static final long REST_NS = 400 * SECOND_NS;

  private static final int MAX_DATAGRAM_BYTES = 4_224;

  private final SeededStreams streams;
  private final Journal journal;
  private final Findings findings = new Findings();

  /**
   * What a run came to.
   *
   * @param seed of the run
   * @param findings what was wrong, nothing when all is well
   * @param digest SHA-256 of the journal
   * @param journalLines lines of the journal
   * @param tail the journal's last lines
   * @param requests requests the server's application was told of
   * @param retries messages sent again, both sides together, by kind: REQ, REP, RTU, DREQ
   * @param network what the links did to packets
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared, only added up
  public record Outcome(
      long seed,
      Findings findings,
      String digest,
      long journalLines,
      String tail,
      int requests,
      long[] retries,
      ImpairmentCounts network) {}

  private CmStorm(long seed, OutputStream journalSink) {
    this.streams = new SeededStreams(seed);
    this.journal = new Journal(journalSink);
  }

  /**
   * Runs what a seed draws.
   *
   * @param seed decides everything
   * @param journalSink gets the journal's bytes
   * @return the outcome
   */
  public static Outcome of(long seed, OutputStream journalSink) {
    return new CmStorm(seed, journalSink).run();
  }

  private Outcome run() {
    long liveBefore = NativeMemory.liveBytes();
    SplittableRandom random = streams.stream("cmStorm");
    LinkSettings whole = LinkSettings.perfect(10_000_000_000L, 5_000, 1 << 20);
    LinkSettings torn = whole.with(drawImpairment(random)).keepingOrder(false);
    Outcome outcome;
    try (Simulation simulation =
        new Simulation(streams, MAX_DATAGRAM_BYTES, torn, EndpointJournal.links(journal))) {
      boolean ipv6 = random.nextBoolean();
      SimEndpoint a = endpoint(simulation, "a", ipv6 ? "fd00::1" : "10.0.0.1");
      SimEndpoint b = endpoint(simulation, "b", ipv6 ? "fd00::2" : "10.0.0.2");
      RdmaCm cmA = RdmaCm.open(a.context(), CmSettings.defaults(), streams.derive("cm.a"));
      RdmaCm cmB = RdmaCm.open(b.context(), CmSettings.defaults(), streams.derive("cm.b"));
      CmStormServer server =
          new CmStormServer(
              b.context(), cmB, simulation.clock(), streams.stream("server"), findings);
      CmStormClient client =
          new CmStormClient(
              a.context(),
              cmA,
              new Gid(b.port().localGidHi(), b.port().localGidLo()),
              simulation.clock(),
              HEAL_NS + REST_NS,
              streams.stream("client"),
              random.nextInt(4, 24),
              findings);
      simulation.addApplication(client);
      simulation.addApplication(server);
      simulation.start();
      runUntil(simulation, HEAL_NS);
      simulation.network().link(a.port(), b.port()).reconfigure(whole);
      simulation.network().link(b.port(), a.port()).reconfigure(whole);
      runUntil(simulation, HEAL_NS + 2 * REST_NS);
      client.finish();
      server.finish();
      checkNothingIsLeft(simulation, cmA, cmB);
      outcome = conclude(simulation, server, a, b);
    }
    if (NativeMemory.liveBytes() != liveBefore) {
      findings.add("off-heap memory is still allocated: " + NativeMemory.report());
    }
    return outcome;
  }

  private static Impairment drawImpairment(SplittableRandom random) {
    return Impairment.none()
        .withLoss(random.nextDouble(0.4))
        .withDuplicate(random.nextDouble(0.3))
        .withReorder(random.nextDouble(0.3))
        .withReorderGap(random.nextInt(1, 6), random.nextLong(MS_NS, 8 * SECOND_NS))
        .withCorrupt(random.nextDouble(0.05))
        .withJitterNs(random.nextLong(200 * MS_NS));
  }

  private SimEndpoint endpoint(Simulation simulation, String name, String address) {
    EndpointJournal events = new EndpointJournal(journal, simulation.timeline(), name);
    return simulation.addEndpoint(
        name,
        Gid.parse(address),
        SimPortSettings.defaults(),
        EndpointSettings.defaults().withEvents(events),
        events);
  }

  private static void runUntil(Simulation simulation, long ns) {
    while (simulation.timeline().nextPs() / 1_000 <= ns && simulation.step()) {}
  }

  private void checkNothingIsLeft(Simulation simulation, RdmaCm cmA, RdmaCm cmB) {
    if (cmA.connections() != 0 || cmB.connections() != 0) {
      findings.add(
          "connections are left: " + cmA.connections() + " at a, " + cmB.connections() + " at b");
    }
    if (simulation.network().counts().balance() != 0 || simulation.network().packetsInside() != 0) {
      findings.add("packets do not balance at rest");
    }
  }

  private Outcome conclude(
      Simulation simulation, CmStormServer server, SimEndpoint a, SimEndpoint b) {
    CounterId[] kinds = {
      CounterId.CM_TX_RETRIES_REQ,
      CounterId.CM_TX_RETRIES_REP,
      CounterId.CM_TX_RETRIES_RTU,
      CounterId.CM_TX_RETRIES_DREQ
    };
    long[] retries = new long[kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      retries[i] = a.agent().counters().get(kinds[i]) + b.agent().counters().get(kinds[i]);
    }
    String tail = journal.tail(40);
    return new Outcome(
        streams.seed(),
        findings,
        journal.finish(),
        journal.lines(),
        tail,
        server.requests(),
        retries,
        simulation.network().counts());
  }
}
