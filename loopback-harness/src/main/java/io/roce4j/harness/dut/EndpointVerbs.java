// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.control.ControlPort;
import io.roce4j.harness.control.ManualClock;
import io.roce4j.harness.control.SentFrame;
import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.counters.CounterId;
import io.roce4j.transport.counters.Counters;
import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.engine.IcrcMode;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.AsyncEvent;
import io.roce4j.transport.verbs.AsyncEventType;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.DeviceAttributes;
import io.roce4j.transport.verbs.PortAttributes;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.SharedReceiveQueue;
import io.roce4j.wire.ip.Gid;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/** Endpoint, time and packets: open, advance, inject, drain, counters, async_events, close. */
final class EndpointVerbs {
  private static final int INJECT_FRAMES_MAX = 4_096;
  private static final int ROCE_UDP_PORT = 4791;

  /** Of all rings together: whoever asks for more is refused, not the process ended. */
  private static final long RING_BYTES_MAX = 1L << 30;

  /** Of a drained frame in an answer beside two digits a byte. */
  private static final int FRAME_OVERHEAD = 80;

  /** Frames and bytes of a drain whose answer fits a line. */
  private static final int DRAIN_FRAMES_MAX = 32_768;

  private static final long DRAIN_BYTES_MAX =
      (DutSession.LINE_BYTES_MAX - (long) DRAIN_FRAMES_MAX * FRAME_OVERHEAD) / 2 - 1_024;

  private final DutSession session;

  EndpointVerbs(DutSession session) {
    this.session = session;
  }

  void addTo(VerbTable verbs) {
    verbs.add(
        "open", this::open, "port", "bind", "udpPort", "clock", "activeMtu", "seed", "icrcMode");
    verbs.add("advance", this::advance, "ns", "toNextDeadline");
    verbs.add("inject", this::inject, "frames");
    verbs.add("drain", this::drain);
    verbs.add("counters", this::counters, "qp");
    verbs.add("async_events", this::asyncEvents);
    verbs.add("close", this::close);
  }

  private void open(Fields request, ObjectNode answer) {
    if (session.isOpen()) {
      throw new DutException("EBUSY", "an endpoint is open: close it first");
    }
    DutEndpoint endpoint = make(request);
    DeviceAttributes device = endpoint.context().deviceAttributes();
    PortAttributes port = endpoint.context().queryPort();
    answer.put("gid", gidText(new Gid(port.gidHi(), port.gidLo())));
    answer.put("activeMtu", port.activeMtuBytes());
    ObjectNode limits = answer.putObject("limits");
    limits.put("maxQp", device.maxQp());
    limits.put("maxQpWr", device.maxQpWr());
    limits.put("maxSge", device.maxSge());
    limits.put("maxCqe", device.maxCqe());
    limits.put("maxMr", device.maxMr());
    limits.put("maxMsgSize", device.maxMsgSizeBytes());
    limits.put("maxQpRdAtom", device.maxQpRdAtom());
    answer.put("nowNs", endpoint.nowNs());
    session.opened(endpoint);
  }

  /** An IPv4 address as the GID it is, the way ibv_devinfo writes it. */
  private static String gidText(Gid gid) {
    return gid.isIpv4() ? "::ffff:" + gid : gid.toString();
  }

  private DutEndpoint make(Fields request) {
    String portName = request.text("port");
    boolean byHand = portName.equals(ControlPort.NAME);
    boolean manual = isManual(request.text("clock", byHand ? "manual" : "system"), byHand);
    String bind = request.text("bind");
    int udpPort = request.integer("udpPort", ROCE_UDP_PORT);
    long seed = seed(request, byHand);
    ContextSettings context =
        new ContextSettings()
            .seed(seed)
            .activeMtuBytes(request.integer("activeMtu", 0))
            .maxRingBytes(RING_BYTES_MAX);
    DropWatch drops = new DropWatch();
    EndpointSettings engine =
        EndpointSettings.defaults()
            .withPerQueuePairCounters(true)
            .withEvents(drops)
            .withIcrcMode(icrcMode(request.text("icrcMode", "auto")));
    if (byHand) {
      // What leaves answers what was injected or posted to send, and time that stands still is no
      // sign of a flood.
      engine = engine.withUnsolicitedCredits(false).withSourcePacketsPerSecond(0);
    }
    ManualClock clock = manual ? new ManualClock() : null;
    NanoClock time = manual ? clock : SystemNanoClock.INSTANCE;
    DatagramPort port = openPort(portName, bind, udpPort);
    try {
      EndpointAgent agent = EndpointAgent.open(context, engine, port, time);
      return new DutEndpoint(agent, drops, port instanceof ControlPort c ? c : null, clock, seed);
    } catch (RuntimeException e) {
      port.close();
      throw e;
    }
  }

  private static boolean isManual(String clock, boolean byHand) {
    boolean manual = clock.equals("manual");
    if (!manual && !clock.equals("system")) {
      throw DutException.invalid("clock " + clock + ": allowed system manual");
    }
    if (manual && !byHand) {
      throw DutException.invalid("clock manual is for port control: real packets take real time");
    }
    return manual;
  }

