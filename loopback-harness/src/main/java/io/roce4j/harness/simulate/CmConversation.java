// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.simulate;

import io.roce4j.harness.check.Findings;
import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventType;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.ReceiveRequest;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkRequestOpcode;

/**
 * One id of either side in a storm of connection management, with what has to hold for its events:
 * one outcome, then at most one end, then at most one return of its numbers, then silence.
 */
final class CmConversation {
  private enum Told {
    NOTHING,
    OUTCOME,
    CONNECTED,
    ENDED,
    OVER
  }

  private static final long RECEIVE = Long.MAX_VALUE;

  final String name;
  final RdmaCmId id;
  final QueuePair queuePair;
  private final CompletionQueue cq;
  private final Findings findings;
  private final WorkCompletion completion = new WorkCompletion();
  private Told told = Told.NOTHING;
  private boolean closed;
  private int posted;
  private int completed;

  /** Makes the queue pair; the id is asked or asks later. */
  CmConversation(
      String name, RdmaCmId id, ProtectionDomain pd, CompletionQueue cq, Findings found) {
    this.name = name;
    this.id = id;
    this.cq = cq;
    this.findings = found;
    this.queuePair =
        id.createQueuePair(
            pd,
            new QueuePairSettings()
                .type(QueuePairType.RC)
                .sendCq(cq)
                .recvCq(cq)
                .maxSendWr(4)
                .maxRecvWr(4));
    for (int i = 0; i < 4; i++) {
      int result = queuePair.postReceive(new ReceiveRequest().wrId(RECEIVE));
      if (result != PostResult.OK) {
        findings.add(name + ": a receive was refused: " + PostResult.name(result));
      }
    }
  }

  /** Judges an event of this id. */
  void onEvent(CmEvent event) {
    CmEventType type = event.type();
    if (closed) {
      findings.add(name + ": " + event + " after it was closed");
    }
    switch (type) {
      case ADDR_RESOLVED, ROUTE_RESOLVED -> {
        // Steps of the program itself.
      }
      case ESTABLISHED -> {
        step(event, Told.NOTHING, Told.CONNECTED);
        // Late by one message, the peer may have ended it already: then the end follows.
        int state = queuePair.state();
        if (state != QueuePairState.RTS && state != QueuePairState.ERR) {
          findings.add(name + ": connected in state " + QueuePairState.name(state));
        }
      }
      case REJECTED, UNREACHABLE, CONNECT_ERROR -> step(event, Told.NOTHING, Told.OUTCOME);
      case DISCONNECTED -> {
        // A passive side may hear of the end before it hears that the peer was ready.
        if (told != Told.NOTHING) {
          step(event, Told.CONNECTED, Told.ENDED);
        }
        told = Told.ENDED;
      }
      case TIMEWAIT_EXIT -> {
        if (told != Told.ENDED && told != Told.OUTCOME) {
          findings.add(name + ": " + event + " when it was " + told);
        }
        told = Told.OVER;
      }
      default -> findings.add(name + ": unexpected " + event);
    }
  }

  private void step(CmEvent event, Told before, Told after) {
    if (told != before) {
      findings.add(name + ": " + event + " when it was " + told);
    }
    told = after;
  }

  boolean isConnected() {
    return told == Told.CONNECTED && !closed;
  }

  boolean isClosed() {
    return closed;
  }

  /** Whether nothing more is to come of a connection that its program leaves alone. */
  boolean isOver() {
    return closed || told == Told.OVER || told == Told.OUTCOME || told == Told.ENDED;
  }

  void closeId() {
    closed = true;
    id.close();
  }

  /** Posts an empty SEND, which completes in one way or another. */
  void post() {
    int result =
        queuePair.postSend(
            new SendRequest().opcode(WorkRequestOpcode.SEND).signaled(true).wrId(posted));
    if (result == PostResult.OK) {
      posted++;
    }
  }

  /** Takes completions; false when there was none. */
  boolean poll() {
    boolean any = false;
    while (cq.poll(completion)) {
      any = true;
      completed += completion.wrId() == RECEIVE ? 0 : 1;
    }
    return any;
  }

  /** The run is over: what must be so. */
  void finish() {
    poll();
    if (completed != posted) {
      findings.add(name + ": " + posted + " work requests, " + completed + " completions");
    }
    int state = queuePair.state();
    if (state == QueuePairState.RTR || state == QueuePairState.RTS) {
      findings.add(name + ": half open, its queue pair is in " + QueuePairState.name(state));
    }
    queuePair.close();
    cq.close();
  }
}
