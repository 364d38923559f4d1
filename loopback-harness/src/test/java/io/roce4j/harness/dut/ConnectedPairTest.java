// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scripted sessions of two endpoints whose frames the test carries by hand. */
class ConnectedPairTest {
  private static String counting(int from, int length) {
    StringBuilder hex = new StringBuilder();
    for (int i = from; i < from + length; i++) {
      hex.append(String.format(java.util.Locale.ROOT, "%02x", i % 251));
    }
    return hex.toString();
  }

  @Test
  void writeLandsInTheRemoteRegionAndCompletesWithItsAck() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(
          1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 2_500) + "," + DutPair.remote(pair.mrB, 4_096));
      assertEquals(List.of("06", "07", "08"), DutDriver.opcodes(pair.forth()));
      assertEquals(counting(0, 2_500), pair.b.memory(1, 4_096, 2_500));
      assertEquals(List.of(), pair.a.poll(1));
      assertEquals(List.of("11"), DutDriver.opcodes(pair.back()));
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 2500"), pair.a.poll(1));
      assertEquals(List.of(), pair.b.events());
    }
  }

  @Test
  void readBringsTheRemoteBytes() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.b.ok("write_memory", "'mr':1,'offset':100,'hex':'c0ffee'");
      pair.post(
          2, "RDMA_READ", DutPair.sge(pair.mrA, 8, 1_500) + "," + DutPair.remote(pair.mrB, 100));
      assertEquals(List.of("0c"), DutDriver.opcodes(pair.forth()));
      assertEquals(List.of("0d", "0f"), DutDriver.opcodes(pair.back()));
      assertEquals(List.of("2 SUCCESS RDMA_READ 1500"), pair.a.poll(1));
      assertEquals("c0ffee" + counting(103, 5), pair.a.memory(1, 8, 8));
    }
  }

  @Test
  void atomicsReturnTheOldValue() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.b.ok("write_memory", "'mr':1,'offset':0,'hex':'0500000000000000'");
      pair.post(
          1,
          "ATOMIC_FETCH_AND_ADD",
          DutPair.sge(pair.mrA, 0, 8) + "," + DutPair.remote(pair.mrB, 0) + ",'compareAdd':'0x10'");
      pair.post(
          2,
          "ATOMIC_CMP_AND_SWP",
          DutPair.sge(pair.mrA, 8, 8)
              + ","
              + DutPair.remote(pair.mrB, 0)
              + ",'compareAdd':21,'swap':'0xffffffffffffffff'");
      pair.forth();
      assertEquals(List.of("12", "12"), DutDriver.opcodes(pair.back()));
      assertEquals(List.of("1 SUCCESS FETCH_ADD 8", "2 SUCCESS COMP_SWAP 8"), pair.a.poll(1));
      assertEquals("05000000000000001500000000000000", pair.a.memory(1, 0, 16));
      assertEquals("ffffffffffffffff", pair.b.memory(1, 0, 8));
    }
  }

  @Test
  void duplicateIsNotExecutedTwiceAndAcknowledgedAgain() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(
          1,
          "ATOMIC_FETCH_AND_ADD",
          DutPair.sge(pair.mrA, 0, 8) + "," + DutPair.remote(pair.mrB, 0) + ",'compareAdd':1");
      String before = pair.b.memory(1, 0, 8);
      List<String> request = pair.a.drain();
      pair.b.inject(request);
      String after = pair.b.memory(1, 0, 8);
      assertTrue(!before.equals(after));
      List<String> first = pair.b.drain();
      assertEquals(List.of("null"), pair.b.inject(request));
      assertEquals(after, pair.b.memory(1, 0, 8));
      List<String> second = pair.b.drain();
      assertEquals(first, second);
      assertEquals(1, pair.b.counter("duplicate_request"));
      pair.a.inject(first);
      pair.a.inject(second);
      assertEquals(List.of("1 SUCCESS FETCH_ADD 8"), pair.a.poll(1));
    }
  }

  @Test
  void gapIsAnsweredWithOneSequenceNakAndTheRestIsSentAgain() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(
          1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 4_000) + "," + DutPair.remote(pair.mrB, 4_096));
      List<String> sent = pair.a.drain();
      assertEquals(4, sent.size());
      pair.b.inject(List.of(sent.get(0)));
      pair.b.drain();
      pair.b.inject(List.of(sent.get(2), sent.get(3)));
      List<String> nak = pair.b.drain();
      assertEquals(1, nak.size());
      // AETH: PSN sequence error; BTH: the PSN that is missing.
      assertEquals("60", nak.getFirst().substring(80, 82));
      assertEquals("000065", nak.getFirst().substring(74, 80));
      pair.a.inject(nak);
      assertEquals(List.of("07", "07", "08"), DutDriver.opcodes(pair.forth()));
      pair.back();
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 4000"), pair.a.poll(1));
      assertEquals(counting(0, 4_000), pair.b.memory(1, 4_096, 4_000));
      assertEquals(2, pair.b.counter("out_of_sequence"));
      assertEquals(1, pair.a.counter("packet_seq_err"));
    }
  }

  @Test
  void sendWithoutReceiveWaitsTheRnrTimeAndThenFails() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(1, "SEND_WITH_IMM", DutPair.sge(pair.mrA, 0, 10) + ",'immData':305419896");
      pair.forth();
      List<String> rnr = pair.b.drain();
      assertEquals("2c", rnr.getFirst().substring(80, 82));
      pair.a.inject(rnr);
      assertEquals(List.of(), pair.a.drain());
      // Code 12 is 0.64 ms.
      JsonNode almost = pair.a.ok("advance", "'ns':639999");
      assertEquals(640_000, almost.get("nextDeadlineNs").asLong());
      assertEquals(List.of(), pair.a.drain());
      assertEquals(640_000, pair.a.ok("advance", "'toNextDeadline':true").get("nowNs").asLong());
      pair.receive(9, 0, 100);
      assertEquals(List.of("05"), DutDriver.opcodes(pair.forth()));
      pair.back();
      assertEquals(List.of("1 SUCCESS SEND 10"), pair.a.poll(1));
      JsonNode received = pair.b.ok("poll_cq", "'cq':2,'max':1").get("completions").get(0);
      assertEquals("RECV", received.get("opcode").asText());
      assertEquals(305_419_896L, received.get("immData").asLong());
      assertEquals("[\"WITH_IMM\"]", received.get("wcFlags").toString());
      assertEquals(9, received.get("wrId").asInt());
      assertEquals(34, received.get("qpNum").asInt());
      // rnrRetry 1: the second refusal of one message is the end.
      pair.post(2, "SEND", DutPair.sge(pair.mrA, 0, 10));
      pair.forth();
      pair.back();
      pair.a.ok("advance", "'ns':640000");
      pair.forth();
      pair.back();
      assertEquals(List.of("2 RNR_RETRY_EXC_ERR"), pair.a.poll(1));
      assertEquals("ERR", pair.a.state(1));
    }
  }

  @Test
  void silenceEndsInRetriesExceededAndTheRestIsFlushed() {
    try (DutPair pair = DutPair.connected("RC")) {
      for (int wrId = 1; wrId <= 3; wrId++) {
        pair.post(
            wrId, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      }
      pair.a.ok("post_recv", "'qp':1,'wrs':[{'wrId':70},{'wrId':71}]");
      assertEquals(3, pair.a.drain().size());
      long started = 0;
      for (int retry = 1; retry <= 2; retry++) {
        JsonNode fired = pair.a.ok("advance", "'toNextDeadline':true");
        assertTrue(fired.get("nowNs").asLong() - started >= 67_108_864, fired::toString);
        started = fired.get("nowNs").asLong();
        List<String> again = pair.a.drain();
        assertEquals(List.of("0a", "0a", "0a"), DutDriver.opcodes(again));
      }
      assertEquals(List.of(), pair.a.poll(1));
      JsonNode last = pair.a.ok("advance", "'toNextDeadline':true");
      assertTrue(last.get("nextDeadlineNs").isNull());
      assertEquals(List.of("1 RETRY_EXC_ERR", "2 WR_FLUSH_ERR", "3 WR_FLUSH_ERR"), pair.a.poll(1));
      assertEquals(List.of("70 WR_FLUSH_ERR", "71 WR_FLUSH_ERR"), pair.a.poll(2));
      pair.post(4, "SEND", "'sgList':[]");
      assertEquals(List.of("4 WR_FLUSH_ERR"), pair.a.poll(1));
      assertEquals(3, pair.a.counter("local_ack_timeout_err"));
    }
  }

  @Test
  void errorCompletionHasFourFieldsOnly() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.a.ok("post_recv", "'qp':1,'wrs':[{'wrId':'0xffffffffffffffff'}]");
      DutPair.modify(pair.a, "'qpState':'ERR'");
      JsonNode completion = pair.a.ok("poll_cq", "'cq':2,'max':1").get("completions").get(0);
      assertEquals(
          "{\"wrId\":18446744073709551615,\"status\":\"WR_FLUSH_ERR\",\"vendorErr\":0,\"qpNum\":17}",
          completion.toString());
    }
  }

  @Test
  void goodCompletionHasEveryField() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(1, "SEND", "'sgList':[]");
      pair.receive(1, 0, 10);
      pair.forth();
      pair.back();
      JsonNode completion = pair.a.ok("poll_cq", "'cq':1,'max':1").get("completions").get(0);
      for (String field :
          List.of(
              "wrId",
              "status",
              "vendorErr",
              "opcode",
              "byteLen",
              "qpNum",
              "srcQp",
              "immData",
              "invalidatedRkey",
              "wcFlags")) {
        assertTrue(completion.has(field), field);
      }
      assertEquals(0, completion.get("wcFlags").size());
    }
  }

  @Test
  void badRkeyIsRefusedWithOneEventAndFlushesBothSides() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.receive(5, 0, 10);
      pair.post(
          1,
          "RDMA_WRITE",
          DutPair.sge(pair.mrA, 0, 16) + ",'remoteAddr':'0x1','rkey':'0xdeadbe01'");
      pair.forth();
      assertEquals("ERR", pair.b.state(1));
      assertEquals(List.of("QP_ACCESS_ERR1"), pair.b.events());
      assertEquals(List.of("5 WR_FLUSH_ERR"), pair.b.poll(2));
      pair.back();
      assertEquals(List.of("1 REM_ACCESS_ERR"), pair.a.poll(1));
      assertEquals(List.of(), pair.a.events());
    }
  }

  @Test
  void requestThatHoldsAReceiveCompletesItInErrorAndRaisesNoEvent() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.receive(5, 0, 10);
      pair.post(1, "SEND", DutPair.sge(pair.mrA, 0, 16));
      pair.forth();
      pair.back();
      assertEquals(List.of("5 LOC_LEN_ERR"), pair.b.poll(2));
      assertEquals(List.of(), pair.b.events());
      assertEquals(List.of("1 REM_INV_REQ_ERR"), pair.a.poll(1));
    }
  }

  @Test
  void unreliableConnectionWritesWithoutAnswer() {
    try (DutPair pair = DutPair.connected("UC")) {
      pair.post(
          1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 1_500) + "," + DutPair.remote(pair.mrB, 0));
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 1500"), pair.a.poll(1));
      assertEquals(List.of("26", "28"), DutDriver.opcodes(pair.forth()));
      assertEquals(List.of(), pair.back());
      assertEquals(counting(0, 1_500), pair.b.memory(1, 0, 1_500));
      assertEquals("EINVAL", pair.a.error("post_send", "'qp':1,'wrs':[{'opcode':'RDMA_READ'}]"));
    }
  }

  @Test
  void datagramNamesItsSender() {
    try (DutPair pair = new DutPair("UD", "")) {
      for (DutDriver dut : List.of(pair.a, pair.b)) {
        DutPair.modify(dut, "'qpState':'INIT','pkeyIndex':0,'portNum':1,'qkey':'0x1234'");
        DutPair.modify(dut, "'qpState':'RTR'");
        DutPair.modify(dut, "'qpState':'RTS','sqPsn':5");
      }
      assertEquals(1, pair.a.ok("create_ah", "'pd':1,'destination':'192.0.2.2'").get("ah").asInt());
      String send = "'ah':1,'remoteQpn':34,'remoteQkey':4660";
      pair.post(1, "SEND", DutPair.sge(pair.mrA, 0, 20) + "," + send);
      assertEquals(List.of("1 SUCCESS SEND 20"), pair.a.poll(1));
      // Without a receive it is lost: it reached the queue pair, which had none.
      List<String> frames = pair.a.drain();
      assertEquals(List.of("null"), pair.b.inject(frames));
      assertEquals(1, pair.b.counter("out_of_buffer"));
      pair.receive(3, 0, 100);
      pair.b.inject(frames);
      JsonNode received = pair.b.ok("poll_cq", "'cq':2,'max':1").get("completions").get(0);
      assertEquals(60, received.get("byteLen").asInt());
      assertEquals(17, received.get("srcQp").asInt());
      assertEquals("[\"GRH\"]", received.get("wcFlags").toString());
      assertEquals("IPV4", received.get("networkType").asText());
      assertEquals(0, received.get("pkeyIndex").asInt());
      assertEquals(counting(0, 20), pair.b.memory(1, 40, 20));
      // Multicast reaches those who joined.
      pair.b.ok("attach_mcast", "'qp':1,'group':'224.1.2.3'");
      pair.receive(4, 0, 100);
      pair.a.ok("create_ah", "'pd':1,'ahAttr':{'destination':'224.1.2.3','trafficClass':40}");
      pair.post(
          2,
          "SEND",
          DutPair.sge(pair.mrA, 0, 4) + ",'ah':2,'remoteQpn':16777215,'remoteQkey':4660");
      pair.forth();
      assertEquals(List.of("4 SUCCESS RECV 44"), pair.b.poll(2));
      assertEquals("EBUSY", pair.b.error("destroy_qp", "'qp':1"));
      pair.b.ok("detach_mcast", "'qp':1,'group':'224.1.2.3'");
      pair.b.ok("destroy_qp", "'qp':1");
      pair.a.ok("destroy_ah", "'ah':1");
      JsonNode answer =
          pair.a.send("post_send", "'qp':1,'wrs':[{'opcode':'SEND','sgList':[]," + send + "}]");
      assertEquals("EINVAL", answer.get("error").asText());
      assertEquals(0, answer.get("badWr").asInt());
    }
  }

  @Test
  void overflowedQueueIsToldByItsHandle() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.b.ok("create_cq", "'cqe':1");
      pair.b.ok("destroy_qp", "'qp':1");
      pair.b.ok("create_qp", "'type':'RC','pd':1,'sendCq':3,'recvCq':3,'qpn':40");
      pair.b.ok(
          "modify_qp",
          "'qp':2,'attr':{'qpState':'INIT','pkeyIndex':0,'portNum':1,'qpAccessFlags':[]}");
      pair.b.ok("post_recv", "'qp':2,'wrs':[{'wrId':1},{'wrId':2}]");
      pair.b.ok("modify_qp", "'qp':2,'attr':{'qpState':'ERR'}");
      assertEquals(
          "[{\"event\":\"CQ_ERR\",\"cq\":3}]",
          pair.b.ok("async_events", "").get("events").toString());
      assertEquals("EBUSY", pair.b.error("destroy_cq", "'cq':3"));
      assertEquals("EBUSY", pair.b.error("dealloc_pd", "'pd':1"));
    }
  }

  @Test
  void markedDataMakeOneNotificationInFiftyMicroseconds() {
    try (DutPair pair = DutPair.connected("RC")) {
      for (int i = 1; i <= 3; i++) {
        pair.post(
            i, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
        List<String> marked = pair.a.drain().stream().map(f -> DutDriver.changed(f, 1, 3)).toList();
        pair.b.inject(marked);
        List<String> opcodes = DutDriver.opcodes(pair.back());
        assertEquals(i == 2 ? List.of("11") : List.of("81", "11"), opcodes);
        pair.b.ok("advance", i == 1 ? "'ns':49999" : "'ns':1");
      }
      assertEquals(2, pair.a.counter("rp_cnp_ignored"));
      assertEquals(0, pair.a.counter("rp_cnp_handled"));
      assertEquals(2, pair.b.counter("np_cnp_sent"));
    }
  }

  @Test
  void controllerTakesTheNotification() {
    try (DutPair pair = new DutPair("RC", ",'congestion':'dcqcn'")) {
      pair.connect("RC", "");
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      pair.b.inject(pair.a.drain().stream().map(f -> DutDriver.changed(f, 1, 3)).toList());
      pair.back();
      assertEquals(1, pair.a.counter("rp_cnp_handled"));
    }
  }

  @Test
  void countersOfAQueuePairAreItsOwn() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      pair.forth();
      JsonNode own = pair.b.ok("counters", "'qp':1").get("values");
      assertEquals(1, own.get("rx_write_requests").asInt());
      assertEquals(0, own.get("out_of_sequence").asInt());
      assertEquals(own.size(), pair.b.ok("counters", "").get("values").size());
    }
  }

  @Test
  void framesLeaveFromTheSourcePortThatWasWished() {
    try (DutPair pair = new DutPair("UC", "")) {
      DutPair.init(pair.a);
      String rtr =
          "'qpState':'RTR','pathMtu':256,'destQpNum':34,'rqPsn':0,'ahAttr':{'destination':"
              + "'192.0.2.2','udpSport':";
      assertEquals("EINVAL", pair.a.error("modify_qp", "'qp':1,'attr':{" + rtr + "0}}"));
      DutPair.modify(pair.a, rtr + "1234,'trafficClass':170,'hopLimit':9}");
      DutPair.modify(pair.a, "'qpState':'RTS','sqPsn':0");
      pair.post(1, "SEND", "'sgList':[]");
      String frame = pair.a.drain().getFirst();
      assertEquals("04d2", frame.substring(40, 44));
      assertEquals("aa", frame.substring(2, 4));
      assertEquals("09", frame.substring(16, 18));
      assertEquals(1_234, pair.a.ok("query_qp", "'qp':1").at("/attr/ahAttr/udpSport").asInt());
    }
  }

  @Test
  void framesOfOneInjectShareAnAcknowledgementWhenToldSo() {
    for (String every :
        List.of("", ",'ackEveryPackets':0", ",'ackEveryPackets':1", ",'ackEveryPackets':2")) {
      try (DutPair pair = new DutPair("RC", every)) {
        pair.connect("RC", "");
        for (int i = 1; i <= 3; i++) {
          pair.post(
              i, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
        }
        pair.forth();
        int expected = every.endsWith("0") ? 1 : every.endsWith("2") ? 2 : 3;
        assertEquals(expected, pair.back().size(), every);
        assertEquals(3, pair.a.poll(1).size());
      }
    }
  }

  @Test
  void changeWithoutStateStaysInThePresentOne() {
    try (DutPair pair = DutPair.connected("RC")) {
      for (String attr :
          List.of("'curQpState':'RTS'", "'minRnrTimer':3", "'qpAccessFlags':['REMOTE_READ']")) {
        assertEquals("RTS", DutPair.modify(pair.a, attr).get("qpState").asText(), attr);
      }
      assertEquals(3, pair.a.ok("query_qp", "'qp':1").at("/attr/minRnrTimer").asInt());
      for (String attr : List.of("'curQpState':'RTR'", "'pathMtu':512", "'rqPsn':1")) {
        assertEquals("EINVAL", pair.a.error("modify_qp", "'qp':1,'attr':{" + attr + "}"), attr);
      }
      assertEquals("RTS", pair.a.state(1));
    }
    try (DutPair pair = new DutPair("RC", "")) {
      DutPair.init(pair.a);
      assertEquals("INIT", DutPair.modify(pair.a, "'qpAccessFlags':[]").get("qpState").asText());
    }
  }

  @Test
  void addressHandleOfTheOtherIpVersionIsRefused() {
    for (String own : List.of("192.0.2.1", "2001:db8::1")) {
      try (DutDriver dut = new DutDriver().open(own)) {
        dut.ok("alloc_pd", "");
        for (String peer : List.of("192.0.2.2", "::ffff:192.0.2.2", "2001:db8::2")) {
          boolean fits = own.startsWith("192") == peer.contains(".");
          String ah = "'pd':1,'destination':'" + peer + "'";
          assertEquals(fits, dut.send("create_ah", ah).get("ok").asBoolean(), own + " " + peer);
          if (!fits) {
            assertEquals("EINVAL", dut.error("create_ah", ah));
          }
        }
      }
    }
  }

  @Test
  void postedReceivesSendNothing() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      pair.forth();
      pair.back();
      pair.receive(1, 0, 16);
      assertEquals(List.of(), pair.b.drain());
    }
  }

  @Test
  void floodOfBadFramesIsToldFrameByFrame() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      String bad = DutDriver.changed(pair.a.drain().getFirst(), 50, 1);
      List<String> many = java.util.Collections.nCopies(4_096, bad);
      for (int i = 0; i < 17; i++) {
        pair.b.inject(many);
      }
      assertEquals(17 * 4_096, pair.b.counter("rx_icrc_encapsulated"));
      assertEquals(0, pair.b.counter("drop_source_limit"));
    }
  }

  @Test
  void longReadLeavesInAsManyDrainsAsItsFramesNeed() {
    try (DutPair pair = new DutPair("RC", "")) {
      JsonNode big =
          pair.b.ok(
              "reg_mr", "'pd':1,'length':12000000,'access':[" + DutPair.ALL + "],'fill':'counter'");
      pair.a.ok("reg_mr", "'pd':1,'length':12000000,'access':[" + DutPair.ALL + "],'fill':'00'");
      pair.connect("RC", "");
      JsonNode own = pair.a.ok("reg_mr", "'pd':1,'length':12000000,'access':[" + DutPair.ALL + "]");
      pair.post(1, "RDMA_READ", DutPair.sge(own, 0, 12_000_000) + "," + DutPair.remote(big, 0));
      pair.forth();
      int drains = 0;
      List<String> frames = pair.b.drain();
      while (!frames.isEmpty()) {
        drains++;
        for (int i = 0; i < frames.size(); i += 4_000) {
          pair.a.inject(frames.subList(i, Math.min(frames.size(), i + 4_000)));
        }
        frames = pair.b.drain();
      }
      assertTrue(drains > 1);
      assertEquals(List.of("1 SUCCESS RDMA_READ 12000000"), pair.a.poll(1));
      assertEquals(counting(11_999_000, 1_000), pair.a.memory(3, 11_999_000, 1_000));
    }
  }
}
