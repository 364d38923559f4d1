// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The connection manager's commands: two endpoints whose frames the test carries by hand. */
class ConnectionVerbsTest {
  private final DutDriver a = new DutDriver();
  private final DutDriver b = new DutDriver();

  @BeforeEach
  void open() {
    a.open("192.0.2.1");
    b.open("192.0.2.2");
    DutPair.objects(a, "RC", 17, "");
    DutPair.objects(b, "RC", 34, "");
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  /** Carries frames until both are silent; gives back how many. */
  private int carry() {
    int carried = 0;
    List<String> forth = a.drain();
    List<String> back = b.drain();
    while (!forth.isEmpty() || !back.isEmpty()) {
      carried += forth.size() + back.size();
      b.inject(forth);
      a.inject(back);
      forth = a.drain();
      back = b.drain();
    }
    return carried;
  }

  /** Events as {@code NAME cmId status}. */
  private static List<String> cmEvents(DutDriver dut) {
    List<String> all = new ArrayList<>();
    for (JsonNode e : dut.ok("cm_events", "").get("events")) {
      all.add(
          e.get("event").asText() + " " + e.get("cmId").asInt() + " " + e.get("status").asInt());
    }
    return all;
  }

  private void connected() {
    b.ok("cm_listen", "'port':7174");
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1,'privateData':'cafe'");
    carry();
    JsonNode request = b.ok("cm_events", "").at("/events/0");
    assertEquals("CONNECT_REQUEST", request.get("event").asText());
    assertEquals(1, request.get("listenId").asInt());
    assertEquals(2, request.get("cmId").asInt());
    assertEquals("cafe" + "00".repeat(54), request.get("privateData").asText());
    assertEquals(17, request.at("/param/qpNum").asInt());
    b.ok("cm_accept", "'cmId':2,'qp':1,'privateData':'beef'");
    carry();
    JsonNode established = a.ok("cm_events", "").at("/events/0");
    assertEquals("ESTABLISHED", established.get("event").asText());
    assertEquals("beef" + "00".repeat(194), established.get("privateData").asText());
    assertEquals(List.of("ESTABLISHED 2 0"), cmEvents(b));
  }

  @Test
  void connectsMovesDataAndParts() {
    connected();
    assertEquals("RTS", a.state(1));
    assertEquals("RTS", b.state(1));
    b.ok(
        "post_recv",
        "'qp':1,'wrs':[{'wrId':7,'sgList':[{'addr':268435456,'length':64,'lkey':" + "0}]}]");
    a.ok("cm_disconnect", "'cmId':1");
    assertEquals("ERR", a.state(1));
    carry();
    assertEquals("ERR", b.state(1));
    assertEquals(List.of("7 WR_FLUSH_ERR"), b.poll(2));
    assertEquals(List.of("DISCONNECTED 1 0"), cmEvents(a));
    assertEquals(List.of("DISCONNECTED 2 0"), cmEvents(b));
    a.ok("advance", "'ns':600000000");
    b.ok("advance", "'ns':600000000");
    assertEquals(List.of("TIMEWAIT_EXIT 1 0"), cmEvents(a));
    assertEquals(List.of("TIMEWAIT_EXIT 2 0"), cmEvents(b));
  }

  @Test
  void requestAndReplyAreThereWhenTheCommandsAnswer() {
    b.ok("cm_listen", "'port':7174");
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1");
    List<String> frames = a.drain();
    assertEquals(List.of("64"), DutDriver.opcodes(frames));
    assertEquals(308, frames.get(0).length() / 2);
    b.inject(frames);
    cmEvents(b);
    b.ok("cm_accept", "'cmId':2,'qp':1");
    assertEquals(List.of("64"), DutDriver.opcodes(b.drain()));
    assertEquals("RTS", b.state(1));
  }

  @Test
  void aRequestIsRepeatedWhenTimeMoves() {
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1");
    List<String> first = a.drain();
    a.ok("advance", "'ns':4607000000");
    assertEquals(List.of(), a.drain());
    a.ok("advance", "'ns':1000000");
    List<String> second = a.drain();
    // The BTH PSN counts up, the message stays.
    assertEquals(first.get(0).substring(96, 600), second.get(0).substring(96, 600));
    a.ok("advance", "'ns':80000000000");
    assertEquals(List.of("UNREACHABLE 1 -110"), cmEvents(a));
    assertEquals(14, a.drain().size());
  }

  @Test
  void nobodyListensRejectsAndRefusals() {
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1");
    carry();
    assertEquals(List.of("REJECTED 1 8"), cmEvents(a));
    a.ok("modify_qp", "'qp':1,'attr':{'qpState':'RESET'}");
    b.ok("cm_listen", "'port':7174");
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1");
    carry();
    cmEvents(b);
    b.ok("cm_reject", "'cmId':2,'privateData':'01'");
    carry();
    assertEquals(List.of("REJECTED 2 28"), cmEvents(a));
    assertEquals("EINVAL", b.error("cm_reject", "'cmId':2"));
    assertEquals("EADDRINUSE", b.error("cm_listen", "'port':7174"));
    assertEquals("EADDRNOTAVAIL", b.error("cm_listen", "'port':1,'address':'192.0.2.9'"));
    assertEquals("EINVAL", a.error("cm_disconnect", "'cmId':1"));
    assertEquals(
        "EINVAL", a.error("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1,'retryCount':8"));
    assertEquals("EINVAL", b.error("cm_listen", "'port':1,'portSpace':'SDP'"));
    assertEquals("BAD_FIELD", a.error("cm_events", "'qp':1"));
    assertTrue(a.drain().isEmpty());
  }

  @Test
  void aDestroyedListenerRefusesWhatWasNotAnswered() {
    b.ok("cm_listen", "'port':7174");
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':1");
    carry();
    b.ok("cm_destroy", "'cmId':1");
    carry();
    assertEquals(List.of("REJECTED 1 28"), cmEvents(a));
    assertEquals(List.of(), cmEvents(b));
  }

  @Test
  void aDatagramServiceIsFound() {
    a.ok("create_qp", "'type':'UD','pd':1,'sendCq':1,'recvCq':2,'qpn':18");
    b.ok("create_qp", "'type':'UD','pd':1,'sendCq':1,'recvCq':2,'qpn':35");
    b.ok("cm_listen", "'port':7174,'portSpace':'UDP'");
    a.ok("cm_connect", "'address':'192.0.2.2','port':7174,'qp':2,'portSpace':'UDP'");
    carry();
    assertEquals(List.of("CONNECT_REQUEST 2 0"), cmEvents(b));
    b.ok("cm_accept", "'cmId':2,'qp':2");
    carry();
    JsonNode established = a.ok("cm_events", "").at("/events/0");
    assertEquals("ESTABLISHED", established.get("event").asText());
    assertEquals(35, established.at("/param/qpNum").asInt());
    assertEquals(0x1234567, established.at("/param/qkey").asInt());
    assertEquals("RTS", a.state(2));
    assertEquals(List.of(), cmEvents(b));
  }
}
