// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.roce4j.harness.cli.ExitCode;
import io.roce4j.harness.cli.JsonReport;
import io.roce4j.harness.cli.Roce4jCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command: what it prints, writes and answers. */
class LabCommandTest {
  private static final String SCENARIO =
      """
      lab: small
      about: A few <flows> through a switch.
      topology: {shape: single, hosts: 4, hostRate: 100Gbit, hostDelay: 500ns}
      traffic:
        - {pattern: shift, by: 1, message: 64KiB, messages: 2}
      schemes:
        - {name: one}
        - {name: two, mtu: 1024B}
      limit: 5ms
      seeds: 2
      samples: {every: 2us}
      claims:
        - {scheme: one, metric: goodputMean, atLeast: LEAST}
        - {scheme: one, metric: goodputMean, atLeast: 1, timesThatOf: two}
      """;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private int lab(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "lab";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
        .execute(all);
  }

  private String scenario(String least) throws IOException {
    Path file = folder.resolve("small.yaml");
    Files.writeString(file, SCENARIO.replace("LEAST", least));
    return file.toString();
  }

  private JsonNode json(Path file) throws IOException {
    ObjectNode report = (ObjectNode) JsonReport.mapper().readTree(file.toFile());
    for (JsonNode run : report.get("runs")) {
      ((ObjectNode) run).remove("eventsPerSecond");
      ((ObjectNode) run)
          .remove(
              List.of(
                  "packetHopsPerSecond",
                  "packetHopsPerCoreSecond",
                  "setUpWallNs",
                  "runWallNs",
                  "runCpuNs"));
    }
    return report;
  }

  @Test
  void sameSeedShowsTheSameOnOneCoreAndOnTwo() throws IOException {
    Path one = folder.resolve("one.json");
    Path two = folder.resolve("two.json");
    String file = scenario("0.5");
    assertEquals(
        ExitCode.GOOD, lab(file, "--seed", "7", "--threads", "1", "--json", one.toString()), all());
    assertEquals(
        ExitCode.GOOD, lab(file, "--seed", "7", "--threads", "2", "--json", two.toString()), all());
    assertEquals(json(one), json(two));
    JsonNode report = json(one);
    assertEquals(4, report.get("runs").size());
    assertTrue(report.get("conservation").asBoolean());
    for (JsonNode run : report.get("runs")) {
      assertEquals(4, run.get("flows").asInt());
      assertEquals(1, run.get("completed").asInt());
      assertTrue(run.at("/goodputFraction/min").asDouble() > 0.5);
      assertEquals(run.at("/conservation/injected"), run.at("/conservation/delivered"));
    }
  }

  @Test
  void payloadsThatAreLeftOutChangeNothingThatIsSeen() throws IOException {
    Path carried = folder.resolve("carried.json");
    Path pattern = folder.resolve("pattern.json");
    String file = scenario("0.5");
    assertEquals(ExitCode.GOOD, lab(file, "--seed", "7", "--json", carried.toString()), all());
    Path leftOut = folder.resolve("leftOut.yaml");
    Files.writeString(leftOut, Files.readString(Path.of(file)) + "payload: pattern\n");
    assertEquals(
        ExitCode.GOOD, lab(leftOut.toString(), "--seed", "7", "--json", pattern.toString()), all());
    assertEquals("carried", json(carried).get("payload").asText());
    assertEquals("pattern", json(pattern).get("payload").asText());
    assertEquals(json(carried).get("runs"), json(pattern).get("runs"));
  }

  @Test
  void acknowledgementsAloneCanBeLost() throws IOException {
    String text = Files.readString(Path.of(scenario("0")));
    String pair =
        text.substring(0, text.indexOf("claims:"))
            .replace("shift, by: 1, message: 64KiB", "pairs, pairs: [h0>h1], message: 4KiB")
            .replace("messages: 2}", "messages: 40}")
            .replace("limit: 5ms", "limit: 1s");
    Path file = folder.resolve("acks.yaml");
    Path json = folder.resolve("acks.json");
    String fault = "faults: [{fault: impair, port: %s, everyNth: 2, only: acks}]\n";
    Files.writeString(file, pair + String.format(fault, "s0>h0"));
    assertEquals(ExitCode.GOOD, lab(file.toString(), "--json", json.toString()), all());
    assertTrue(json(json).at("/runs/0/drops/lost").asInt() > 0, all());
    // Data goes the other way: a rule for acknowledgements meets nothing there.
    Files.writeString(file, pair + String.format(fault, "s0>h1"));
    assertEquals(ExitCode.INVALID, lab(file.toString()), all());
  }

