// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.perftest;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.EndpointOptions;
import io.roce4j.harness.endpoint.LiveEndpoint;
import io.roce4j.harness.endpoint.Patience;
import io.roce4j.harness.handshake.PerftestHandshake;
import io.roce4j.harness.handshake.PerftestHandshake.Terms;
import io.roce4j.harness.handshake.PerftestKey;
import io.roce4j.harness.handshake.ToolChannel;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.QueuePairType;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;

/** One test, client or server: the exchanges in the [oob 4.1], with the runs in their places. */
final class PerftestRun {
  /** Longer than the ACK timeout of code 14, 67 ms, and its first retries. */
  private static final long LINGER_NS = 300_000_000;

  private final PerftestPlan plan;
  private final EndpointOptions options;
  private final SeededStreams streams;
  private final PerftestReporter reporter;

  PerftestRun(
      PerftestPlan plan,
      EndpointOptions options,
      SeededStreams streams,
      PerftestReporter reporter) {
    this.plan = plan;
    this.options = options;
    this.streams = streams;
    this.reporter = reporter;
  }

  /**
   * Runs it.
   *
   * @throws ToolException when it could not be done
   */
  void execute() {
    if (!plan.isClient()) {
      reporter.onWaiting();
    }
    try (ToolChannel channel =
            plan.isClient()
                ? ToolChannel.connect(plan.host(), plan.port(), options.silenceNs())
                : ToolChannel.accept(plan.port());
        LiveEndpoint endpoint = LiveEndpoint.open(options, channel.localAddress(), streams)) {
      run(channel, endpoint);
    }
  }

  private void run(ToolChannel channel, LiveEndpoint endpoint) {
    Patience alone = Patience.withoutEndpoint(options.silenceNs(), SystemNanoClock.INSTANCE);
    PerftestHandshake handshake = new PerftestHandshake(channel, plan.isClient(), alone);
    int ownMtu = mtu(endpoint);
    handshake.patience(endpoint.patience());
    Terms terms = handshake.agree(ownMtu);
    PerftestPlan fitted = fitted(terms);
    PerftestSession session = new PerftestSession(fitted, endpoint, handshake, terms, streams);
    try {
      test(session);
      reporter.onEnd(endpoint);
    } finally {
      // The endpoint must not touch memory that is gone.
      endpoint.close();
      session.close();
    }
  }

  private int mtu(LiveEndpoint endpoint) {
    int active = endpoint.context().queryPort().activeMtuBytes();
    if (plan.mtu() > active) {
      throw ToolException.usage(
          "--mtu "
              + plan.mtu()
              + ": this interface has an active RoCE MTU of "
              + active
              + ": raise the interface's MTU, or give --mtu "
              + active);
    }
    return plan.mtu() == 0 ? active : plan.mtu();
  }

  /** A datagram is one packet: larger sizes become the path MTU. */
  private PerftestPlan fitted(Terms terms) {
    if (plan.type() != QueuePairType.UD || plan.largestBytes() <= terms.mtuBytes()) {
      return plan;
    }
    reporter.onSizeReduced(terms.mtuBytes());
    return plan.withDatagrams(terms.mtuBytes());
  }

  private void test(PerftestSession session) {
    PerftestTool tool = plan.tool();
    if (tool.isLatency() && !tool.isSend()) {
      session.meet();
    }
    List<PerftestKey> peers = session.connect();
    if (tool.isSend()) {
      session.meet();
    }
    session.confirm();
    reporter.onConnected(session, peers);
    if (tool.isLatency()) {
      runLatency(session);
    } else {
      BandwidthRuns runs = new BandwidthRuns(session, reporter.isGigaBits(), reporter::onResult);
      if (tool.isSend()) {
        runs.runSends();
      } else {
        runs.runRequests();
      }
      session.handshake().finish();
    }
  }

  private void runLatency(PerftestSession session) {
    PerftestTool tool = plan.tool();
    if (tool.isSend()) {
      for (PerftestQueue queue : session.queues()) {
        for (int i = 0; i < plan.rxDepth(); i++) {
          queue.postReceive();
        }
      }
    } else {
      session.meet();
    }
    if (plan.isRequester()) {
      for (long size : session.plan().sizesBytes()) {
        if (tool.isSend()) {
          session.meet();
        }
        reporter.onResult(new LatencyRun(session, size).execute());
      }
    }
    if (tool.verb() == PerftestTool.Verb.WRITE) {
      session.endpoint().linger(LINGER_NS); // Nobody says by TCP that the last WRITE has come.
      return;
    }
    session.meet();
    session.handshake().finish();
  }
}
