// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What verbs tell of two connected endpoints: events, sizes, states, shared queues, windows. */
class PairedVerbsTest {
  @Test
  void firstPacketInRtrIsToldOnce() {
    try (DutPair pair = new DutPair("RC", "")) {
      DutPair.side(pair.a, "RC", "192.0.2.2", 34, "");
      DutPair.init(pair.b);
      DutPair.modify(
          pair.b,
          "'qpState':'RTR','pathMtu':1024,'destQpNum':17,'rqPsn':100,'maxDestRdAtomic':1,"
              + "'minRnrTimer':12,'ahAttr':{'destination':'192.0.2.1'}");
      for (int wrId = 1; wrId <= 2; wrId++) {
        pair.post(
            wrId, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
        pair.forth();
        pair.back();
      }
      assertEquals(List.of("COMM_EST1"), pair.b.events());
      assertEquals(2, pair.a.poll(1).size());
    }
  }

  @Test
  void badRequestOfAListIsNamedAndThoseBeforeItArePosted() {
    try (DutPair pair = DutPair.connected("RC")) {
      String good = "{'wrId':1,'opcode':'SEND','sendFlags':['SIGNALED'],'sgList':[]}";
      String tooMany =
          "{'opcode':'SEND','sgList':[{'addr':1,'length':1},{'addr':1,'length':1},"
              + "{'addr':1,'length':1}]}";
      JsonNode answer =
          pair.a.send("post_send", "'qp':1,'wrs':[" + good + "," + tooMany + "," + good + "]");
      assertEquals("EINVAL", answer.get("error").asText());
      assertEquals(1, answer.get("badWr").asInt());
      assertEquals(List.of("04"), DutDriver.opcodes(pair.a.drain()));
      answer = pair.a.send("post_send", "'qp':1,'wrs':[" + good + ",{'opcode':'NO_SUCH'}]");
      assertEquals(1, answer.get("badWr").asInt());
      assertEquals(1, pair.a.drain().size());
      // What is not of the right form is no list of requests at all.
      answer = pair.a.send("post_send", "'qp':1,'wrs':[" + good + ",{'opcode':5}]");
      assertEquals("BAD_FIELD", answer.get("error").asText());
      assertTrue(!answer.has("badWr"));
      assertEquals(List.of(), pair.a.drain());
      answer = pair.a.send("post_recv", "'qp':1,'wrs':[" + "{},".repeat(16) + "{'wrId':7},{}]");
      assertEquals("ENOMEM", answer.get("error").asText());
      assertEquals(16, answer.get("badWr").asInt());
    }
  }

  @Test
  void sizesAreAtLeastThoseAskedFor() {
    try (DutPair pair = new DutPair("RC", "")) {
      JsonNode cap =
          pair.a
              .ok(
                  "create_qp",
                  "'type':'UC','pd':1,'sendCq':1,'recvCq':1,'maxSendWr':0,'maxRecvWr':0,"
                      + "'maxSendSge':0,'maxRecvSge':3,'maxInlineData':5,'sqSigAll':1")
              .get("cap");
      assertTrue(cap.get("maxSendWr").asInt() >= 1);
      assertTrue(cap.get("maxRecvSge").asInt() >= 3);
      assertTrue(cap.get("maxInlineData").asInt() >= 5);
      assertEquals(cap, pair.a.ok("query_qp", "'qp':2").get("cap"));
      assertEquals(
          "EINVAL",
          pair.a.error("create_qp", "'type':'UC','pd':1,'sendCq':1,'recvCq':1,'maxSendWr':-1"));
      assertEquals(
          "EINVAL", pair.a.error("create_qp", "'type':'XRC','pd':1,'sendCq':1,'recvCq':1"));
      assertEquals("BAD_FIELD", pair.a.error("create_qp", "'type':'UC','pd':1,'sendCq':1"));
      assertEquals(
          "EBUSY", pair.a.error("create_qp", "'type':'UC','pd':1,'sendCq':1,'recvCq':1,'qpn':17"));
      assertEquals(
          "EINVAL",
          pair.a.error("create_qp", "'type':'RC','pd':1,'sendCq':1,'recvCq':1,'profile':'no'"));
      assertEquals(
          "EINVAL",
          pair.a.error("create_qp", "'type':'RC','pd':1,'sendCq':1,'recvCq':1,'congestion':'no'"));
    }
  }

  @Test
  void postingInAStateThatTakesNoneIsRefused() {
    try (DutPair pair = new DutPair("RC", "")) {
      assertEquals("EINVAL", pair.a.error("post_recv", "'qp':1,'wrs':[{'wrId':1}]"));
      DutPair.init(pair.a);
      pair.a.ok("post_recv", "'qp':1,'wrs':[{'wrId':1}]");
      JsonNode answer = pair.a.send("post_send", "'qp':1,'wrs':[{'opcode':'SEND','sgList':[]}]");
      assertEquals("EINVAL", answer.get("error").asText());
      assertEquals(0, answer.get("badWr").asInt());
    }
  }

  @Test
  void drainedSendQueueIsToldWhenItWasAskedFor() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      DutPair.modify(pair.a, "'qpState':'SQD','enSqdAsyncNotify':true");
      JsonNode draining = pair.a.ok("query_qp", "'qp':1");
      assertTrue(draining.get("sqDraining").asBoolean());
      assertEquals("SQD", draining.at("/attr/qpState").asText());
      pair.post(2, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
      pair.forth();
      pair.back();
      assertEquals(List.of("SQ_DRAINED1"), pair.a.events());
      assertTrue(!pair.a.ok("query_qp", "'qp':1").get("sqDraining").asBoolean());
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 16"), pair.a.poll(1));
      assertEquals(List.of(), pair.a.drain());
      DutPair.modify(pair.a, "'qpState':'RTS'");
      assertEquals(1, pair.a.drain().size());
    }
  }

