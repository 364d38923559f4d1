// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.roce4j.harness.cli.Roce4jCommand;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tool on captures of Linux's rdma_rxe, and on what goes wrong with files and options. */
class DecodeCommandTest {
  private static final Path CAPTURES = Path.of("../wire/src/test/resources/captures");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TempDir private Path folder;
  private String out;
  private String err;

  private int run(String... arguments) {
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    int exitCode =
        Roce4jCommand.commandLine(
                new PrintWriter(outText), new PrintWriter(errText), new DecodeCommand())
            .execute(arguments);
    out = outText.toString();
    err = errText.toString();
    return exitCode;
  }

  private static String capture(String name) {
    return CAPTURES.resolve(name + ".pcap").toString();
  }

  private List<JsonNode> jsonLines() throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.lines().toList()) {
      lines.add(MAPPER.readTree(line));
    }
    return lines;
  }

  static List<JsonNode> manifest() throws IOException {
    List<JsonNode> list = new ArrayList<>();
    try (InputStream stream = Files.newInputStream(CAPTURES.resolve("manifest.json"))) {
      MAPPER.readTree(stream).get("captures").forEach(list::add);
    }
    return list;
  }

  @ParameterizedTest
  @MethodSource("manifest")
  void jsonAgreesWithTheManifestFieldByField(JsonNode capture) throws IOException {
    String file = capture.get("file").asText();
    assertEquals(0, run("decode", "--json", "-", CAPTURES.resolve(file).toString()));
    List<JsonNode> lines = jsonLines();
    JsonNode packets = capture.get("packets");
    assertEquals(packets.size(), lines.size(), file);
    for (int i = 0; i < lines.size(); i++) {
      JsonNode line = lines.get(i);
      for (Map.Entry<String, JsonNode> field : packets.get(i).properties()) {
        String path = jsonPath(field.getKey(), line);
        if (path.isEmpty()) {
          continue;
        }
        JsonNode actual = line.at(path);
        String at = file + " packet " + (i + 1) + " " + field.getKey();
        assertFalse(actual.isMissingNode(), at);
        assertEquals(normal(field.getValue()), normal(actual), at);
      }
      assertEquals(line.get("icrcOk").asBoolean() ? null : "bad-icrc", text(line.get("fault")));
    }
  }

  private static String text(JsonNode node) {
    return node == null ? null : node.asText();
  }

  /** Where the tool's object has a field of the manifest; empty for those it does not speak of. */
  private static String jsonPath(String field, JsonNode line) {
    String reth = line.has("atomicEth") ? "/atomicEth" : "/reth";
    return switch (field) {
      case "n" -> "/n";
      case "src" -> "/src";
      case "dst" -> "/dst";
      case "ip_id" -> "/ipId";
      case "df" -> "/df";
      case "ttl", "hlim" -> "/ttl";
      case "tos", "tclass" -> "/tos";
      case "flow" -> "/flowLabel";
      case "sport" -> "/sport";
      case "udp_csum" -> "/udpChecksum";
      case "udp_len" -> "/udpLength";
      case "opcode" -> "/opcode";
      case "op" -> "/opcodeName";
      case "se" -> "/se";
      case "migreq" -> "/migReq";
      case "pad" -> "/padCount";
      case "tver" -> "/tver";
      case "pkey" -> "/pkey";
      case "dqp" -> "/destQp";
      case "ackreq" -> "/ackReq";
      case "psn" -> "/psn";
      case "aeth_syndrome" -> "/aeth/syndrome";
      case "aeth_msn" -> "/aeth/msn";
      case "imm" -> "/immDt";
      case "reth_va" -> reth + "/va";
      case "reth_rkey" -> reth + "/rkey";
      case "reth_len" -> "/reth/dmaLength";
      case "ieth_rkey" -> "/ieth";
      case "atomic_swap_add" -> "/atomicEth/swapOrAdd";
      case "atomic_cmp" -> "/atomicEth/compare";
      case "atomic_orig" -> "/atomicAckEth/original";
      case "deth_qkey" -> "/deth/qkey";
      case "deth_srcqp" -> "/deth/srcQp";
      case "icrc_wire" -> "/icrc";
      case "icrc_ok" -> "/icrcOk";
      case "mad_tid" -> "/cm/transactionId";
      default -> "";
    };
  }

  /** Numbers, hex strings and flags as one form; other text as it is. */
  private static String normal(JsonNode node) {
    if (node.isBoolean()) {
      return node.asBoolean() ? "1" : "0";
    }
    String text = node.asText();
    return text.startsWith("0x")
        ? Long.toUnsignedString(Long.parseUnsignedLong(text, 2, text.length(), 16))
        : text;
  }

  @Test
  void textIsOneLineAPacketAndATotal() {
    assertEquals(0, run("decode", capture("rc-nak-psn-v4")));
    List<String> lines = out.lines().toList();
    assertEquals(13, lines.size());
    assertTrue(
        lines
            .get(4)
            .endsWith(
                " IP 10.77.0.2.50752 > 10.77.0.3.4791: RC_ACK qp 0x000028 psn 258 NAK PSN sequence"
                    + " error msn 0"),
        lines.get(4));
    assertTrue(lines.get(12).endsWith("12 frames, 12 RoCE packets, no faults"), lines.get(12));
    assertEquals("", err);
  }

  @Test
  void verboseTextHoldsEveryField() {
    assertEquals(0, run("decode", "-v", capture("rc-atomics-v4")));
    for (String part :
        List.of(
            "eth 02:77:00:00:00:03 > 02:77:00:00:00:02",
            "tos 0x00 (dscp 0, ecn 0), hop limit 64, id 0x",
            ", DF, udp length ",
            "bth opcode 0x13, se 0, migreq 0, pad 0, tver 0, pkey 0xffff, fecn 0, becn 0, ackreq 1",
            " right",
            "swap 0x1122334455667788",
            "original 0x")) {
      assertTrue(out.contains(part), part);
    }
  }

  @Test
  void strictFailsOnABadIcrcAndExplainsIt() {
    assertEquals(0, run("decode", capture("rc-bad-icrc-v4")));
    assertEquals(1, run("decode", "--strict", capture("rc-bad-icrc-v4")));
    assertTrue(
        out.contains(
            "[bad-icrc: expected 50067c3e: one byte was changed on the way (byte 0 of the ICRC"
                + " itself, bits 0x01)]"),
        out);
    assertTrue(out.contains("8 frames, 8 RoCE packets, 1 bad-icrc"));
    assertEquals(0, run("decode", "--strict", capture("rc-send-only-v4")));
    assertEquals(0, run("decode", "--strict", "--opcode", "RC_ACK", capture("rc-bad-icrc-v4")));
  }

  @Test
  void filtersByQueuePairOpcodeAndFault() throws IOException {
    run("decode", "--json", "-", "--fault", "bad-icrc", capture("rc-bad-icrc-v4"));
    assertEquals(1, jsonLines().size());
    assertEquals(3, jsonLines().getFirst().get("n").asInt());
    run("decode", "--json", "-", "--fault", "any", capture("rc-bad-icrc-v4"));
    assertEquals(1, jsonLines().size());
    run("decode", "--json", "-", "--qp", "0xabc", capture("rc-bad-icrc-v4"));
    assertEquals(3, jsonLines().size());
    run("decode", "--json", "-", "--qp", "0xabc,57", capture("rc-bad-icrc-v4"));
    assertEquals(7, jsonLines().size());
    run("decode", "--json", "-", "--opcode", "rc_read*,0x11", capture("rc-read-v4"));
    for (JsonNode line : jsonLines()) {
      String name = line.get("opcodeName").asText();
      assertTrue(name.startsWith("RC_READ") || name.equals("RC_ACK"), name);
    }
    run("decode", "--json", "-", "--qp", "1", capture("cm-rping-v4"));
    assertTrue(jsonLines().stream().allMatch(line -> line.has("cm")));
  }

  @Test
  void followPairsByAcknowledgementsAndMarksTheResend() {
    assertEquals(
        0, run("decode", "--follow", "10.77.0.3>10.77.0.2:0x28", capture("rc-nak-psn-v4")));
    List<String> lines = out.lines().toList();
    assertEquals(
        "following 10.77.0.3 > 10.77.0.2 qp 0x000028; answers go to qp 0x000028 (by"
            + " acknowledgements)",
        lines.get(0));
    assertTrue(lines.get(1).endsWith("| > rel 0: first"), lines.get(1));
    assertTrue(
        lines.get(5).endsWith("| < rel 2: asks again from rel 2, acks rel 0..1 (#2, 1124 us)"));
    assertTrue(lines.get(6).endsWith("| > rel 2: retransmission of #3"), lines.get(6));
    assertTrue(lines.get(10).endsWith("| < rel 5: acks rel 2..5 (#9, 152 us)"), lines.get(10));
    assertEquals(
        "followed 12 packets: 2 retransmissions, 0 missing, 7 acknowledged, 1 NAKs", lines.get(13));
  }

  /** A pipe gives its bytes once: the second reading would wait for ever. */
  @Test
  @Timeout(30)
  void followRefusesAPipe(@TempDir Path folder) throws IOException, InterruptedException {
    Path pipe = folder.resolve("pipe");
    assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "no mkfifo");
    assertEquals(2, run("decode", "--follow", "10.77.0.3>10.77.0.2:0x28", pipe.toString()));
    assertTrue(err.contains(pipe + " is no regular file"), err);
    assertEquals(1, err.lines().count(), err);
  }

  @Test
  void followPairsByCmMessages() {
    assertEquals(0, run("decode", "--follow", "10.77.0.3>10.77.0.2:0x3a", capture("cm-rping-v4")));
    assertTrue(out.contains("answers go to qp 0x000037 (by CM)"), out);
    assertTrue(out.contains("| < rel 0: acks rel 0 (#4, "), out);
    // The other way round the roles of the REQ and the REP are exchanged.
    assertEquals(0, run("decode", "--follow", "10.77.0.2>10.77.0.3:0x37", capture("cm-rping-v4")));
    assertTrue(out.contains("answers go to qp 0x00003a (by CM)"), out);
  }

  @Test
  void followMarksAResumedReadAndRepeatedResponses() throws IOException {
    run(
        "decode",
        "--follow",
        "10.77.0.3>10.77.0.2:0x2c",
        "--json",
        "-",
        capture("rc-read-resp-lost-v4"));
    List<JsonNode> lines = jsonLines();
    assertEquals("READ asked again from here", lines.get(7).at("/follow/note").asText());
    assertEquals(1, lines.get(7).at("/follow/relativePsn").asInt());
    assertEquals("forward", lines.get(7).at("/follow/direction").asText());
    assertEquals("repeated response", lines.get(8).at("/follow/note").asText());
    assertEquals("reverse", lines.get(8).at("/follow/direction").asText());
  }

  @Test
  void summaryCountsPerDirection() throws IOException {
    assertEquals(0, run("decode", "-q", "--summary", capture("rc-rnr-v4")));
    assertEquals(8, out.lines().count());
    String counts =
        out.lines()
            .filter(line -> line.startsWith("10.77.0.2 > 10.77.0.3 qp 0x00002f"))
            .findFirst()
            .orElseThrow();
    assertEquals(
        "RC 12 0 0 0 0 2 5 5 0 0 0", counts.substring(45).strip().replaceAll(" +", " "), counts);
    run("decode", "-q", "--summary", "--json", "-", "--fault", "bad-mad", capture("rc-nak-psn-v4"));
    List<JsonNode> lines = jsonLines();
    assertEquals(2, lines.size());
    JsonNode forward = lines.get(0).get("summary");
    assertEquals("10.77.0.3", forward.get("src").asText());
    assertEquals(2, forward.get("messages").asInt());
    assertEquals(2, forward.get("repeated").asInt());
    assertEquals(6_005, forward.get("payloadBytes").asInt());
    assertEquals(1, lines.get(1).at("/summary/naks").asInt());
    assertEquals(2, lines.get(1).at("/summary/acks").asInt());
  }

  @Test
  void severalFilesEachStartAtOne() throws IOException {
    run("decode", "--json", "-", capture("rc-ack-lost-v4"), capture("rc-nak-psn-v4"));
    List<JsonNode> lines = jsonLines();
    assertEquals(26, lines.size());
    assertEquals(14, lines.get(13).get("n").asInt());
    assertEquals(1, lines.get(14).get("n").asInt());
    assertTrue(lines.get(14).get("file").asText().endsWith("rc-nak-psn-v4.pcap"));
  }

  @Test
  void jsonGoesToAFileBesideTheText() throws IOException {
    Path file = folder.resolve("out.jsonl");
    assertEquals(0, run("decode", "--json", file.toString(), capture("rc-nak-psn-v4")));
    assertEquals(12, Files.readAllLines(file).size());
    assertEquals(13, out.lines().count());
    assertEquals(2, run("decode", "--json", folder.toString(), capture("rc-nak-psn-v4")));
    assertEquals(1, err.lines().count());
  }

  @Test
  void theJsonDoesNotOverwriteItsCapture() throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of(capture("rc-nak-psn-v4")));
    Path file = Files.write(folder.resolve("a.pcap"), bytes);
    String other = capture("rc-nak-psn-v4");
    assertEquals(2, run("decode", "--json", file.toString(), other, file.toString()));
    assertTrue(err.contains("is the same file as the capture " + file), err);
    assertEquals(1, err.lines().count());
    assertArrayEquals(bytes, Files.readAllBytes(file));
  }

  @Test
  void theJsonOfNoPacketsIsEmptyAndNotThatOfAnEarlierRun() throws IOException {
    Path json = Files.writeString(folder.resolve("old.json"), "earlier");
    String none = folder.resolve("none").toString();
    assertEquals(2, run("decode", "--json", json.toString(), none));
    assertEquals("earlier", Files.readString(json));
    String capture = capture("rc-nak-psn-v4");
    assertEquals(0, run("decode", "--json", json.toString(), "--qp", "0xABCDEF", capture));
    assertEquals("", Files.readString(json));
  }

  @Test
  void aFileThatCannotBeReadHasNoTotals() throws IOException {
    Path text = Files.writeString(folder.resolve("a.txt"), "no capture at all");
    for (String file : new String[] {folder.resolve("none").toString(), text.toString(), ""}) {
      assertEquals(2, run("decode", "--summary", file));
      assertEquals("", out);
      assertEquals(1, err.lines().count(), err);
    }
    assertTrue(err.contains("'' is an empty file name"), err);
    assertEquals(2, run("decode", text.toString(), capture("rc-nak-psn-v4")));
    assertEquals(13, out.lines().count());
  }

  @Test
  void standardInputIsReadButNotTwice() throws IOException {
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(Files.readAllBytes(Path.of(capture("rc-nak-psn-v4")))));
      assertEquals(0, run("decode", "-q", "-"));
      assertEquals("-: 12 frames, 12 RoCE packets, no faults", out.strip());
    } finally {
      System.setIn(before);
    }
    assertEquals(2, run("decode", "--follow", "10.77.0.3>10.77.0.2:0x28", "-"));
  }

  @Test
  void aFileCutShortGivesItsPacketsAndOneLine() throws IOException {
    byte[] whole = Files.readAllBytes(Path.of(capture("rc-nak-psn-v4")));
    Path cut = Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(whole, whole.length - 7));
    assertEquals(1, run("decode", cut.toString()));
    assertEquals(12, out.lines().count());
    assertEquals(
        "roce4j decode: "
            + cut
            + ": the file ends inside record 12 (after byte "
            + (whole.length - 7)
            + "); what came before was read: copy or capture it again for the rest",
        err.strip());
    assertEquals(1, run("decode", "--follow", "10.77.0.3>10.77.0.2:0x28", cut.toString()));
    assertEquals(1, err.lines().count());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "none.pcap|no such file; check the path",
        "empty.pcap|the file is empty",
        "text.pcap|neither pcap nor pcapng",
        "damaged.pcap|the file is damaged"
      })
  void unreadableFilesAreOneLineAndWrongUsage(String name, String cause) throws IOException {
    Files.write(folder.resolve("empty.pcap"), new byte[0]);
    Files.writeString(folder.resolve("text.pcap"), "hello, world");
    byte[] damaged = Files.readAllBytes(Path.of(capture("rc-nak-psn-v4")));
    Arrays.fill(damaged, 32, 36, (byte) 0xFF);
    Files.write(folder.resolve("damaged.pcap"), damaged);
    assertEquals(2, run("decode", folder.resolve(name).toString()));
    assertEquals(1, err.lines().count(), err);
    assertTrue(err.contains(cause), err);
    assertTrue(err.startsWith("roce4j decode: "), err);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--qp|x|is no number",
        "--qp|0x1000000|is outside 0..0xffffff",
        "--opcode|RC_FOO|names no opcode",
        "--opcode|RC_(|names no opcode",
        "--opcode|RC.SEND_ONLY|names no opcode",
        "--opcode|[|names no opcode",
        "--opcode|''|names no opcode",
        "--opcode|0x|is no number and no name",
        "--opcode|256|is outside 0..0xff",
        "--opcode|0xzz|is no number and no name",
        "--fault|nothing|is none of any, ok, too-short",
        "--follow|a>b|is not SRC>DST:QPN",
        "--follow|host>10.0.0.1:3|is no IPv4 or IPv6 address",
        "--follow|10.0.0.9>10.0.0.1:3|has no such packets",
        "--udp-port|0|is outside 1..65535",
        "--udp-port|many|Invalid value",
        "--frobnicate|1|Unknown option"
      })
  void wrongOptionsAreOneLineAndExitTwo(String option, String value, String message) {
    assertEquals(2, run("decode", option, value, capture("rc-nak-psn-v4")));
    assertEquals(1, err.lines().count(), err);
    assertTrue(err.contains(message), err);
  }

  @Test
  void noFileIsWrongUsage() {
    assertEquals(2, run("decode"));
    assertNull(err.lines().skip(1).findFirst().orElse(null));
  }
}
