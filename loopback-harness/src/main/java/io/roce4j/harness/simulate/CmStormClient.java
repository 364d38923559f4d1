// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.wire.ip.Gid;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.NanoClock;

/** The side that asks: begins conversations at drawn times and leaves them in drawn ways. */
final class CmStormClient implements SimApplication {
  private static final long SECOND_NS = 1_000_000_000;
  private static final List<Manner> MANNERS = List.of(Manner.values());

  /** How a conversation goes, as far as the client has a say. */
  private enum Manner {
    PARTS,
    WAITS_FOR_THE_SERVER,
    VANISHES_AFTER_ASKING,
    VANISHES_WHEN_CONNECTED,
    ASKS_AT_A_CLOSED_PORT
  }

  private final class Talk {
    final CmConversation conversation;
    final Manner manner;
    final long startNs;
    final long patienceNs;
    long actNs = Long.MAX_VALUE;
    boolean started;
    boolean acted;

    Talk(int number) {
      manner = MANNERS.get(random.nextInt(MANNERS.size()));
      startNs = clock.nanoTime() + random.nextLong(60 * SECOND_NS);
      patienceNs = random.nextLong(20 * SECOND_NS);
      RdmaCmId id = cm.createId(channel, PortSpace.TCP);
      conversation =
          new CmConversation(
              "client " + number + " " + manner,
              id,
              pd,
              context.createCompletionQueue(16),
              findings);
    }

    void start() {
      started = true;
      if (manner == Manner.WAITS_FOR_THE_SERVER) {
        actNs = partNs; // What the server was to end and did not.
      }
      int port = manner == Manner.ASKS_AT_A_CLOSED_PORT ? CmStorm.PORT + 1 : CmStorm.PORT;
      conversation.id.resolveAddress(server, port);
      conversation.id.resolveRoute();
      conversation.id.connect(new ConnectionParameters());
      if (manner == Manner.VANISHES_AFTER_ASKING) {
        actNs = clock.nanoTime() + patienceNs;
      }
    }

    void onEvent(CmEvent event) {
      boolean before = conversation.isConnected();
      conversation.onEvent(event);
      if (!before && conversation.isConnected()) {
        conversation.post();
        if (manner != Manner.WAITS_FOR_THE_SERVER) {
          actNs = clock.nanoTime() + patienceNs;
        }
      }
    }

    boolean act(long nowNs) {
      if (!started && nowNs >= startNs) {
        start();
        return true;
      }
      if (!acted && nowNs >= actNs) {
        acted = true;
        if (manner == Manner.PARTS || manner == Manner.WAITS_FOR_THE_SERVER) {
          if (conversation.isConnected()) {
            conversation.post();
            conversation.id.disconnect();
          }
        } else {
          conversation.closeId();
        }
        return true;
      }
      return false;
    }

    long nextNs() {
      if (!started) {
        return startNs;
      }
      return acted ? Long.MAX_VALUE : actNs;
    }
  }

  private final RdmaContext context;
  private final RdmaCm cm;
  private final CmEventChannel channel;
  private final ProtectionDomain pd;
  private final Gid server;
  private final NanoClock clock;
  private final long partNs;
  private final SplittableRandom random;
  private final Findings findings;
  private final List<Talk> talks = new ArrayList<>();

  /**
   * Draws the conversations.
   *
   * @param partNs when to end what is still connected: the network is whole by then
   */
  CmStormClient(
      RdmaContext context,
      RdmaCm cm,
      Gid server,
      NanoClock clock,
      long partNs,
      SplittableRandom random,
      int conversations,
      Findings findings) {
    this.context = context;
    this.cm = cm;
    this.server = server;
    this.clock = clock;
    this.partNs = partNs;
    this.random = random;
    this.findings = findings;
    channel = cm.createEventChannel();
    pd = context.allocateProtectionDomain();
    for (int i = 0; i < conversations; i++) {
      talks.add(new Talk(i));
    }
  }

  @Override
  public int turn() {
    int work = 0;
    CmEvent event = channel.poll();
    while (event != null) {
      work++;
      talkOf(event.id()).onEvent(event);
      event = channel.poll();
    }
    long nowNs = clock.nanoTime();
    for (Talk talk : talks) {
      work += talk.act(nowNs) ? 1 : 0;
      work += talk.conversation.poll() ? 1 : 0;
    }
    return work;
  }

  private Talk talkOf(RdmaCmId id) {
    for (Talk talk : talks) {
      if (talk.conversation.id == id) {
        return talk;
      }
    }
    throw new IllegalStateException("an event of an id that nobody made");
  }

  @Override
  public long nextTurnNs() {
    long nextNs = Long.MAX_VALUE;
    for (Talk talk : talks) {
      nextNs = Math.min(nextNs, talk.nextNs());
    }
    return nextNs;
  }

  void finish() {
    for (Talk talk : talks) {
      if (!talk.conversation.isOver()) {
        findings.add(talk.conversation.name + ": nothing became of it");
      }
      talk.conversation.finish();
    }
    pd.close();
  }
}
