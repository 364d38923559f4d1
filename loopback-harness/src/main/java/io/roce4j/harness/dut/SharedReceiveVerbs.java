// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.verbs.AsyncEvent;
import io.roce4j.transport.verbs.SharedReceiveQueue;

/** Shared receive queues. */
final class SharedReceiveVerbs {
  private final DutSession session;

  SharedReceiveVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add("create_srq", this::createSrq, "pd", "maxWr", "maxSge");
    verbs.add("modify_srq", this::modifySrq, "srq", "srqLimit");
    verbs.add("query_srq", this::querySrq, "srq");
    verbs.add("post_srq_recv", this::postSrqRecv, "srq", "wrs");
    verbs.add("destroy_srq", this::destroySrq, "srq");
  }

  private void createSrq(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    SharedReceiveQueue queue =
        endpoint
            .pds
            .get(request)
            .createSharedReceiveQueue(request.integer("maxWr"), request.integer("maxSge", 1));
    answer.put("srq", endpoint.srqs.add(queue));
  }

  private void modifySrq(Fields request, ObjectNode answer) {
    session.endpoint().srqs.get(request).modify(request.integer("srqLimit"));
  }

  private void querySrq(Fields request, ObjectNode answer) {
    SharedReceiveQueue queue = session.endpoint().srqs.get(request);
    answer.put("srqLimit", queue.queryLimit());
    answer.put("maxWr", queue.maxWr());
    answer.put("maxSge", queue.maxSge());
  }

  private void postSrqRecv(Fields request, ObjectNode answer) {
    SharedReceiveQueue queue = session.endpoint().srqs.get(request);
    WorkList.ofReceives(request).post(queue::postReceive);
  }

  private void destroySrq(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    SharedReceiveQueue queue = endpoint.srqs.get(request);
    queue.close();
    endpoint.srqs.remove(request);
    endpoint.forgetEvents(AsyncEvent.SHARED_RECEIVE_QUEUE, queue.number());
  }
}