  /** By hand every run repeats; on a real network keys must not be foreseen. */
  private static long seed(Fields request, boolean byHand) {
    if (request.has("seed")) {
      return request.word64("seed");
    }
    return byHand ? 1 : new SecureRandom().nextLong();
  }

  private static IcrcMode icrcMode(String name) {
    for (IcrcMode mode : IcrcMode.values()) {
      if (mode.name().toLowerCase(Locale.ROOT).equals(name)) {
        return mode;
      }
    }
    throw DutException.invalid("icrcMode " + name + ": allowed auto strict plausible solve off");
  }

  private static DatagramPort openPort(String name, String bind, int udpPort) {
    try {
      if (!name.equals(ControlPort.NAME)) {
        return Ports.open(name, PortSettings.of(bind).withUdpPort(udpPort)).port();
      }
      Gid address = Gid.parse(bind);
      if (udpPort < 1 || udpPort > 0xFFFF) {
        throw DutException.invalid("udpPort " + udpPort + ": allowed 1..65535");
      }
      return new ControlPort(address, udpPort, DRAIN_FRAMES_MAX, DRAIN_BYTES_MAX);
    } catch (IllegalArgumentException e) {
      throw DutException.invalid(e.getMessage());
    }
  }

  private void advance(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    boolean toNext = request.flag("toNextDeadline", false);
    if (toNext == request.has("ns")) {
      throw DutException.badField("advance takes ns, or toNextDeadline true");
    }
    if (toNext) {
      endpoint.advanceToNextDeadline();
    } else {
      endpoint.advance(request.size("ns"));
    }
    answer.put("nowNs", endpoint.nowNs());
    long deadlineNs = endpoint.nextDeadlineNs();
    if (deadlineNs == Long.MAX_VALUE) {
      answer.putNull("nextDeadlineNs");
    } else {
      answer.put("nextDeadlineNs", deadlineNs);
    }
  }

  private void inject(Fields request, ObjectNode answer) {
    List<JsonNode> given = request.list("frames");
    if (given.size() > INJECT_FRAMES_MAX) {
      throw DutException.badField(
          "frames holds " + given.size() + ": at most " + INJECT_FRAMES_MAX + " at once");
    }
    List<byte[]> frames = new ArrayList<>(given.size());
    for (JsonNode each : given) {
      byte[] frame = Fields.hexOf("frames", each);
      if (frame.length == 0) {
        throw DutException.badField("frames holds an empty frame");
      }
      frames.add(frame);
    }
    ArrayNode results = answer.putArray("results");
    for (String result : session.endpoint().inject(frames)) {
      results.add(result);
    }
  }

  private void drain(Fields request, ObjectNode answer) {
    ArrayNode frames = answer.putArray("frames");
    for (SentFrame sent : session.endpoint().control().drain()) {
      ObjectNode frame = frames.addObject();
      frame.put("hex", HexFormat.of().formatHex(sent.bytes()));
      frame.put("atNs", sent.atNs());
      frame.put("pathId", sent.pathId());
    }
  }

  private void counters(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    Counters counters =
        request.has("qp") ? endpoint.qps.get(request).queryCounters() : endpoint.agent().counters();
    ObjectNode values = answer.putObject("values");
    for (CounterId id : CounterId.values()) {
      values.put(id.label(), counters.get(id));
    }
  }

  private void asyncEvents(Fields request, ObjectNode answer) {
    DutEndpoint endpoint = session.endpoint();
    ArrayNode events = answer.putArray("events");
    for (AsyncEvent event : endpoint.takeEvents()) {
      ObjectNode told = events.addObject();
      told.put("event", AsyncEventType.name(event.type()));
      putElement(endpoint, event, told);
    }
  }

  private static void putElement(DutEndpoint endpoint, AsyncEvent event, ObjectNode told) {
    switch (event.element()) {
      case AsyncEvent.QUEUE_PAIR -> {
        for (Map.Entry<Integer, QueuePair> each : endpoint.qps.entries()) {
          if (each.getValue().qpNum() == event.number()) {
            told.put("qp", each.getKey());
          }
        }
      }
      case AsyncEvent.COMPLETION_QUEUE -> {
        for (Map.Entry<Integer, CompletionQueue> each : endpoint.cqs.entries()) {
          if (each.getValue().number() == event.number()) {
            told.put("cq", each.getKey());
          }
        }
      }
      case AsyncEvent.SHARED_RECEIVE_QUEUE -> {
        for (Map.Entry<Integer, SharedReceiveQueue> each : endpoint.srqs.entries()) {
          if (each.getValue().number() == event.number()) {
            told.put("srq", each.getKey());
          }
        }
      }
      default -> {
        // The endpoint's own events name nothing.
      }
    }
  }

  private void close(Fields request, ObjectNode answer) {
    session.endpoint();
    session.close();
  }
}
