// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.verbs.RdmaContext;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.wire.cm.RejectReason;
import io.roce4j.wire.ip.Gid;
import java.util.Arrays;
import java.util.function.Consumer;

/** The side that connects and offers its text. Small steps; never waits. */
final class RpingClient implements RpingSide {
  private enum Step {
    CONNECTING,
    TEXT_OFFERED,
    SINK_OFFERED,
    PARTING,
    DONE
  }

  private final RpingPlan plan;
  private final RdmaContext context;
  private final CmEventChannel channel;
  private final RdmaCmId id;
  private final Consumer<String> display;
  private RpingLink link;
  private Step step = Step.CONNECTING;
  private String fault;
  private boolean spokeMx;
  private int iteration;
  private byte[] text;

  /**
   * Begins to connect.
   *
   * @param display gets a line an iteration
   */
  RpingClient(RpingPlan plan, RdmaContext context, RdmaCm cm, Gid peer, Consumer<String> display) {
    this.plan = plan;
    this.context = context;
    this.display = display;
    channel = cm.createEventChannel();
    id = cm.createId(channel, PortSpace.TCP);
    id.resolveAddress(peer, plan.port());
  }

  @Override
  public boolean turn() {
    CmEvent event = channel.poll();
    if (event != null) {
      try {
        onEvent(event);
      } catch (VerbsException e) {
        fail(e.getMessage());
      }
      return true;
    }
    return link != null && onCompletion();
  }

  private void onEvent(CmEvent event) {
    switch (event.type()) {
      case ADDR_RESOLVED -> id.resolveRoute();
      case ROUTE_RESOLVED -> {
        link = new RpingLink(context, id, plan.size(), plan.transport());
        id.connect(new ConnectionParameters().responderResources(1).initiatorDepth(1));
      }
      case ESTABLISHED -> {
        spokeMx = link.speaksMx();
        offerText();
      }
      case ADDR_ERROR -> fail("no way leads to the server");
      case UNREACHABLE -> fail("the server does not answer");
      case REJECTED ->
          fail(
              "the server rejected the connection: "
                  + RejectReason.name(event.status())
                  + (event.status() == RejectReason.INVALID_SERVICE_ID
                      ? " (nobody listens at port " + plan.port() + ")"
                      : ""));
      case CONNECT_ERROR -> fail("the connection could not be made: errno " + event.status());
      case DISCONNECTED -> {
        if (step == Step.PARTING) {
          step = Step.DONE;
        } else {
          fail("the server has disconnected");
        }
      }
      case TIMEWAIT_EXIT, CONNECT_REQUEST -> {
        // Nothing hangs on it.
      }
    }
  }

  private void offerText() {
    text = RpingText.of(iteration, plan.size());
    link.put(0, text);
    link.sendBuffer(0);
    step = Step.TEXT_OFFERED;
  }

  private boolean onCompletion() {
    int opcode = link.poll();
    if (link.fault() != null && step != Step.PARTING && step != Step.DONE) {
      fail(link.fault());
      return true;
    }
    if (opcode == WorkCompletionOpcode.RECV && link.isMessageGood()) {
      link.receive();
      onMessage();
    }
    return opcode >= 0;
  }

  private void onMessage() {
    if (step == Step.TEXT_OFFERED) {
      step = Step.SINK_OFFERED;
      link.sendBuffer(1);
    } else if (step == Step.SINK_OFFERED) {
      finishIteration();
    } else {
      fail("the server spoke out of turn");
    }
  }

  private void finishIteration() {
    byte[] back = link.get(1);
    if (plan.verify() && !Arrays.equals(back, text)) {
      int at = Arrays.mismatch(back, text);
      fail(
          "data mismatch in iteration "
              + iteration
              + " at byte "
              + at
              + ": "
              + (text[at] & 0xFF)
              + " went out, "
              + (back[at] & 0xFF)
              + " came back");
      return;
    }
    if (plan.verbose()) {
      display.accept("ping data: " + RpingText.toString(back));
    }
    iteration++;
    if (plan.count() == 0 || iteration < plan.count()) {
      offerText();
    } else {
      step = Step.PARTING;
      id.disconnect();
    }
  }

  private void fail(String reason) {
    if (fault == null) {
      fault = reason;
      step = Step.DONE;
    }
  }

  @Override
  public boolean isDone() {
    return step == Step.DONE;
  }

  @Override
  public String fault() {
    return fault;
  }

  @Override
  public long iterations() {
    return iteration;
  }

  @Override
  public String transport() {
    return spokeMx ? "mx" : "rc";
  }

  @Override
  public void stop() {
    if (step != Step.DONE) {
      step = Step.DONE;
    }
  }

  @Override
  public void close() {
    id.close();
    if (link != null) {
      link.close();
      link = null;
    }
  }
}
