// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.util.Set;

/** Posting: post_recv and post_send. */
final class WorkVerbs {
  private static final Set<String> SEND_FIELDS =
      Set.of(
          "wrId",
          "opcode",
          "sendFlags",
          "sgList",
          "immData",
          "invalidateRkey",
          "remoteAddr",
          "rkey",
          "compareAdd",
          "swap",
          "ah",
          "remoteQpn",
          "remoteQkey",
          "mw",
          "mr",
          "addr",
          "length",
          "access");

  private final DutSession session;

  WorkVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add("post_recv", this::postRecv, "qp", "wrs");
    verbs.add("post_send", this::postSend, "qp", "wrs");
  }

  private void postRecv(Fields request, ObjectNode answer) {
    QueuePair qp = session.endpoint().qps.get(request);
    WorkList.ofReceives(request).post(qp::postReceive);
  }

  private void postSend(Fields request, ObjectNode answer) {
    QueuePair qp = session.endpoint().qps.get(request);
    WorkList.of(request, SendRequest[]::new, this::send).post(qp::postSend);
  }

  private SendRequest send(Fields given) {
    given.only(SEND_FIELDS);
    SendRequest request = new SendRequest();
    int opcode = Words.opcode(given);
    request.wrId(given.word64("wrId", 0)).opcode(opcode).flags(Words.sendFlags(given));
    for (Fields sge : given.objects("sgList")) {
      sge.only(WorkList.sgeFields());
      request.sge(sge.word64("addr"), sge.size("length"), sge.word32("lkey", 0));
    }
    request.immediate(given.word32("immData", 0));
    request.invalidate(given.word32("invalidateRkey", 0));
    request.atomic(given.word64("compareAdd", 0), given.word64("swap", 0));
    if (opcode == WorkRequestOpcode.BIND_MW) {
      bind(given, request);
      return request;
    }
    request.remote(given.word64("remoteAddr", 0), given.word32("rkey", 0));
    if (given.has("ah")) {
      request.datagram(
          session.endpoint().ahs.get(given),
          given.integer("remoteQpn", 0),
          given.word32("remoteQkey", 0));
    }
    return request;
  }

  private void bind(Fields given, SendRequest request) {
    DutEndpoint endpoint = session.endpoint();
    MemoryWindow window = endpoint.mws.get(given);
    request.bind(
        window,
        given.word32("rkey", window.nextRkey()),
        endpoint.mrs.get(given).region(),
        given.word64("addr"),
        given.size("length"),
        Words.access(given, "access"));
  }
}
