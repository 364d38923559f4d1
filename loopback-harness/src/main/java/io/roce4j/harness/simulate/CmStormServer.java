// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.sim.SimApplication;
import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.CmEventType;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.NanoClock;

/** The side that is asked: accepts, late or at once, rejects, forgets, vanishes. */
final class CmStormServer implements SimApplication {
  private static final long SECOND_NS = 1_000_000_000;
  private static final List<Manner> MANNERS = List.of(Manner.values());

  /** What the server does with a request. */
  private enum Manner {
    ACCEPTS,
    ACCEPTS_AND_PARTS,
    ACCEPTS_LATE,
    ASKS_FOR_TIME,
    REJECTS,
    VANISHES,
    VANISHES_AFTER_ACCEPTING
  }

  private final class Talk {
    final CmConversation conversation;
    final Manner manner;
    final long patienceNs = random.nextLong(30 * SECOND_NS);
    long actNs;
    boolean answered;
    boolean acted;
    boolean gone;

    Talk(int number, RdmaCmId id) {
      manner = MANNERS.get(random.nextInt(MANNERS.size()));
      conversation =
          new CmConversation(
              "server " + number + " " + manner,
              id,
              pd,
              context.createCompletionQueue(16),
              findings);
      boolean late = manner == Manner.ACCEPTS_LATE || manner == Manner.ASKS_FOR_TIME;
      actNs = clock.nanoTime() + (late ? patienceNs : 0);
      if (manner == Manner.ASKS_FOR_TIME) {
        id.needTime(22);
      }
    }

    void onEvent(CmEvent event) {
      boolean before = conversation.isConnected();
      conversation.onEvent(event);
      if (event.type() == CmEventType.REJECTED || event.type() == CmEventType.UNREACHABLE) {
        gone = true;
      }
      if (!before && conversation.isConnected() && manner == Manner.ACCEPTS_AND_PARTS) {
        actNs = clock.nanoTime() + patienceNs;
      }
    }

    boolean act(long nowNs) {
      if (nowNs < actNs || acted) {
        return false;
      }
      actNs = Long.MAX_VALUE;
      if (!answered) {
        answered = true;
        answer();
      } else {
        acted = true;
        if (conversation.isConnected()) {
          conversation.post();
          conversation.id.disconnect();
        }
      }
      return true;
    }

    private void answer() {
      if (gone) {
        return; // The client has given up.
      }
      try {
        switch (manner) {
          case REJECTS -> {
            conversation.id.reject((byte) 1);
            conversation.closeId();
          }
          case VANISHES -> conversation.closeId();
          case VANISHES_AFTER_ACCEPTING -> {
            conversation.id.accept(new ConnectionParameters());
            conversation.closeId();
          }
          default -> conversation.id.accept(new ConnectionParameters());
        }
      } catch (VerbsException e) {
        findings.add(conversation.name + ": " + e.getMessage());
      }
    }
  }

  private final RdmaContext context;
  private final CmEventChannel channel;
  private final ProtectionDomain pd;
  private final NanoClock clock;
  private final SplittableRandom random;
  private final Findings findings;
  private final List<Talk> talks = new ArrayList<>();
  private final RdmaCmId listener;

  CmStormServer(
      RdmaContext context, RdmaCm cm, NanoClock clock, SplittableRandom random, Findings findings) {
    this.context = context;
    this.clock = clock;
    this.random = random;
    this.findings = findings;
    channel = cm.createEventChannel();
    pd = context.allocateProtectionDomain();
    listener = cm.createId(channel, PortSpace.TCP);
    listener.bindAddress(null, CmStorm.PORT);
    listener.listen(0);
  }

  @Override
  public int turn() {
    int work = 0;
    CmEvent event = channel.poll();
    while (event != null) {
      work++;
      if (event.type() == CmEventType.CONNECT_REQUEST) {
        talks.add(new Talk(talks.size(), event.id()));
      } else {
        talkOf(event.id()).onEvent(event);
      }
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
    throw new IllegalStateException("an event of an id that nobody announced");
  }

  @Override
  public long nextTurnNs() {
    long nextNs = Long.MAX_VALUE;
    for (Talk talk : talks) {
      nextNs = Math.min(nextNs, talk.actNs);
    }
    return nextNs;
  }

  /** Requests that were announced. */
  int requests() {
    return talks.size();
  }

  void finish() {
    listener.close();
    for (Talk talk : talks) {
      talk.conversation.finish();
    }
    pd.close();
  }
}
