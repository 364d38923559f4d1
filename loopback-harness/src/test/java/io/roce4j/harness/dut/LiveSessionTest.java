// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two endpoints over real UDP on the loopback interface, under the machine's clock. */
@EnabledOnOs(OS.LINUX) // the second loopback address
class LiveSessionTest {
  private static final String UDP_PORT = ",'udpPort':34791";
  private static final int POLLS_MAX = 2_000_000;

  private static JsonNode side(DutDriver dut, String port, String bind, String peer, int qpn) {
    dut.ok("open", "'port':'" + port + "','bind':'" + bind + "','activeMtu':1024" + UDP_PORT);
    JsonNode mr = DutPair.objects(dut, "RC", qpn, "");
    DutPair.side(dut, "RC", peer, 51 - qpn, "");
    return mr;
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "auto"})
  void writeCrossesRealSockets(String port) {
    try (DutDriver a = new DutDriver();
        DutDriver b = new DutDriver()) {
      JsonNode mrA = side(a, port, "127.0.0.41", "127.0.0.42", 17);
      JsonNode mrB = side(b, port, "127.0.0.42", "127.0.0.41", 34);
      a.ok(
          "post_send",
          "'qp':1,'wrs':[{'wrId':1,'opcode':'RDMA_WRITE','sendFlags':['SIGNALED'],"
              + DutPair.sge(mrA, 0, 3_000)
              + ","
              + DutPair.remote(mrB, 4_096)
              + "}]");
      List<String> completions = new ArrayList<>();
      for (int i = 0; i < POLLS_MAX && completions.isEmpty(); i++) {
        b.session.turn();
        a.session.turn();
        if (i % 100 == 0) {
          completions.addAll(a.poll(1));
        }
      }
      assertEquals(List.of("1 SUCCESS RDMA_WRITE 3000"), completions);
      assertEquals(a.memory(1, 0, 3_000), b.memory(1, 4_096, 3_000));
      assertEquals("EOPNOTSUPP", a.error("drain", ""));
      assertEquals("EOPNOTSUPP", a.error("inject", "'frames':['45']"));
      assertEquals("EINVAL", a.error("advance", "'ns':1"));
      assertEquals("EINVAL", a.error("advance", "'toNextDeadline':true"));
    }
  }

  @Test
  void portControlMayRunUnderTheClockOfTheMachine() {
    try (DutDriver a = new DutDriver()) {
      a.ok("open", "'port':'control','bind':'192.0.2.1','clock':'system'");
      JsonNode mr = DutPair.objects(a, "RC", 17, "");
      DutPair.init(a);
      DutPair.modify(
          a,
          "'qpState':'RTR','pathMtu':1024,'destQpNum':34,'rqPsn':100,'maxDestRdAtomic':1,"
              + "'minRnrTimer':12,'ahAttr':{'destination':'192.0.2.2'}");
      DutPair.modify(
          a, "'qpState':'RTS','sqPsn':100,'timeout':8,'retryCnt':1,'rnrRetry':1,'maxRdAtomic':1");
      a.ok(
          "post_send",
          "'qp':1,'wrs':[{'wrId':1,'opcode':'RDMA_WRITE',"
              + DutPair.sge(mr, 0, 8)
              + ",'remoteAddr':4096,'rkey':1}]");
      List<String> completions = new ArrayList<>();
      for (int i = 0; i < POLLS_MAX && completions.isEmpty(); i++) {
        a.session.turn();
        if (i % 100 == 0) {
          completions.addAll(a.poll(1));
        }
      }
      assertEquals(List.of("1 RETRY_EXC_ERR"), completions);
      JsonNode frames = a.ok("drain", "").get("frames");
      assertEquals(2, frames.size());
      long apartNs = frames.get(1).get("atNs").asLong() - frames.get(0).get("atNs").asLong();
      assertTrue(apartNs >= 1_048_576, () -> apartNs + " ns");
      assertEquals("EINVAL", a.error("advance", "'ns':1"));
    }
  }

  @Test
  void portInUseIsToldAndLeavesNothingOpen() {
    try (DutDriver a = new DutDriver();
        DutDriver b = new DutDriver()) {
      String fields = "'port':'nio','bind':'127.0.0.43'" + UDP_PORT;
      a.ok("open", fields);
      assertEquals("ENODEV", b.error("open", fields));
      a.ok("close", "");
      b.ok("open", fields);
    }
  }

  @Test
  void liveEndpointRunsWhileNoRequestComes() throws IOException, InterruptedException {
    PipedOutputStream requests = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(requests, 1 << 16);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter log = new StringWriter();
    DutServer server = new DutServer(in, out, new PrintWriter(log, true), null);
    Thread client =
        new Thread(
            () -> {
              try (DutDriver peer = new DutDriver();
                  requests) {
                drive(peer, requests);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
    client.start();
    server.serve();
    client.join();
    assertEquals("", log.toString());
    List<String> answers = out.toString(StandardCharsets.UTF_8).lines().toList();
    assertTrue(answers.stream().allMatch(a -> a.contains("\"ok\":true")), answers::toString);
    assertTrue(answers.getLast().contains("\"rx_write_requests\":1"), answers::getLast);
  }

  /** Opens the peer of a server that stays silent after its own opening, and writes to it. */
  private static void drive(DutDriver peer, PipedOutputStream requests) throws IOException {
    for (String line :
        List.of(
            "'cmd':'open','port':'nio','bind':'127.0.0.45','activeMtu':1024" + UDP_PORT,
            "'cmd':'alloc_pd'",
            "'cmd':'reg_mr','pd':1,'length':64,'access':['LOCAL_WRITE','REMOTE_WRITE'],"
                + "'addr':4096,'rkey':'0x12345601'",
            "'cmd':'create_cq','cqe':4",
            "'cmd':'create_qp','type':'RC','pd':1,'sendCq':1,'recvCq':1,'qpn':34",
            "'cmd':'modify_qp','qp':1,'attr':{'qpState':'INIT','pkeyIndex':0,'portNum':1,"
                + "'qpAccessFlags':['REMOTE_WRITE']}",
            "'cmd':'modify_qp','qp':1,'attr':{'qpState':'RTR','pathMtu':1024,'destQpNum':17,"
                + "'rqPsn':100,'maxDestRdAtomic':1,'minRnrTimer':12,"
                + "'ahAttr':{'destination':'127.0.0.44'}}")) {
      requests.write(("{" + line.replace('\'', '"') + "}\n").getBytes(StandardCharsets.UTF_8));
    }
    requests.flush();
    JsonNode mr = side(peer, "nio", "127.0.0.44", "127.0.0.45", 17);
    peer.ok(
        "post_send",
        "'qp':1,'wrs':[{'wrId':1,'opcode':'RDMA_WRITE','sendFlags':['SIGNALED'],"
            + DutPair.sge(mr, 0, 64)
            + ",'remoteAddr':4096,'rkey':'0x12345601'}]");
    List<String> completions = new ArrayList<>();
    for (int i = 0; i < POLLS_MAX && completions.isEmpty(); i++) {
      peer.session.turn();
      if (i % 100 == 0) {
        completions.addAll(peer.poll(1));
      }
    }
    assertEquals(List.of("1 SUCCESS RDMA_WRITE 64"), completions);
    requests.write("{\"cmd\":\"counters\"}\n".getBytes(StandardCharsets.UTF_8));
  }
}