  @Test
  void setUpAndRunAreTimedApart() throws IOException {
    Path file = folder.resolve("timed.json");
    assertEquals(ExitCode.GOOD, lab(scenario("0.5"), "--seeds", "1", "--json", file.toString()));
    for (JsonNode run : JsonReport.mapper().readTree(file.toFile()).get("runs")) {
      assertTrue(run.get("setUpWallNs").asLong() > 0);
      double hops = run.get("packetHopsPerSecond").asDouble() * run.get("runWallNs").asLong();
      double perCore = run.get("packetHopsPerCoreSecond").asDouble();
      assertEquals(hops, perCore * run.get("runCpuNs").asLong(), hops / 1_000);
      // Four flows of two messages in 16 packets or more, over two cables.
      assertTrue(Math.round(hops / 1e9) >= 4 * 2 * 16 * 2);
    }
    assertTrue(out.toString().contains("million a second and core ("), all());
  }

  @Test
  void claimThatIsNotKeptEndsWithOneAndSaysByHowMuch() throws IOException {
    assertEquals(ExitCode.CHECK_FAILED, lab(scenario("1.5"), "--seed", "7", "--seeds", "1"));
    assertTrue(
        out.toString().contains("SHORT  one: goodputMean at least 1.5 (measured 0.6"), all());
    assertTrue(out.toString().contains("pass   one: goodputMean at least 1 times"), all());
  }

  @Test
  void flowsThatCannotEndAreToldAtTheLimit() throws IOException {
    String file = scenario("0");
    Files.writeString(
        Path.of(file), Files.readString(Path.of(file)).replace("limit: 5ms", "limit: 3us"));
    assertEquals(ExitCode.CHECK_FAILED, lab(file, "--scheme", "one", "--seeds", "1"));
    assertTrue(out.toString().contains("STUCK  one seed "), all());
    assertTrue(out.toString().contains("4 of 4 flows have not ended after 3 us"), all());
  }

  @Test
  void pageHoldsEverythingAndNothingFromOutside() throws IOException {
    Path page = folder.resolve("page.html");
    assertEquals(
        ExitCode.GOOD,
        lab(scenario("0"), "--seed", "7", "--seeds", "1", "--report", page.toString()),
        all());
    String html = Files.readString(page);
    assertTrue(html.contains("uPlot"));
    assertTrue(html.contains("\"delivered bit/s\""));
    assertTrue(html.contains("\\u003cflows>"), "the text of a scenario cannot end the script");
    assertFalse(html.contains("/*DATA*/") || html.contains("/*SCRIPT*/"));
    assertFalse(html.matches("(?s).*(src|href)=\"https?:.*"), "nothing is fetched");
  }

  // A loss that never met a packet shows nothing: the run is INVALID, not good.
  @Test
  void faultThatDidNothingMakesTheRunInvalid() throws IOException {
    String file = scenario("0");
    String faults = "faults: [{fault: impair, port: s0>h3, loss: 50%%}]\nlimit: 5ms";
    String idle =
        Files.readString(Path.of(file))
            .replace("{pattern: shift, by: 1, message", "{pattern: pairs, pairs: [h0>h1], message")
            .replace("limit: 5ms", faults.replace("%%", "%"));
    Files.writeString(Path.of(file), idle);
    assertEquals(ExitCode.INVALID, lab(file, "--seeds", "1"), all());
    assertTrue(out.toString().contains("INVALID  one seed "), all());
  }

  @Test
  void captureHoldsWhatThePortSent() throws IOException {
    Path capture = folder.resolve("out.pcapng");
    assertEquals(
        ExitCode.GOOD, lab(scenario("0"), "--seed", "7", "--pcap", "h0>s0=" + capture), all());
    out.getBuffer().setLength(0);
    assertEquals(
        ExitCode.GOOD,
        Roce4jCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute("decode", "-q", "--strict", capture.toString()),
        all());
    // 2 messages of 64 KiB in packets of 4 KiB there, and acknowledgements for those of h3.
    assertTrue(
        out.toString().matches("(?s).* (3[2-9]|[4-6][0-9]) RoCE packets, no faults.*"), all());
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--pcap", "h0>h1=x"));
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--pcap", "h0>s0"));
    assertTrue(err.toString().contains("they are named as h0>s0"), all());
  }

  @Test
  void pageOfTheDocumentationGetsTheNumbersOfTheRun() throws IOException {
    Path page = folder.resolve("page.md");
    Files.writeString(page, "# Small\n\n<!-- lab -->\nold\n<!-- /lab -->\n\nThe end.\n");
    assertEquals(
        ExitCode.GOOD, lab(scenario("0"), "--seed", "7", "--page", page.toString()), all());
    String text = Files.readString(page);
    assertFalse(text.contains("old"));
    assertTrue(text.contains("Means over 2 seeds from 7."), text);
    assertTrue(text.contains("| one | none |"), text);
    assertTrue(text.contains("| one: goodputMean at least 0 | 0.6"), text);
    assertTrue(text.endsWith("<!-- /lab -->\n\nThe end.\n"), text);
    Files.writeString(page, "# Small\n");
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--page", page.toString()));
  }

