// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.multipath.MxPaths;
import io.roce4j.multipath.PathState;
import java.util.Locale;

/** The paths of an MX queue pair: mx_paths and mx_set_path. */
final class MultipathVerbs {
  private final DutSession session;

  MultipathVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add("mx_paths", this::paths, "qp");
    verbs.add("mx_set_path", this::setPath, "qp", "path", "state", "udpSport");
  }

  private void paths(Fields request, ObjectNode answer) {
    ArrayNode paths = answer.putArray("paths");
    for (MxPaths.Reading reading : MxPaths.of(session.endpoint().qps.get(request)).read()) {
      ObjectNode path = paths.addObject();
      path.put("id", reading.id());
      path.put("epoch", reading.epoch());
      path.put("udpSport", reading.sourcePort());
      path.put("state", PathState.name(reading.state()).toUpperCase(Locale.ROOT));
      path.put("cwnd", reading.windowBytes());
      path.put("srttNs", reading.smoothedRttNs());
      path.put("inFlight", reading.inflightBytes());
    }
  }

  private void setPath(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    MxPaths paths = MxPaths.of(endpoint.qps.get(request));
    int path = request.integer("path");
    if (request.has("state") == request.has("udpSport")) {
      throw DutException.badField("mx_set_path takes a state or a udpSport");
    }
    if (request.has("state")) {
      paths.setState(path, state(request.text("state")), endpoint.nowNs());
    } else {
      paths.moveTo(path, AddressVerbs.sourcePort(request), endpoint.nowNs());
    }
  }

  private static int state(String name) {
    for (int state = PathState.ACTIVE; state <= PathState.DISABLED; state++) {
      if (PathState.name(state).equalsIgnoreCase(name)) {
        return state;
      }
    }
    throw DutException.invalid("state " + name + ": allowed ACTIVE DRAIN DISABLED");
  }
}
