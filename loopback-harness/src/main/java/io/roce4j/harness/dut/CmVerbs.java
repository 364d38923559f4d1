// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventType;
import io.roce4j.transport.cm.ConnectionParameters;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.wire.ip.Gid;
import java.util.HexFormat;

/** The connection manager: cm_listen, cm_connect, cm_accept, cm_reject, cm_events and the end. */
final class CmVerbs {
  private final DutSession session;

  CmVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add("cm_listen", this::listen, "address", "port", "backlog", "portSpace");
    verbs.add(
        "cm_connect",
        this::connect,
        "address",
        "port",
        "portSpace",
        "qp",
        "privateData",
        "responderResources",
        "initiatorDepth",
        "retryCount",
        "rnrRetryCount");
    verbs.add(
        "cm_accept",
        this::accept,
        "cmId",
        "qp",
        "privateData",
        "responderResources",
        "initiatorDepth",
        "rnrRetryCount");
    verbs.add("cm_reject", this::reject, "cmId", "privateData");
    verbs.add("cm_disconnect", this::disconnect, "cmId");
    verbs.add("cm_destroy", this::destroy, "cmId");
    verbs.add("cm_events", this::events);
  }

  private void listen(Fields request, ObjectNode answer) {
    DutCm cm = session.endpoint().cm();
    Gid address = request.has("address") ? gid(request) : null;
    int port = request.integer("port");
    int backlog = request.integer("backlog", 0);
    RdmaCmId id = cm.createId(portSpace(request));
    try {
      id.bindAddress(address, port);
      id.listen(backlog);
    } catch (RuntimeException e) {
      id.close();
      throw e;
    }
    answer.put("cmId", cm.ids.add(id));
  }

  private void connect(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    DutCm cm = endpoint.cm();
    Gid address = gid(request);
    int port = request.integer("port");
    ConnectionParameters parameters = parameters(request);
    RdmaCmId id = cm.createId(portSpace(request));
    try {
      id.resolveAddress(address, port);
      if (cm.takeResolution(id) == CmEventType.ADDR_ERROR) {
        throw new DutException("EHOSTUNREACH", "address " + address + ": no way leads there");
      }
      id.resolveRoute();
      cm.takeResolution(id);
      id.queuePair(endpoint.qps.get(request));
      id.connect(parameters);
    } catch (RuntimeException e) {
      id.close();
      throw e;
    }
    answer.put("cmId", cm.ids.add(id));
  }

  private void accept(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    RdmaCmId id = endpoint.cm().ids.get(request);
    ConnectionParameters parameters = parameters(request);
    id.queuePair(endpoint.qps.get(request));
    id.accept(parameters);
  }

  private void reject(Fields request, ObjectNode answer) {
    session.endpoint().cm().ids.get(request).reject(privateData(request));
  }

  private void disconnect(Fields request, ObjectNode answer) {
    session.endpoint().cm().ids.get(request).disconnect();
  }

  private void destroy(Fields request, ObjectNode answer) {
    DutCm cm = session.endpoint().cm();
    cm.destroy(cm.ids.get(request));
    cm.ids.remove(request);
  }

  private void events(Fields request, ObjectNode answer) {
    DutCm cm = session.endpoint().cm();
    ArrayNode events = answer.putArray("events");
    for (CmEvent event : cm.takeEvents()) {
      ObjectNode one = events.addObject();
      one.put("event", event.type().name());
      one.put("cmId", cm.handleOf(event.id()));
      if (event.listenId() != null) {
        one.put("listenId", cm.handleOf(event.listenId()));
      }
      one.put("status", event.status());
      one.put("privateData", HexFormat.of().formatHex(event.privateData()));
      CmEvent.Parameters said = event.parameters();
      ObjectNode param = one.putObject("param");
      param.put("responderResources", said.responderResources());
      param.put("initiatorDepth", said.initiatorDepth());
      param.put("retryCount", said.retryCount());
      param.put("rnrRetryCount", said.rnrRetryCount());
      param.put("srq", said.srq());
      param.put("qpNum", said.qpNum());
      if (event.id().portSpace() == PortSpace.UDP) {
        param.put("qkey", Integer.toUnsignedLong(said.qkey()));
      }
    }
  }

  private static ConnectionParameters parameters(Fields request) {
    ConnectionParameters usual = new ConnectionParameters();
    try {
      return new ConnectionParameters()
          .privateData(privateData(request))
          .responderResources(request.integer("responderResources", usual.responderResources()))
          .initiatorDepth(request.integer("initiatorDepth", usual.initiatorDepth()))
          .retryCount(request.integer("retryCount", usual.retryCount()))
          .rnrRetryCount(request.integer("rnrRetryCount", usual.rnrRetryCount()));
    } catch (IllegalArgumentException e) {
      throw DutException.invalid(e.getMessage());
    }
  }

  private static byte[] privateData(Fields request) {
    return request.has("privateData") ? request.hex("privateData") : new byte[0];
  }

  private static PortSpace portSpace(Fields request) {
    String name = request.text("portSpace", PortSpace.TCP.name());
    for (PortSpace space : PortSpace.values()) {
      if (space.name().equals(name)) {
        return space;
      }
    }
    throw DutException.invalid("portSpace " + name + ": allowed TCP UDP IB");
  }

  private static Gid gid(Fields request) {
    try {
      return Gid.parse(request.text("address"));
    } catch (IllegalArgumentException e) {
      throw DutException.invalid("address " + e.getMessage());
    }
  }
}