  @Test
  void shippedLabsAreListedAndCanAllBeRead() {
    assertEquals(ExitCode.GOOD, lab("--list"));
    for (String name : ShippedLabs.names()) {
      assertTrue(out.toString().contains(name + " "), all());
      assertEquals(name, ShippedLabs.find(name).name());
    }
  }

  @Test
  void wrongUseNamesValueAndCure() throws IOException {
    assertEquals(ExitCode.USAGE, lab("nosuch"));
    assertTrue(err.toString().contains("there is no lab nosuch: "), all());
    assertEquals(ExitCode.USAGE, lab());
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--scheme", "three"));
    assertTrue(err.toString().contains("--scheme three: the scenario has one, two"), all());
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--congestion", "quick"));
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--congestion-set", "window=2KB"));
    assertTrue(err.toString().contains("none has no parameter 'window'"), all());
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--seeds", "0"));
    assertEquals(ExitCode.USAGE, lab(scenario("0"), "--threads", "0"));
    assertEquals(7, err.toString().lines().count(), all());
  }

  @Test
  void controllersSideBySideTakeTheParametersThatAreSet() throws IOException {
    Path file = folder.resolve("set.json");
    assertEquals(
        ExitCode.GOOD,
        lab(
            scenario("2"),
            "--seeds",
            "1",
            "--congestion",
            "fixed",
            "--congestion-set",
            "rate=10Gbit",
            "--json",
            file.toString()),
        all());
    JsonNode report = json(file);
    assertEquals(0, report.get("claims").size(), "claims are about other schemes");
    assertEquals("fixed", report.at("/runs/0/congestion").asText());
    double goodput = report.at("/runs/0/goodputFraction/mean").asDouble();
    assertTrue(goodput > 0.05 && goodput <= 0.1, "10 of 100 Gbit/s, headers included: " + goodput);
  }

  @Test
  void controllerWithoutItsSignalIsRefusedUnlessForced() throws IOException {
    assertEquals(ExitCode.MACHINE, lab(scenario("0"), "--seeds", "1", "--congestion", "mx-fair"));
    assertTrue(err.toString().contains("mx-fair reacts to hints of an MX receiver"), all());
    assertEquals(
        ExitCode.GOOD,
        lab(scenario("0"), "--seeds", "1", "--congestion", "mx-fair", "--force"),
        all());
  }

  private String all() {
    return out + "\n" + err;
  }

  @Test
  void controllersAreComparedInSixCasesAndPutIntoAPage() throws IOException {
    Path page = folder.resolve("page.md");
    Files.writeString(page, "before\n<!-- lab -->\nold\n<!-- /lab -->\nafter\n");
    Path json = folder.resolve("lab.json");
    int exitCode =
        lab(
            "controllers",
            "--seed",
            "1",
            "--seeds",
            "1",
            "--scheme",
            "fixed,swift",
            "--page",
            page.toString(),
            "--json",
            json.toString());
    assertEquals(ExitCode.GOOD, exitCode, () -> out + "\n" + err);
    String text = Files.readString(page);
    assertTrue(text.startsWith("before\n<!-- lab -->\n\nMeans over 1 seeds from 1.\n"), text);
    assertTrue(text.endsWith("\n<!-- /lab -->\nafter\n"), text);
    for (String title : List.of("2 flows", "8 flows", "32 flows")) {
      assertTrue(text.contains("\n## " + title + "\n"), text);
    }
    for (String title : List.of("Incast of 8", "Incast of 32", "Incast of 64")) {
      assertTrue(text.contains("\n## " + title + "\n"), text);
    }
    assertEquals(6, text.lines().filter(line -> line.startsWith("| swift |")).count());
    assertTrue(text.contains("Not at their defaults: fixed window=64KiB."), text);
    assertEquals(6, JsonReport.mapper().readTree(json.toFile()).size());
  }

  @Test
  void theComparisonOfControllersRefusesWhatItDoesNotTake() {
    assertEquals(ExitCode.USAGE, lab("controllers", "--congestion", "swift"));
    assertTrue(err.toString().contains("lab controllers runs all controllers"), err::toString);
    assertEquals(ExitCode.USAGE, lab("controllers", "--scheme", "quick"));
    assertTrue(err.toString().contains("the scenario has none, fixed, dcqcn"), err::toString);
  }
}
