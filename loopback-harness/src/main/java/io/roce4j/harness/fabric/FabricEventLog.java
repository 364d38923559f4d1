// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.roce4j.harness.sim.LinkObserver;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.wire.packet.Bth;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Every decision of a fabric about a packet as JSON Lines, so that a run can be read and replayed
 * on paper: {@code {"timePs":..,"port":..,"event":..,"opcode":..,"destQp":..,"psn":..,...}}.
 * Events: drop (with reason), duplicate, corrupt (with bit), hold, mark, pause (with classes,
 * quanta and depth), storm and stormEnd (with class), linkDown, linkUp. One thread.
 */
public final class FabricEventLog implements LinkObserver, AutoCloseable {
  private final Timeline timeline;
  private final PacketSlots slots;
  private final JsonGenerator json;
  private long events;

  /**
   * Makes a log.
   *
   * @param timeline tells the time
   * @param slots holds the packets
   * @param sink gets the lines; closed with this
   */
  public FabricEventLog(Timeline timeline, PacketSlots slots, OutputStream sink) {
    this.timeline = timeline;
    this.slots = slots;
    try {
      json = new JsonFactory().createGenerator(sink);
    } catch (IOException e) {
      throw failed(e);
    }
    json.setPrettyPrinter(new MinimalPrettyPrinter("\n"));
  }

  private static UncheckedIOException failed(IOException e) {
    return new UncheckedIOException("the event log cannot be written", e);
  }

  /** Adds what an event has besides time, port and name. */
  @FunctionalInterface
  private interface Details {
    void write() throws IOException;
  }

  private void line(String port, String event, Details details) {
    try {
      json.writeStartObject();
      json.writeNumberField("timePs", timeline.nowPs());
      json.writeStringField("port", port);
      json.writeStringField("event", event);
      details.write();
      json.writeEndObject();
    } catch (IOException e) {
      throw failed(e);
    }
    events++;
  }

  private void packet(int slot) throws IOException {
    int bth = slots.bth(slot);
    json.writeNumberField("opcode", Bth.opcode(slots.buffer(slot), bth));
    json.writeNumberField("destQp", Bth.destQp(slots.buffer(slot), bth));
    json.writeNumberField("psn", Bth.psn(slots.buffer(slot), bth));
    json.writeNumberField("sport", slots.path(slot));
    json.writeNumberField("length", slots.length(slot));
  }

  @Override
  public void onDropped(String link, int slot, int reason) {
    line(
        link,
        "drop",
        () -> {
          packet(slot);
          json.writeStringField("reason", LinkObserver.reasonName(reason));
        });
  }

  @Override
  public void onDuplicated(String link, int slot) {
    line(link, "duplicate", () -> packet(slot));
  }

  @Override
  public void onCorrupted(String link, int slot, int bit) {
    line(
        link,
        "corrupt",
        () -> {
          packet(slot);
          json.writeNumberField("bit", bit);
        });
  }

  @Override
  public void onHeld(String link, int slot) {
    line(link, "hold", () -> packet(slot));
  }

  @Override
  public void onMarked(String port, int slot) {
    line(port, "mark", () -> packet(slot));
  }

  @Override
  public void onPauseSent(String port, int classes, int quanta, int depth) {
    line(
        port,
        "pause",
        () -> {
          json.writeNumberField("classes", classes);
          json.writeNumberField("quanta", quanta);
          json.writeNumberField("depth", depth);
        });
  }

  @Override
  public void onStorm(String port, int trafficClass, boolean began) {
    line(port, began ? "storm" : "stormEnd", () -> json.writeNumberField("class", trafficClass));
  }

  @Override
  public void onLinkState(String port, boolean up) {
    line(port, up ? "linkUp" : "linkDown", () -> {});
  }

  /**
   * Lines so far.
   *
   * @return 0 or more
   */
  public long events() {
    return events;
  }

  /** Writes what is left and closes the sink. */
  @Override
  public void close() {
    try {
      json.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
