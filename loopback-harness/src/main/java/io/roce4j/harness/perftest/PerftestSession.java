// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.CompletionSource;
import io.roce4j.harness.endpoint.LiveEndpoint;
import io.roce4j.harness.handshake.PerftestHandshake;
import io.roce4j.harness.handshake.PerftestHandshake.Terms;
import io.roce4j.harness.handshake.PerftestKey;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Everything a test works with: endpoint, handshake, memory, queue pairs, completions. */
final class PerftestSession implements AutoCloseable {
  private static final int PSN_BOUND = 1 << 24;

  private final PerftestPlan plan;
  private final LiveEndpoint endpoint;
  private final PerftestHandshake handshake;
  private final Terms terms;
  private final PerftestMemory memory;
  private final CompletionSource sends;
  private final CompletionSource receives;
  private final List<PerftestQueue> queues = new ArrayList<>();
  private final List<PerftestKey> keys = new ArrayList<>();

  PerftestSession(
      PerftestPlan plan,
      LiveEndpoint endpoint,
      PerftestHandshake handshake,
      Terms terms,
      SeededStreams streams) {
    this.plan = plan;
    this.endpoint = endpoint;
    this.handshake = handshake;
    this.terms = terms;
    memory = new PerftestMemory(plan, terms);
    ProtectionDomain domain = endpoint.context().allocateProtectionDomain();
    memory.register(domain, plan.tool().verb());
    int qps = plan.queuePairs();
    boolean events = plan.isEventDriven();
    sends = CompletionSource.create(endpoint.context(), qps * plan.txDepth() + 1, events);
    receives = CompletionSource.create(endpoint.context(), qps * plan.rxDepth() + 1, events);
    SplittableRandom psns = streams.stream("psn");
    for (int i = 0; i < qps; i++) {
      QueuePairSettings settings =
          new QueuePairSettings()
              .type(plan.type())
              .sendCq(sends.queue())
              .recvCq(receives.queue())
              .maxSendWr(plan.txDepth())
              .maxRecvWr(plan.isReceiver() ? plan.rxDepth() : 0)
              .maxInlineData(plan.inlineBytes())
              .congestion(endpoint.congestion())
              .congestionParameters(endpoint.congestionParameters());
      PerftestQueue queue =
          new PerftestQueue(plan, memory, i, psns.nextInt(PSN_BOUND), domain, settings);
      queues.add(queue);
      keys.add(queue.key(endpoint.gid()));
    }
  }

  PerftestPlan plan() {
    return plan;
  }

  LiveEndpoint endpoint() {
    return endpoint;
  }

  PerftestHandshake handshake() {
    return handshake;
  }

  Terms terms() {
    return terms;
  }

  PerftestMemory memory() {
    return memory;
  }

  List<PerftestQueue> queues() {
    return queues;
  }

  /** Our queue pairs, as the peer is told. */
  List<PerftestKey> keys() {
    return keys;
  }

  CompletionSource sends() {
    return sends;
  }

  CompletionSource receives() {
    return receives;
  }

  /** The first exchange of queue pairs, and the connection of each; returns the peer's. */
  List<PerftestKey> connect() {
    List<PerftestKey> peers = handshake.exchangeKeys(keys);
    for (int i = 0; i < peers.size(); i++) {
      PerftestKey peer = peers.get(i);
      queues.get(i).connect(peer, endpoint.addressOf(peer.gid()), terms.mtuBytes());
    }
    return peers;
  }

  /** The second exchange of queue pairs, after which both are connected. */
  void confirm() {
    handshake.exchangeKeys(keys);
  }

  /** Waits for the peer. */
  void meet() {
    handshake.meet(keys.getFirst());
  }

  /** Ends the test when a completion is an error. */
  void requireSuccess(WorkCompletion completion, String what, long done) {
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      throw ToolException.check(
          "a "
              + what
              + " completed with "
              + WorkCompletionStatus.name(completion.status())
              + " (status "
              + completion.status()
              + ") after "
              + done
              + " good ones"
              + endpoint.silenceCause());
    }
  }

  /** The line when nothing comes any more. */
  ToolException silence(String limit, String progress) {
    String lost =
        plan.type() == QueuePairType.RC
            ? ""
            : "; " + QueuePairType.name(plan.type()) + " does not send again what was lost";
    return ToolException.check(
        "the peer was silent for " + limit + " after " + progress + lost + endpoint.silenceCause());
  }

  @Override
  public void close() {
    // What belongs to the context is closed with the endpoint, before this.
    memory.close();
  }
}
