// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The frame of the conversation: lines, ids, errors, hostile input. */
class ConversationTest {
  private final DutDriver dut = new DutDriver();

  @AfterEach
  void close() {
    dut.close();
  }

  private void assertRefused(JsonNode answer, String error) {
    assertFalse(answer.get("ok").asBoolean(), answer::toString);
    assertEquals(error, answer.get("error").asText(), answer::toString);
    assertTrue(answer.get("message").isTextual());
    assertEquals("", dut.log.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "nonsense",
        "{",
        "{'id':7}",
        "[]",
        "7",
        "null",
        "true",
        "\"open\"",
        "{\"id\":NaN}",
        "{\"id\":01}"
      })
  void lineThatIsNoJsonObjectIsBadJsonWithoutId(String line) {
    JsonNode answer = dut.line(line);
    assertRefused(answer, "BAD_JSON");
    assertTrue(answer.get("id").isNull());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"id":7,"cmd":|7
          {"id":7,"cmd":"drain|7
          {"id":7} trailing|7
          {"id":7}{"id":8}|7
          {"id":7,"id":8,"cmd":"drain"}|7
          {"cmd":"drain","cmd":"drain","id":"seven"}|"seven"
          {"frames":[{"id":1}],"id":true,"ns":01}|true
          {"id":18446744073709551616,"cmd"}|18446744073709551616
          {"id":1e400,"cmd"}|1E+400
          {"id":[7],"cmd"}|null
          {"id":-,"cmd":"drain"}|null
          {"cmd":,"id":7}|null
          """)
  void badJsonHasTheIdThatStandsInFrontOfTheFault(String line, String id) {
    assertRefused(dut.line(line), "BAD_JSON");
    String answer = answerText(line);
    assertTrue(answer.startsWith("{\"id\":" + id + ",\"ok\":false,"), answer);
  }

  private String answerText(String line) {
    byte[] answer = dut.session.answer(line.getBytes(StandardCharsets.UTF_8));
    return new String(answer, StandardCharsets.UTF_8);
  }

  @Test
  void numberBeyondDoublesIsNoIntegerAndAnIdLikeOthers() {
    dut.open("192.0.2.1");
    String line = "{\"id\":1e400,\"cmd\":\"create_cq\",\"cqe\":-1e400}";
    String answer = answerText(line);
    assertEquals(
        "{\"id\":1E+400,\"ok\":false,\"error\":\"BAD_FIELD\","
            + "\"message\":\"cqe -1E+400 is not an integer\"}",
        answer);
  }

  @Test
  void badBytesBehindTheIdDoNotHideIt() {
    byte[] line = "{\"id\":5,\"cmd\":\"?\"}".getBytes(StandardCharsets.UTF_8);
    line[15] = (byte) 0xFF;
    JsonNode answer = dut.line(line);
    assertRefused(answer, "BAD_JSON");
    assertEquals(5, answer.get("id").asInt());
  }

  @Test
  void ringsHaveALimitTogetherAndOneThatIsGivenBackCanBeTakenAgain() {
    dut.open("192.0.2.1");
    dut.ok("alloc_pd", "");
    dut.ok("create_cq", "'cqe':16");
    String giant =
        "'type':'RC','pd':1,'sendCq':1,'recvCq':1,'maxInlineData':4096,'maxSendWr':65536";
    int made = 0;
    String error = "";
    while (error.isEmpty()) {
      JsonNode answer = dut.send("create_qp", giant);
      made++;
      error = answer.path("error").asText();
    }
    assertEquals("ENOMEM", error);
    assertEquals(4, made, "three of 264 MiB fit 1 GiB");
    for (int i = 0; i < 3; i++) {
      dut.ok("create_cq", "'cqe':1048576");
    }
    assertEquals("ENOMEM", dut.error("create_cq", "'cqe':1048576"));
    dut.ok("create_cq", "'cqe':16");
    dut.ok("destroy_qp", "'qp':1");
    dut.ok("create_qp", giant);
  }

  @Test
  void bytesThatAreNoUtf8AreBadJson() {
    assertRefused(dut.line(new byte[] {'{', '"', (byte) 0xFF, '"', ':', '1', '}'}), "BAD_JSON");
    // What a parser that guesses would take for UTF-16.
    byte[] utf16 = "{\"id\":1,\"cmd\":\"drain\"}".getBytes(StandardCharsets.UTF_16LE);
    assertRefused(dut.line(utf16), "BAD_JSON");
  }

  @Test
  void deepNestingIsBadJson() {
    assertRefused(dut.line("{\"id\":" + "[".repeat(100_000)), "BAD_JSON");
    assertRefused(dut.line("{\"a\":".repeat(100_000)), "BAD_JSON");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"id":7,"cmd":"nope"}|7|UNKNOWN_COMMAND
          {"id":"seven","cmd":"nope"}|"seven"|UNKNOWN_COMMAND
          {"id":18446744073709551616,"cmd":"nope"}|18446744073709551616|UNKNOWN_COMMAND
          {"id":null,"cmd":"nope"}|null|UNKNOWN_COMMAND
          {"cmd":"nope"}|null|UNKNOWN_COMMAND
          {"id":[7],"cmd":"nope"}|null|UNKNOWN_COMMAND
          {"id":7}|7|BAD_FIELD
          {"id":7,"cmd":null}|7|BAD_FIELD
          {"id":7,"cmd":5}|7|BAD_FIELD
          {"id":7,"cmd":"drain","frames":1}|7|BAD_FIELD
          {"id":7,"cmd":"drain"}|7|EINVAL
          {"id":7,"cmd":"close"}|7|EINVAL
          """)
  void answerHasTheIdOfItsRequest(String line, String id, String error) {
    JsonNode answer = dut.line(line);
    assertRefused(answer, error);
    assertEquals(id, answer.get("id").toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          create_cq|'cqe':'16'|BAD_FIELD
          create_cq|'cqe':16.0|BAD_FIELD
          create_cq|'cqe':1e1|BAD_FIELD
          create_cq|'cqe':[16]|BAD_FIELD
          create_cq|'cqe':true|BAD_FIELD
          create_cq|'cqe':null|BAD_FIELD
          create_cq||BAD_FIELD
          create_cq|'cqe':16,'cqes':1|BAD_FIELD
          create_cq|'cqe':0|EINVAL
          create_cq|'cqe':-1|EINVAL
          create_cq|'cqe':4294967312|EINVAL
          create_cq|'cqe':99999999999999999999999999|EINVAL
          reg_mr|'pd':1,'length':0,'access':[]|EINVAL
          reg_mr|'pd':1,'length':-1,'access':[]|EINVAL
          reg_mr|'pd':1,'length':9223372036854775807,'access':[]|ENOMEM
          reg_mr|'pd':1,'length':18446744073709551615,'access':[]|EINVAL
          reg_mr|'pd':1,'length':4096,'access':'LOCAL_WRITE'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[1]|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':['NO_SUCH']|EINVAL
          reg_mr|'pd':1,'length':4096,'access':['REMOTE_WRITE']|EINVAL
          reg_mr|'pd':1,'length':4096,'access':[],'fill':'0'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[],'fill':'zz'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[],'addr':'1000'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[],'addr':'0x'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[],'addr':'0x-1'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[],'addr':'0x10000000000000000'|BAD_FIELD
          reg_mr|'pd':1,'length':4096,'access':[],'addr':18446744073709551616|EINVAL
          reg_mr|'pd':1,'length':8192,'access':[],'addr':'0xfffffffffffff000'|EINVAL
          create_ah|'pd':1,'destination':'192.0.2.1','hopLimit':0|EINVAL
          create_ah|'pd':1,'destination':'192.0.2.1','hopLimit':256|EINVAL
          create_ah|'pd':1,'destination':'2001:db8::1'|EINVAL
          reg_mr|'pd':1,'length':4096,'access':[],'rkey':'0x123456789'|EINVAL
          reg_mr|'pd':1,'length':4096,'access':[],'rkey':5|EINVAL
          reg_mr|'pd':2,'length':4096,'access':[]|EINVAL
          inject|'frames':'00'|BAD_FIELD
          inject|'frames':['0']|BAD_FIELD
          inject|'frames':['']|BAD_FIELD
          inject|'frames':['45','xx']|BAD_FIELD
          inject|'frames':[5]|BAD_FIELD
          inject||BAD_FIELD
          advance||BAD_FIELD
          advance|'ns':1,'toNextDeadline':true|BAD_FIELD
          advance|'toNextDeadline':false|BAD_FIELD
          advance|'toNextDeadline':'yes'|BAD_FIELD
          advance|'ns':-1|EINVAL
          advance|'ns':9223372036854775807|EINVAL
          open|'port':'control','bind':'192.0.2.2'|EBUSY
          """)
  void wrongFieldIsToldFromWrongValue(String cmd, String fields, String error) {
    dut.open("192.0.2.2");
    dut.ok("alloc_pd", "");
    assertEquals(error, dut.error(cmd, fields == null ? "" : fields));
  }

  @Test
  void unknownHandleIsInvalidInEveryCommandThatTakesOne() {
    dut.open("192.0.2.2");
    for (String handle : List.of("5", "0", "-1", "99999999999")) {
      assertEquals("EINVAL", dut.error("dealloc_pd", "'pd':" + handle));
      assertEquals("EINVAL", dut.error("reg_mr", "'length':1,'access':[],'pd':" + handle));
      assertEquals("EINVAL", dut.error("dereg_mr", "'mr':" + handle));
      assertEquals("EINVAL", dut.error("read_memory", "'offset':0,'length':1,'mr':" + handle));
      assertEquals("EINVAL", dut.error("write_memory", "'offset':0,'hex':'00','mr':" + handle));
      assertEquals("EINVAL", dut.error("alloc_mw", "'type':1,'pd':" + handle));
      assertEquals("EINVAL", dut.error("dealloc_mw", "'mw':" + handle));
      assertEquals("EINVAL", dut.error("destroy_cq", "'cq':" + handle));
      assertEquals("EINVAL", dut.error("req_notify_cq", "'cq':" + handle));
      assertEquals("EINVAL", dut.error("get_cq_events", "'cq':" + handle));
      assertEquals("EINVAL", dut.error("poll_cq", "'max':1,'cq':" + handle));
      assertEquals("EINVAL", dut.error("create_srq", "'maxWr':1,'maxSge':1,'pd':" + handle));
      assertEquals("EINVAL", dut.error("modify_srq", "'srqLimit':1,'srq':" + handle));
      assertEquals("EINVAL", dut.error("query_srq", "'srq':" + handle));
      assertEquals("EINVAL", dut.error("post_srq_recv", "'wrs':[],'srq':" + handle));
      assertEquals("EINVAL", dut.error("destroy_srq", "'srq':" + handle));
      assertEquals("EINVAL", dut.error("modify_qp", "'attr':{},'qp':" + handle));
      assertEquals("EINVAL", dut.error("query_qp", "'qp':" + handle));
      assertEquals("EINVAL", dut.error("destroy_qp", "'qp':" + handle));
      assertEquals("EINVAL", dut.error("destroy_ah", "'ah':" + handle));
      assertEquals("EINVAL", dut.error("attach_mcast", "'group':'224.1.1.1','qp':" + handle));
      assertEquals("EINVAL", dut.error("detach_mcast", "'group':'224.1.1.1','qp':" + handle));
      assertEquals("EINVAL", dut.error("post_recv", "'wrs':[],'qp':" + handle));
      assertEquals("EINVAL", dut.error("post_send", "'wrs':[],'qp':" + handle));
      assertEquals("EINVAL", dut.error("counters", "'qp':" + handle));
    }
  }

  @Test
  void everyCommandHasItsName() {
    List<String> contract =
        List.of(
            "open",
            "advance",
            "inject",
            "drain",
            "counters",
            "async_events",
            "close",
            "alloc_pd",
            "dealloc_pd",
            "reg_mr",
            "dereg_mr",
            "read_memory",
            "write_memory",
            "alloc_mw",
            "bind_mw",
            "dealloc_mw",
            "create_cq",
            "destroy_cq",
            "req_notify_cq",
            "get_cq_events",
            "create_srq",
            "modify_srq",
            "query_srq",
            "post_srq_recv",
            "destroy_srq",
            "create_qp",
            "modify_qp",
            "query_qp",
            "destroy_qp",
            "create_ah",
            "destroy_ah",
            "attach_mcast",
            "detach_mcast",
            "post_recv",
            "post_send",
            "poll_cq",
            "mx_paths",
            "mx_set_path",
            "cm_listen",
            "cm_connect",
            "cm_accept",
            "cm_reject",
            "cm_disconnect",
            "cm_destroy",
            "cm_events");
    assertTrue(dut.session.commands().containsAll(contract), dut.session.commands()::toString);
    for (String command : contract) {
      // Without an endpoint and without fields each says something better than "unknown".
      assertTrue(List.of("BAD_FIELD", "EINVAL").contains(dut.error(command, "")), command);
    }
  }

  @Test
  void everyAnswerToOpenTellsTheVersion() {
    assertEquals(1, dut.send("open", "'port':'control'").get("proto").asInt());
    assertEquals(1, dut.send("open", "'port':'nope','bind':'::1'").get("proto").asInt());
    JsonNode opened = dut.ok("open", "'port':'control','bind':'::1','activeMtu':1024");
    assertEquals(1, opened.get("proto").asInt());
    assertEquals("::1", opened.get("gid").asText());
    assertEquals(1024, opened.get("activeMtu").asInt());
    assertEquals(0, opened.get("nowNs").asLong());
    for (String limit :
        List.of("maxQp", "maxQpWr", "maxSge", "maxCqe", "maxMr", "maxMsgSize", "maxQpRdAtom")) {
      assertTrue(opened.get("limits").get(limit).asLong() > 0, limit);
    }
    assertEquals(1, dut.send("open", "'port':'control','bind':'::1'").get("proto").asInt());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          'bind':'::1'|BAD_FIELD
          'port':'control'|BAD_FIELD
          'port':'control','bind':'localhost'|EINVAL
          'port':'nope','bind':'127.0.0.1'|EINVAL
          'port':'nio','bind':'nonsense'|EINVAL
          'port':'nio','bind':'192.0.2.77'|ENODEV
          'port':'nio','bind':'127.0.0.1','clock':'manual'|EINVAL
          'port':'control','bind':'::1','clock':'sundial'|EINVAL
          'port':'control','bind':'::1','udpPort':65536|EINVAL
          'port':'control','bind':'::1','activeMtu':9000|EINVAL
          'port':'control','bind':'::1','activeMtu':1000|EINVAL
          'port':'control','bind':'::1','icrcMode':'lax'|EINVAL
          'port':'control','bind':'::1','seed':'x'|BAD_FIELD
          """)
  void openRefusesWhatCannotBe(String fields, String error) {
    assertEquals(error, dut.error("open", fields));
    dut.open("::1");
  }

  @Test
  void nothingOfAnEndpointOutlivesIt() {
    dut.open("192.0.2.2");
    dut.ok("alloc_pd", "");
    dut.ok("reg_mr", "'pd':1,'length':64,'access':[],'rkey':'0x12345678'");
    dut.ok("advance", "'ns':5000");
    dut.ok("close", "");
    assertEquals("EINVAL", dut.error("dealloc_pd", "'pd':1"));
    dut.open("192.0.2.2");
    assertEquals("EINVAL", dut.error("dealloc_pd", "'pd':1"));
    assertEquals(0, dut.ok("advance", "'ns':0").get("nowNs").asLong());
    assertEquals(1, dut.ok("alloc_pd", "").get("pd").asInt());
    dut.ok("reg_mr", "'pd':1,'length':64,'access':[],'rkey':'0x12345678'");
  }

  private static String serve(String requests) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter log = new StringWriter();
    byte[] bytes = requests.getBytes(StandardCharsets.UTF_8);
    new DutServer(new ByteArrayInputStream(bytes), out, new PrintWriter(log, true), null).serve();
    assertEquals("", log.toString());
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void requestsSentAheadAreAnsweredInOrder() throws IOException {
    StringBuilder requests = new StringBuilder();
    requests.append("{\"id\":0,\"cmd\":\"open\",\"port\":\"control\",\"bind\":\"::1\"}\r\n");
    for (int i = 1; i <= 500; i++) {
      requests.append("{\"id\":").append(i).append(",\"cmd\":\"alloc_pd\"}\n");
    }
    // The last line has no end of its own.
    requests.append("{\"id\":501,\"cmd\":\"close\"}");
    List<String> answers = serve(requests.toString()).lines().toList();
    assertEquals(502, answers.size());
    for (int i = 0; i <= 501; i++) {
      assertTrue(answers.get(i).startsWith("{\"id\":" + i + ",\"ok\":true"), answers.get(i));
    }
  }

  @Test
  void lineTooLongIsRefusedAndTheNextAnswered() throws IOException {
    String line = "{\"id\":1,\"cmd\":\"" + "x".repeat(DutSession.LINE_BYTES_MAX) + "\"}\n";
    List<String> answers = serve(line + "{\"id\":2,\"cmd\":\"nope\"}\n").lines().toList();
    assertEquals(2, answers.size());
    assertTrue(answers.get(0).startsWith("{\"id\":null,\"ok\":false,\"error\":\"BAD_JSON\""));
    assertTrue(answers.get(1).startsWith("{\"id\":2,\"ok\":false,\"error\":\"UNKNOWN_COMMAND\""));
  }

  @Test
  void injectTakesAsManyFramesAsALineOfSixteenMebibytesMayHold() {
    dut.open("192.0.2.2");
    String frame = "\"" + "45".repeat(1_000) + "\"";
    String list = (frame + ",").repeat(4_095) + frame;
    JsonNode answer = dut.line("{\"id\":1,\"cmd\":\"inject\",\"frames\":[" + list + "]}");
    assertEquals(4_096, answer.get("results").size());
    JsonNode more =
        dut.line("{\"id\":1,\"cmd\":\"inject\",\"frames\":[" + list + "," + frame + "]}");
    assertRefused(more, "BAD_FIELD");
    assertEquals(4_096, dut.counter("drop_address"));
  }

  @Test
  void drawnLinesNeverEndTheSession() {
    SplittableRandom random = new SplittableRandom(5);
    dut.open("192.0.2.2");
    String[] pieces = {
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "\"id\"",
      "\"cmd\"",
      "\"inject\"",
      "\"open\"",
      "\"pd\"",
      "1",
      "-1",
      "1e999",
      "null",
      "\"0x1\"",
      "\"frames\"",
      "\"modify_qp\"",
      "\"attr\"",
      "\"poll_cq\"",
      "\"post_send\"",
      "\"wrs\"",
      "\"qp\"",
      "\\u0000",
      "é",
      "99999999999999999999"
    };
    for (int i = 0; i < 5_000; i++) {
      StringBuilder line = new StringBuilder();
      int length = random.nextInt(20);
      for (int k = 0; k < length; k++) {
        line.append(pieces[random.nextInt(pieces.length)]);
      }
      JsonNode answer = dut.line(line.toString());
      assertTrue(answer.has("ok") && answer.has("id"), line::toString);
    }
    assertEquals("", dut.log.toString());
    dut.ok("alloc_pd", "");
  }
}