  @Test
  void queryTellsLivePsnsAndWhatWasSet() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.post(
          1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 2_500) + "," + DutPair.remote(pair.mrB, 0));
      pair.forth();
      JsonNode a = pair.a.ok("query_qp", "'qp':1").get("attr");
      assertEquals(103, a.get("sqPsn").asInt());
      assertEquals(100, a.get("rqPsn").asInt());
      assertEquals(1024, a.get("pathMtu").asInt());
      assertEquals(34, a.get("destQpNum").asInt());
      assertEquals(14, a.get("timeout").asInt());
      assertEquals("192.0.2.2", a.at("/ahAttr/destination").asText());
      assertEquals(
          "[\"REMOTE_ATOMIC\",\"REMOTE_READ\",\"REMOTE_WRITE\"]",
          a.get("qpAccessFlags").toString());
      assertEquals(103, pair.b.ok("query_qp", "'qp':1").at("/attr/rqPsn").asInt());
    }
  }

  @Test
  void sharedReceiveQueueTellsItsLimitAndTheLastReceive() {
    try (DutPair pair = new DutPair("RC", "")) {
      pair.b.ok("destroy_qp", "'qp':1");
      assertEquals(1, pair.b.ok("create_srq", "'pd':1,'maxWr':8,'maxSge':1").get("srq").asInt());
      pair.b.ok(
          "create_qp", "'type':'RC','pd':1,'sendCq':1,'recvCq':2,'srq':1,'qpn':34,'maxRecvWr':0");
      DutPair.side(pair.a, "RC", "192.0.2.2", 34, "");
      pair.b.ok("modify_srq", "'srq':1,'srqLimit':2");
      pair.b.ok(
          "post_srq_recv",
          "'srq':1,'wrs':[{'wrId':1,"
              + DutPair.sge(pair.mrB, 0, 64)
              + "},{'wrId':2,"
              + DutPair.sge(pair.mrB, 64, 64)
              + "}]");
      JsonNode srq = pair.b.ok("query_srq", "'srq':1");
      assertEquals(2, srq.get("srqLimit").asInt());
      assertEquals(8, srq.get("maxWr").asInt());
      assertEquals(1, srq.get("maxSge").asInt());
      assertEquals("EINVAL", pair.b.error("post_recv", "'qp':2,'wrs':[{'wrId':1}]"));
      String attributes =
          "{'qpState':'RTR','pathMtu':1024,'destQpNum':17,'rqPsn':100,'maxDestRdAtomic':1,"
              + "'minRnrTimer':12,'ahAttr':{'destination':'192.0.2.1'}}";
      pair.b.ok(
          "modify_qp",
          "'qp':2,'attr':{'qpState':'INIT','pkeyIndex':0,'portNum':1,'qpAccessFlags':[]}");
      pair.b.ok("modify_qp", "'qp':2,'attr':" + attributes);
      pair.post(1, "SEND", DutPair.sge(pair.mrA, 0, 16));
      pair.forth();
      assertEquals(List.of("1 SUCCESS RECV 16"), pair.b.poll(2));
      JsonNode events = pair.b.ok("async_events", "").get("events");
      assertEquals(
          "[{\"event\":\"COMM_EST\",\"qp\":2},{\"event\":\"SRQ_LIMIT_REACHED\",\"srq\":1}]",
          events.toString());
      assertEquals(0, pair.b.ok("query_srq", "'srq':1").get("srqLimit").asInt());
      pair.b.ok("modify_qp", "'qp':2,'attr':{'qpState':'ERR'}");
      assertEquals(List.of("QP_LAST_WQE_REACHED2"), pair.b.events());
      assertEquals("EBUSY", pair.b.error("destroy_srq", "'srq':1"));
      pair.b.ok("destroy_qp", "'qp':2");
      pair.b.ok("destroy_srq", "'srq':1");
    }
  }

  @Test
  void windowsGrantAndTakeAccess() {
    try (DutPair pair = DutPair.connected("RC")) {
      // Type 1 is bound by its verb and has its new key at once.
      JsonNode one = pair.b.ok("alloc_mw", "'pd':1,'type':1");
      String addr = pair.mrB.get("addr").asText();
      JsonNode bound =
          pair.b.ok(
              "bind_mw",
              "'qp':1,'mw':1,'mr':1,'addr':'" + addr + "','length':64,'access':['REMOTE_WRITE']");
      assertEquals(1, bound.get("mw").asInt());
      assertTrue(!one.get("rkey").equals(bound.get("rkey")));
      String target = "'remoteAddr':'" + addr + "','rkey':'" + bound.get("rkey").asText() + "'";
      pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 64) + "," + target);
      pair.forth();
      pair.back();
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 64"), pair.a.poll(1));
      // Type 2 is bound by a work request; the key is the old one plus 1.
      JsonNode two = pair.b.ok("alloc_mw", "'pd':1,'type':2");
      pair.b.ok(
          "post_send",
          "'qp':1,'wrs':[{'wrId':8,'opcode':'BIND_MW','sendFlags':['SIGNALED'],'mw':2,'mr':1,"
              + "'addr':'"
              + addr
              + "','length':64,'access':['REMOTE_WRITE']}]");
      assertEquals(List.of("8 SUCCESS BIND_MW 0"), pair.b.poll(1));
      int old = Long.decode(two.get("rkey").asText()).intValue();
      int key = (old & ~0xFF) | ((old + 1) & 0xFF);
      pair.receive(9, 0, 8);
      pair.post(2, "SEND_WITH_INV", "'sgList':[],'invalidateRkey':" + Integer.toUnsignedLong(key));
      pair.forth();
      pair.back();
      JsonNode received = pair.b.ok("poll_cq", "'cq':2,'max':1").get("completions").get(0);
      assertEquals("[\"WITH_INV\"]", received.get("wcFlags").toString());
      assertEquals("0x" + Integer.toHexString(key), received.get("invalidatedRkey").asText());
      pair.b.ok("dealloc_mw", "'mw':2");
      assertEquals("EINVAL", pair.b.error("dereg_mr", "'mr':1"));
      pair.b.ok("dealloc_mw", "'mw':1");
      pair.b.ok("dereg_mr", "'mr':1");
      assertEquals("EINVAL", pair.b.error("read_memory", "'mr':1,'offset':0,'length':1"));
    }
  }

  @Test
  void solicitedCompletionsRaiseTheEventThatWasAskedFor() {
    try (DutPair pair = DutPair.connected("RC")) {
      pair.b.ok("req_notify_cq", "'cq':2,'solicitedOnly':true");
      pair.receive(1, 0, 8);
      pair.receive(2, 0, 8);
      pair.post(1, "SEND", "'sgList':[]");
      pair.forth();
      assertEquals(0, pair.b.ok("get_cq_events", "'cq':2").get("events").asInt());
      pair.a.ok(
          "post_send",
          "'qp':1,'wrs':[{'wrId':2,'opcode':'SEND','sendFlags':['SOLICITED'],'sgList':[]}]");
      pair.forth();
      assertEquals(1, pair.b.ok("get_cq_events", "'cq':2").get("events").asInt());
      assertEquals(0, pair.b.ok("get_cq_events", "'cq':2").get("events").asInt());
    }
  }
}
