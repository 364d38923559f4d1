// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.verbs.AsyncEvent;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;

/** Completion queues: making, polling, events. */
final class CompletionVerbs {
  /** Completions of one answer, so that it fits a line. */
  private static final int POLL_MAX = 32_768;

  private final DutSession session;
  private final WorkCompletion completion = new WorkCompletion();

  CompletionVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add("create_cq", this::createCq, "cqe");
    verbs.add("destroy_cq", this::destroyCq, "cq");
    verbs.add("req_notify_cq", this::reqNotifyCq, "cq", "solicitedOnly");
    verbs.add("get_cq_events", this::getCqEvents, "cq");
    verbs.add("poll_cq", this::pollCq, "cq", "max");
  }

  private void createCq(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    int entries = request.integer("cqe");
    answer.put("cq", endpoint.cqs.add(endpoint.context().createCompletionQueue(entries)));
  }

  private void destroyCq(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    CompletionQueue queue = endpoint.cqs.get(request);
    queue.close();
    endpoint.cqs.remove(request);
    endpoint.forgetEvents(AsyncEvent.COMPLETION_QUEUE, queue.number());
  }

  private void reqNotifyCq(Fields request, ObjectNode answer) {
    CompletionQueue queue = session.endpoint().cqs.get(request);
    queue.requestNotify(request.flag("solicitedOnly", false));
  }

  private void getCqEvents(Fields request, ObjectNode answer) {
    answer.put("events", session.endpoint().cqs.get(request).takeEvents());
  }

  private void pollCq(Fields request, ObjectNode answer) {
    CompletionQueue queue = session.endpoint().cqs.get(request);
    int max = request.integer("max", POLL_MAX);
    if (max < 0) {
      throw DutException.invalid("max " + max + ": at least 0");
    }
    ArrayNode completions = answer.putArray("completions");
    while (completions.size() < Math.min(max, POLL_MAX) && queue.poll(completion)) {
      put(completions.addObject());
    }
  }

  private void put(ObjectNode target) {
    putUnsigned(target, "wrId", completion.wrId());
    target.put("status", WorkCompletionStatus.name(completion.status()));
    target.put("vendorErr", completion.vendorError());
    target.put("qpNum", completion.qpNum());
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      return;
    }
    target.put("opcode", WorkCompletionOpcode.name(completion.opcode()));
    target.put("byteLen", completion.byteLength());
    target.put("srcQp", completion.srcQp());
    target.put("immData", Integer.toUnsignedLong(completion.immediate()));
    target.put("invalidatedRkey", Words.hex(completion.invalidatedRkey()));
    Words.putCompletionFlags(target.putArray("wcFlags"), completion.flags());
    if (completion.networkType() != 0) {
      boolean ipv4 = completion.networkType() == WorkCompletion.NETWORK_IPV4;
      target.put("networkType", ipv4 ? "IPV4" : "IPV6");
      target.put("pkeyIndex", completion.pkeyIndex());
    }
  }

  private static void putUnsigned(ObjectNode target, String name, long value) {
    if (value >= 0) {
      target.put(name, value);
    } else {
      target.put(name, new java.math.BigInteger(Long.toUnsignedString(value)));
    }
  }
}
