// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.transport.cm.CmEvent;
import io.roce4j.transport.cm.CmEventChannel;
import io.roce4j.transport.cm.CmEventType;
import io.roce4j.transport.cm.CmSettings;
import io.roce4j.transport.cm.PortSpace;
import io.roce4j.transport.cm.RdmaCm;
import io.roce4j.transport.cm.RdmaCmId;
import io.roce4j.transport.verbs.RdmaContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The connection manager of the endpoint, its ids by handle, and the events nobody has taken. */
final class DutCm {
  final HandleTable<RdmaCmId> ids = new HandleTable<>("cmId");

  private final RdmaCm cm;
  private final CmEventChannel channel;
  private final List<CmEvent> events = new ArrayList<>();

  DutCm(RdmaContext context, int udpPort, long seed) {
    cm = RdmaCm.open(context, CmSettings.defaults().withPeerUdpPort(udpPort), seed);
    channel = cm.createEventChannel();
  }

  RdmaCmId createId(PortSpace space) {
    return cm.createId(channel, space);
  }

  /** Takes what became of a step in resolving an address, which requests do not see. */
  CmEventType takeResolution(RdmaCmId id) {
    collect();
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).id() == id) {
        return events.remove(i).type();
      }
    }
    throw new IllegalStateException("no event follows resolving");
  }

  /** Takes the events so far; the id of a new request gets its handle now. */
  List<CmEvent> takeEvents() {
    collect();
    List<CmEvent> taken = new ArrayList<>(events);
    events.clear();
    for (CmEvent event : taken) {
      if (event.type() == CmEventType.CONNECT_REQUEST) {
        ids.add(event.id());
      }
    }
    return taken;
  }

  private void collect() {
    CmEvent event = channel.poll();
    while (event != null) {
      events.add(event);
      event = channel.poll();
    }
  }

  /** Closes an id; its events that nobody took go with it, requests of a listener are refused. */
  void destroy(RdmaCmId id) {
    id.close();
    collect();
    for (int i = events.size() - 1; i >= 0; i--) {
      CmEvent event = events.get(i);
      if (event.id() == id) {
        events.remove(i);
      } else if (event.listenId() == id) {
        events.remove(i);
        event.id().close();
      }
    }
  }

  int handleOf(RdmaCmId id) {
    for (Map.Entry<Integer, RdmaCmId> entry : ids.entries()) {
      if (entry.getValue() == id) {
        return entry.getKey();
      }
    }
    throw new IllegalStateException("an event of an id without a handle");
  }
}
