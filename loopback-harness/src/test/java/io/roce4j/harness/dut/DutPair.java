// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Two endpoints whose network is the test. Each has protection domain 1, a region 1 of 8192 bytes
 * with every right, completion queue 1 for sends and 2 for receives, and queue pair 1; the first is
 * QPN 17 at 192.0.2.1, the second 34 at 192.0.2.2.
 */
final class DutPair implements AutoCloseable {
  static final int MEMORY_BYTES = 8_192;
  static final String ALL = "'LOCAL_WRITE','REMOTE_WRITE','REMOTE_READ','REMOTE_ATOMIC','MW_BIND'";

  final DutDriver a = new DutDriver().open("192.0.2.1");
  final DutDriver b = new DutDriver().open("192.0.2.2");
  final JsonNode mrA;
  final JsonNode mrB;

  DutPair(String type, String more) {
    mrA = objects(a, type, 17, more);
    mrB = objects(b, type, 34, more);
  }

  /** Connected and able to send, path MTU 1024. */
  static DutPair connected(String type) {
    DutPair pair = new DutPair(type, "");
    pair.connect(type, "");
    return pair;
  }

  static JsonNode objects(DutDriver dut, String type, int qpn, String more) {
    dut.ok("alloc_pd", "");
    JsonNode mr =
        dut.ok(
            "reg_mr",
            "'pd':1,'length':" + MEMORY_BYTES + ",'access':[" + ALL + "],'fill':'counter'");
    dut.ok("create_cq", "'cqe':64");
    dut.ok("create_cq", "'cqe':64");
    dut.ok(
        "create_qp",
        "'type':'"
            + type
            + "','pd':1,'sendCq':1,'recvCq':2,'maxSendWr':16,'maxRecvWr':16,'maxSendSge':2,"
            + "'maxRecvSge':2,'maxInlineData':64,'qpn':"
            + qpn
            + more);
    return mr;
  }

  void connect(String type, String rtr) {
    side(a, type, "192.0.2.2", 34, rtr);
    side(b, type, "192.0.2.1", 17, rtr);
  }

  static void side(DutDriver dut, String type, String peer, int peerQpn, String rtr) {
    init(dut);
    boolean reliable = type.equals("RC");
    modify(
        dut,
        "'qpState':'RTR','pathMtu':1024,'destQpNum':"
            + peerQpn
            + ",'rqPsn':100,'ahAttr':{'destination':'"
            + peer
            + "','hopLimit':64}"
            + (reliable ? ",'maxDestRdAtomic':4,'minRnrTimer':12" : "")
            + rtr);
    modify(
        dut,
        "'qpState':'RTS','sqPsn':100"
            + (reliable ? ",'timeout':14,'retryCnt':2,'rnrRetry':1,'maxRdAtomic':4" : ""));
  }

  static void init(DutDriver dut) {
    modify(
        dut,
        "'qpState':'INIT','pkeyIndex':0,'portNum':1,"
            + "'qpAccessFlags':['REMOTE_WRITE','REMOTE_READ','REMOTE_ATOMIC']");
  }

  static JsonNode modify(DutDriver dut, String attr) {
    return dut.ok("modify_qp", "'qp':1,'attr':{" + attr + "}");
  }

  /** A scatter-gather list of one entry in the sender's region. */
  static String sge(JsonNode mr, int offset, int length) {
    long addr = Long.decode(mr.get("addr").asText()) + offset;
    return "'sgList':[{'addr':"
        + addr
        + ",'length':"
        + length
        + ",'lkey':"
        + mr.get("lkey").asText()
        + "}]";
  }

  /** Where a request goes in the peer's region. */
  static String remote(JsonNode mr, int offset) {
    long addr = Long.decode(mr.get("addr").asText()) + offset;
    return "'remoteAddr':'0x"
        + Long.toHexString(addr)
        + "','rkey':'"
        + mr.get("rkey").asText()
        + "'";
  }

  void post(int wrId, String opcode, String rest) {
    a.ok(
        "post_send",
        "'qp':1,'wrs':[{'wrId':"
            + wrId
            + ",'opcode':'"
            + opcode
            + "','sendFlags':['SIGNALED'],"
            + rest
            + "}]");
  }

  void receive(int wrId, int offset, int length) {
    b.ok("post_recv", "'qp':1,'wrs':[{'wrId':" + wrId + "," + sge(mrB, offset, length) + "}]");
  }

  /** Carries what the first sent to the second. */
  List<String> forth() {
    List<String> frames = a.drain();
    b.inject(frames);
    return frames;
  }

  /** Carries what the second sent to the first. */
  List<String> back() {
    List<String> frames = b.drain();
    a.inject(frames);
    return frames;
  }

  @Override
  public void close() {
    a.close();
    b.close();
  }
}
