// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.pingpong;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.endpoint.CounterReport;
import io.roce4j.harness.endpoint.EndpointOptions;
import io.roce4j.harness.endpoint.LiveEndpoint;
import io.roce4j.harness.endpoint.Patience;
import io.roce4j.harness.handshake.PingpongAddress;
import io.roce4j.harness.handshake.ToolChannel;
import io.roce4j.harness.measure.LatencyRecorder;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import java.io.PrintWriter;
import java.util.Locale;

/** One ping-pong, client or server, from the handshake to the last completion. */
final class PingpongRun {
  private static final int PSN_BOUND = 1 << 24;

  /** Longer than the ACK timeout of code 14, 67 ms, and its first retries. */
  private static final long LINGER_NS = 300_000_000;

  private final PingpongPlan plan;
  private final EndpointOptions options;
  private final SeededStreams streams;
  private final PrintWriter text;
  private final LatencyRecorder roundTrips = new LatencyRecorder();
  private final WorkCompletion completion = new WorkCompletion();
  private LiveEndpoint endpoint;
  private PingpongQueue queue;
  private int receivesPosted;
  private long received;
  private long sent;
  private boolean isSending;
  private boolean isAnswerDue;
  private long checked;
  private long lastSendNs;

  PingpongRun(PingpongPlan plan, EndpointOptions options, SeededStreams streams, PrintWriter text) {
    this.plan = plan;
    this.options = options;
    this.streams = streams;
    this.text = text;
  }

  /**
   * Runs it.
   *
   * @return what came of it
   * @throws ToolException when it could not be done
   */
  PingpongResult execute() {
    try (ToolChannel channel =
        plan.isClient()
            ? ToolChannel.connect(plan.host(), plan.port(), options.silenceNs())
            : ToolChannel.accept(plan.port())) {
      return run(channel);
    }
  }

  private PingpongResult run(ToolChannel channel) {
    PingpongQueue opened = null;
    try (LiveEndpoint live = LiveEndpoint.open(options, channel.localAddress(), streams)) {
      endpoint = live;
      int psn = streams.stream("psn").nextInt(PSN_BOUND);
      opened = new PingpongQueue(plan, live, psn);
      queue = opened;
      poisonTarget(); // Now: the client's first message comes when it has our address.
      queue.postReceives(plan.rxDepth());
      receivesPosted = plan.rxDepth();
      return exchange(channel);
    } finally {
      if (opened != null) {
        opened.close();
      }
    }
  }

  private PingpongResult exchange(ToolChannel channel) {
    PingpongAddress local = queue.address(endpoint);
    print("local", local);
    PingpongAddress remote = handshake(channel, local);
    print("remote", remote);
    text.flush();
    // Linux's clients close here, before their first message: the peer says no more by TCP.
    channel.close();
    long startNs = endpoint.clock().nanoTime();
    pingpong();
    long elapsedNs = endpoint.clock().nanoTime() - startNs;
    if (plan.type() == QueuePairType.RC) {
      endpoint.linger(LINGER_NS);
    }
    return new PingpongResult(
        endpoint.portName(),
        local,
        remote,
        plan.mtu(),
        2L * plan.sizeBytes() * plan.iterations(),
        elapsedNs,
        roundTrips,
        checked,
        CounterReport.of(endpoint));
  }

  private PingpongAddress handshake(ToolChannel channel, PingpongAddress local) {
    Patience patience = endpoint.patience();
    if (plan.isClient()) {
      channel.write(local.encode());
      PingpongAddress remote = readAddress(channel, patience);
      queue.connect(endpoint, remote);
      channel.write(PingpongAddress.done());
      return remote;
    }
    PingpongAddress remote = readAddress(channel, patience);
    queue.connect(endpoint, remote);
    channel.write(local.encode());
    channel.read(PingpongAddress.DONE_LENGTH, "closing word", patience);
    return remote;
  }

  private static PingpongAddress readAddress(ToolChannel channel, Patience patience) {
    return PingpongAddress.parse(
        channel.read(PingpongAddress.LENGTH, "pingpong address", patience));
  }

  private void print(String side, PingpongAddress address) {
    text.println(
        String.format(
            Locale.ROOT,
            "  %-15s LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s",
            side + " address:",
            address.lid(),
            address.qpn(),
            address.psn(),
            address.gid().isIpv4() ? "::ffff:" + address.gid() : address.gid().toString()));
  }

  private void pingpong() {
    Patience patience = endpoint.patience();
    isAnswerDue = plan.isClient();
    sendWhenDue();
    while (sent < plan.iterations() || received < plan.iterations()) {
      if (!patience.await(() -> queue.completions().poll(completion))) {
        throw silent();
      }
      do {
        onCompletion();
      } while (queue.completions().poll(completion));
    }
  }

  private void onCompletion() {
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      throw ToolException.check(
          "a "
              + (completion.wrId() == PingpongQueue.SEND ? "send" : "receive")
              + " failed: "
              + WorkCompletionStatus.name(completion.status())
              + " after "
              + received
              + " of "
              + plan.iterations()
              + " messages received"
              + endpoint.silenceCause());
    }
    if (completion.wrId() == PingpongQueue.SEND) {
      sent++;
      isSending = false;
    } else {
      onReceive();
    }
    sendWhenDue();
  }

  private void onReceive() {
    received++;
    receivesPosted--;
    if (lastSendNs != 0) {
      roundTrips.record(endpoint.clock().nanoTime() - lastSendNs);
    }
    long wanted = (long) plan.sizeBytes() + queue.receiveOffset();
    if (completion.byteLength() != wanted) {
      throw ToolException.check(
          "message "
              + received
              + " has "
              + (completion.byteLength() - queue.receiveOffset())
              + " bytes, not "
              + plan.sizeBytes()
              + ": give both sides the same --size");
    }
    if (plan.isChecked()) {
      check();
    }
    if (receivesPosted <= 1) {
      queue.postReceives(plan.rxDepth() - receivesPosted);
      receivesPosted = plan.rxDepth();
    }
    isAnswerDue = true;
  }

  private void check() {
    int wrong =
        PingpongPayload.firstWrong(queue.receiveMemory(), queue.receiveOffset(), plan.sizeBytes());
    if (wrong != PingpongPayload.ALL_GOOD) {
      throw ToolException.check(
          "message "
              + received
              + " is wrong at byte "
              + wrong
              + ": give --chk to both sides, or the data was changed");
    }
    checked++;
    poisonTarget();
  }

  private void poisonTarget() {
    if (plan.isChecked()) {
      PingpongPayload.poison(queue.receiveMemory(), queue.receiveOffset(), plan.sizeBytes());
    }
  }

  private void sendWhenDue() {
    if (isAnswerDue && !isSending && sent < plan.iterations()) {
      isAnswerDue = false;
      isSending = true;
      lastSendNs = endpoint.clock().nanoTime();
      queue.postSend();
    }
  }

  private ToolException silent() {
    String lost =
        plan.type() == QueuePairType.RC
            ? ""
            : "; " + QueuePairType.name(plan.type()) + " does not send again what was lost";
    return ToolException.check(
        "the peer was silent for "
            + options.silenceNs() / 1_000_000
            + " ms after "
            + received
            + " of "
            + plan.iterations()
            + " messages"
            + lost
            + endpoint.silenceCause());
  }
}
