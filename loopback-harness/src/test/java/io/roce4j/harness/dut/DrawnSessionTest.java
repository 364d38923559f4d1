// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sessions of drawn commands, sensible and senseless ones: every answer is an answer, nothing is an
 * internal error, and everything can be closed at the end.
 */
class DrawnSessionTest {
  private static final int COMMANDS = 4_000;
  private static final List<String> STATES =
      List.of("RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR");
  private static final List<String> OPCODES =
      List.of(
          "SEND",
          "SEND_WITH_IMM",
          "SEND_WITH_INV",
          "RDMA_WRITE",
          "RDMA_WRITE_WITH_IMM",
          "RDMA_READ",
          "ATOMIC_CMP_AND_SWP",
          "ATOMIC_FETCH_AND_ADD",
          "LOCAL_INV",
          "BIND_MW",
          "FLUSH");

  private SplittableRandom random;
  private DutDriver a;
  private DutDriver b;
  private String lkey;
  private String rkey;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void nothingDrawnIsAnInternalError(long seed) {
    random = new SplittableRandom(seed);
    try (DutPair pair = DutPair.connected(pick(List.of("RC", "RC", "UC")))) {
      a = pair.a;
      b = pair.b;
      // The same seed on both sides: the same keys, after a new open too.
      lkey = pair.mrA.get("lkey").asText();
      rkey = pair.mrA.get("rkey").asText();
      assertEquals(pair.mrA, pair.mrB);
      for (int i = 0; i < COMMANDS; i++) {
        DutDriver dut = random.nextBoolean() ? a : b;
        step(dut);
        if (random.nextInt(8) == 0) {
          carry(a, b);
          carry(b, a);
        }
      }
      for (DutDriver dut : List.of(a, b)) {
        if (dut.session.isOpen()) {
          dut.ok("close", "");
        }
        dut.open("192.0.2.9");
        assertEquals(1, dut.ok("alloc_pd", "").get("pd").asInt());
      }
    }
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private int handle() {
    return random.nextInt(16) == 0 ? random.nextInt(40) : 1 + random.nextInt(3);
  }

  private void carry(DutDriver from, DutDriver to) {
    if (!from.session.isOpen() || !to.session.isOpen()) {
      return;
    }
    StringBuilder frames = new StringBuilder();
    for (JsonNode frame : from.ok("drain", "").get("frames")) {
      String hex = frame.get("hex").asText();
      int fate = random.nextInt(20);
      if (fate == 0) {
        continue;
      }
      if (fate == 1) {
        hex = DutDriver.changed(hex, random.nextInt(hex.length() / 2), random.nextInt(256));
      }
      for (int copies = fate == 2 ? 2 : 1; copies > 0; copies--) {
        frames.append(frames.isEmpty() ? "'" : ",'").append(hex).append('\'');
      }
    }
    check(to, "inject", "'frames':[" + frames + "]");
  }

  private static void check(DutDriver dut, String cmd, String fields) {
    JsonNode answer = dut.send(cmd, fields);
    if (!answer.get("ok").asBoolean()) {
      assertNotEquals("EIO", answer.get("error").asText(), () -> cmd + " " + fields);
      assertNotEquals("UNKNOWN_COMMAND", answer.get("error").asText(), cmd);
    }
  }

  private void step(DutDriver dut) {
    String qp = "'qp':" + handle();
    switch (random.nextInt(30)) {
      case 0 -> check(dut, "alloc_pd", "");
      case 1 -> check(dut, "dealloc_pd", "'pd':" + handle());
      case 2 ->
          check(
              dut,
              "reg_mr",
              "'pd':" + handle() + ",'length':" + (1 + random.nextInt(9_000)) + ",'access':[]");
      case 3 -> check(dut, "dereg_mr", "'mr':" + handle());
      case 4 -> check(dut, "create_cq", "'cqe':" + random.nextInt(20));
      case 5 -> check(dut, "destroy_cq", "'cq':" + handle());
      case 6 -> check(dut, "create_srq", "'pd':" + handle() + ",'maxWr':" + random.nextInt(9));
      case 7 -> check(dut, "destroy_srq", "'srq':" + handle());
      case 8 -> check(dut, "modify_srq", "'srq':" + handle() + ",'srqLimit':" + random.nextInt(9));
      case 9 -> check(dut, "post_srq_recv", "'srq':" + handle() + ",'wrs':[{},{}]");
      case 10 -> check(dut, "create_qp", queuePair());
      case 11 -> {
        if (random.nextInt(4) == 0) {
          check(dut, "destroy_qp", qp);
        }
      }
      case 12, 13, 14 -> check(dut, "modify_qp", qp + ",'attr':{" + attributes() + "}");
      case 15, 16 -> check(dut, "post_recv", qp + ",'wrs':[{'wrId':1," + sge() + "},{}]");
      case 17, 18, 19, 20 -> check(dut, "post_send", qp + ",'wrs':[" + send() + "]");
      case 21 -> check(dut, "poll_cq", "'cq':" + handle() + ",'max':" + random.nextInt(40));
      case 22 -> check(dut, "advance", "'ns':" + random.nextLong(200_000_000));
      case 23 -> {
        check(dut, "advance", "'toNextDeadline':true");
        revive(dut);
      }
      case 24 -> check(dut, "async_events", "");
      case 25 -> check(dut, "query_qp", qp);
      case 26 -> check(dut, "alloc_mw", "'pd':1,'type':" + random.nextInt(4));
      case 27 ->
          check(
              dut,
              "bind_mw",
              qp + ",'mw':" + handle() + ",'mr':1,'addr':268435456,'length':64,'access':[]");
      case 28 -> check(dut, "dealloc_mw", "'mw':" + handle());
      default -> rare(dut, qp);
    }
  }

  /** Brings the first queue pair back from wherever it went. */
  private void revive(DutDriver dut) {
    for (String state : List.of("RESET", "INIT", "RTR", "RTS")) {
      check(dut, "modify_qp", "'qp':1,'attr':{" + attributes(state, true) + "}");
    }
  }

  private void rare(DutDriver dut, String qp) {
    switch (random.nextInt(12)) {
      case 0 -> {
        check(dut, "close", "");
        String bind = dut == a ? "192.0.2.1" : "192.0.2.2";
        dut.open(bind);
        DutPair.objects(dut, "RC", dut == a ? 17 : 34, "");
        DutPair.side(dut, "RC", dut == a ? "192.0.2.2" : "192.0.2.1", dut == a ? 34 : 17, "");
      }
      case 1 -> check(dut, "create_ah", "'pd':1,'destination':'192.0.2.3'");
      case 2 -> check(dut, "destroy_ah", "'ah':" + handle());
      case 3 -> check(dut, "attach_mcast", qp + ",'group':'224.0.0.7'");
      case 4 -> check(dut, "detach_mcast", qp + ",'group':'224.0.0.7'");
      case 5 -> check(dut, "mx_paths", qp);
      case 6 ->
          check(
              dut,
              "mx_set_path",
              qp
                  + ",'path':"
                  + random.nextInt(5)
                  + ",'state':'"
                  + pick(List.of("ACTIVE", "DRAIN", "DISABLED"))
                  + "'");
      case 7 -> check(dut, "cm_events", "");
      case 8 -> check(dut, "cm_listen", "'port':" + random.nextInt(4));
      case 9 -> check(dut, "cm_connect", qp + ",'address':'192.0.2.2','port':" + random.nextInt(4));
      case 10 -> check(dut, "cm_accept", qp + ",'cmId':" + handle());
      default -> check(dut, "cm_destroy", "'cmId':" + handle());
    }
  }

  private String queuePair() {
    return "'type':'"
        + pick(List.of("RC", "UC", "UD"))
        + "','pd':"
        + handle()
        + ",'sendCq':"
        + handle()
        + ",'recvCq':"
        + handle()
        + (random.nextInt(3) == 0 ? ",'srq':" + handle() : "")
        + (random.nextInt(3) == 0 ? ",'profile':'mx'" : "")
        + (random.nextInt(3) == 0 ? ",'congestion':'dcqcn'" : "")
        + ",'maxSendSge':2,'maxRecvSge':2,'maxInlineData':"
        + random.nextInt(100);
  }

  private String attributes() {
    return attributes(pick(STATES), random.nextBoolean());
  }

  private String attributes(String state, boolean whole) {
    String text = "'qpState':'" + state + "'";
    return switch (state) {
      case "INIT" ->
          text
              + ",'pkeyIndex':0,'portNum':1,"
              + (random.nextInt(3) == 0 ? "'qkey':7" : "'qpAccessFlags':['REMOTE_WRITE']");
      case "RTR" ->
          text
              + ",'pathMtu':256,'destQpNum':"
              + (random.nextBoolean() ? 17 : 34)
              + ",'rqPsn':"
              + (random.nextInt(4) == 0 ? random.nextInt(200) : 100)
              + ",'maxDestRdAtomic':2,'minRnrTimer':1,'ahAttr':{'destination':'192.0.2."
              + (1 + random.nextInt(2))
              + "'}";
      case "RTS" ->
          !whole
              ? text
              : text + ",'sqPsn':100,'timeout':8,'retryCnt':1,'rnrRetry':7,'maxRdAtomic':1";
      default -> text;
    };
  }

  private String sge() {
    return "'sgList':[{'addr':"
        + (0x1000_0000L + random.nextInt(9_000))
        + ",'length':"
        + random.nextInt(3_000)
        + ",'lkey':"
        + (random.nextInt(9) == 0 ? "3" : lkey)
        + "}]";
  }

  private String send() {
    return "{'wrId':"
        + random.nextInt(99)
        + ",'opcode':'"
        + pick(OPCODES)
        + "','sendFlags':["
        + pick(List.of("", "'SIGNALED'", "'FENCE'", "'SIGNALED','INLINE'", "'SOLICITED'"))
        + "],"
        + (random.nextInt(3) == 0 ? "'sgList':[]" : sge())
        + ",'remoteAddr':268435456,'rkey':'"
        + (random.nextInt(9) == 0 ? "0x3" : rkey)
        + "'"
        + (random.nextInt(4) == 0 ? ",'ah':1,'remoteQpn':34,'remoteQkey':7" : "")
        + (random.nextInt(2) == 0
            ? ",'mw':" + handle() + ",'mr':1,'addr':268435456,'length':64"
            : "")
        + "}";
  }
}
