// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.transport.verbs.AddressHandle;
import io.roce4j.transport.verbs.AddressVector;
import io.roce4j.wire.ip.Gid;
import java.util.Arrays;
import java.util.Set;

/** Address handles and multicast groups, and addresses in requests and answers. */
final class AddressVerbs {
  private static final String[] FIELDS = {
    "destination", "trafficClass", "flowLabel", "hopLimit", "udpSport"
  };

  private static final int PORT_MAX = 0xFFFF;

  private final DutSession session;

  AddressVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    String[] createAh = Arrays.copyOf(FIELDS, FIELDS.length + 2);
    createAh[FIELDS.length] = "pd";
    createAh[FIELDS.length + 1] = "ahAttr";
    verbs.add("create_ah", this::createAh, createAh);
    verbs.add("destroy_ah", this::destroyAh, "ah");
    verbs.add("attach_mcast", this::attachMcast, "qp", "group");
    verbs.add("detach_mcast", this::detachMcast, "qp", "group");
  }

  /**
   * An address from the fields of an {@code ahAttr}.
   *
   * @param fields checked for unknown names by the caller
   * @param udpPort where the peer is reached: the endpoint's own UDP port
   */
  static AddressVector address(Fields fields, int udpPort) {
    Gid destination = gid(fields, "destination");
    return new AddressVector(
        destination.high(),
        destination.low(),
        udpPort,
        fields.integer("trafficClass", 0),
        fields.integer("flowLabel", 0),
        fields.integer("hopLimit", AddressVector.DEFAULT_HOP_LIMIT),
        fields.has("udpSport") ? sourcePort(fields) : AddressVector.ANY_SOURCE_PORT);
  }

  /** The source port that a request wishes. */
  static int sourcePort(Fields fields) {
    int port = fields.integer("udpSport");
    if (port < 1 || port > PORT_MAX) {
      throw DutException.invalid("udpSport " + port + ": allowed 1.." + PORT_MAX);
    }
    return port;
  }

  /** The names of an {@code ahAttr}'s fields. */
  static Set<String> fields() {
    return Set.of(FIELDS);
  }

  private static Gid gid(Fields fields, String name) {
    String text = fields.text(name);
    try {
      return Gid.parse(text);
    } catch (IllegalArgumentException e) {
      throw DutException.invalid(name + " " + e.getMessage());
    }
  }

  static void put(ObjectNode target, AddressVector address) {
    target.put("destination", new Gid(address.gidHi(), address.gidLo()).toString());
    target.put("trafficClass", address.trafficClass());
    target.put("flowLabel", address.flowLabel());
    target.put("hopLimit", address.hopLimit());
    if (address.udpSourcePort() != AddressVector.ANY_SOURCE_PORT) {
      target.put("udpSport", address.udpSourcePort());
    }
  }

  private void createAh(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    Fields given = request.has("ahAttr") ? request.object("ahAttr") : request;
    if (given != request) {
      given.only(fields());
    }
    AddressVector address = address(given, endpoint.agent().port().localUdpPort());
    AddressHandle handle = endpoint.pds.get(request).createAddressHandle(address);
    answer.put("ah", endpoint.ahs.add(handle));
  }

  private void destroyAh(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    endpoint.ahs.get(request).close();
    endpoint.ahs.remove(request);
  }

  private void attachMcast(Fields request, ObjectNode answer) {
    Gid group = gid(request, "group");
    session.endpoint().qps.get(request).attachMulticast(group.high(), group.low());
  }

  private void detachMcast(Fields request, ObjectNode answer) {
    Gid group = gid(request, "group");
    session.endpoint().qps.get(request).detachMulticast(group.high(), group.low());
  }
}
