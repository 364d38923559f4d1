// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.MemoryWindow;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.SendRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sessions with errors, waits, windows, datagrams and traffic both ways: our endpoint plays either
 * host and reacts as Linux did, except where a test says why not.
 */
class LinuxSessionReplayTest {

  private static final int SERVER = 0x0A4D0002;
  private static final int CLIENT = 0x0A4D0003;
  private static final int PROBE = 0x0A4D0001;
  private static final int READ_ONLY = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ;

  private static LinuxPlayer server() {
    return new LinuxPlayer(SERVER, CLIENT, false);
  }

  private static LinuxPlayer client() {
    return new LinuxPlayer(CLIENT, SERVER, false);
  }

  private static List<LinuxCapture.Packet> session(String capture, int qpn) throws IOException {
    return LinuxCapture.session(capture, qpn, qpn);
  }

  private static long firstVa(List<LinuxCapture.Packet> packets) {
    return packets.stream().filter(p -> p.va() != 0).findFirst().orElseThrow().va();
  }

  // ---- Remote access errors ----

  @ParameterizedTest
  @CsvSource({
    "0x31, 0x4203, 0x55c4fe240000, false",
    "0x32, 0x444b, 0x56144757a000, false",
    "0x33, 0x46cc, 0x55656fc56000, false",
    "0x34, 0x49e8, 0x55be995aa000, true"
  })
  void accessErrorsAreAnsweredAsByLinux(String qpn, String rkey, String va, boolean readOnly)
      throws IOException {
    int number = Integer.decode(qpn);
    List<LinuxCapture.Packet> packets = session("rc-nak-access-v4", number);
    try (LinuxPlayer server = server()) {
      server.connect(QueuePairType.RC, number, number, 0x100, 0x100, 0);
      server.grant(
          Long.decode(va), Integer.decode(rkey), readOnly ? READ_ONLY : EndpointPair.ALL_ACCESS);
      server.postReceives(1, 4096);
      server.fill(packets, Long.decode(va));
      server.play(packets, Set.of());
      assertEquals(QueuePairState.ERR, server.qp.state());
    }
  }

  @ParameterizedTest
  @CsvSource({"0x31", "0x32", "0x33", "0x34"})
  void accessErrorsFailTheRequestAsOnLinux(String qpn) throws IOException {
    int number = Integer.decode(qpn);
    List<LinuxCapture.Packet> packets = session("rc-nak-access-v4", number);
    try (LinuxPlayer client = client()) {
      client.connect(QueuePairType.RC, number, number, 0x100, 0x100, 0);
      // Of the WRITE of five packets Linux had sent one when the NAK came, ours are all on their
      // way.
      client.sendsAhead = number == 0x33;
      client.play(packets, Set.of());
      assertEquals(List.of("0 SUCCESS", "1 REM_ACCESS_ERR"), client.completions());
      assertEquals(QueuePairState.ERR, client.qp.state());
    }
  }

  // ---- Receiver not ready ----

  // Linux sends a sequence NAK behind each RNR NAK when packets follow; we do not [rc 24-5].
  @ParameterizedTest
  @CsvSource({
    "0x2d, 14, 5, 1, 0, ''",
    "0x2e, 20, 22, 2, 0x3cab, '11 16 21'",
    "0x2f, 8, 50, 2, 0, '33 37 41 45 49'"
  })
  void missingReceivesAreAnsweredAsByLinux(
      String qpn, int timer, int postedBefore, int count, String rkey, String left)
      throws IOException {
    int number = Integer.decode(qpn);
    List<LinuxCapture.Packet> packets = session("rc-rnr-v4", number);
    try (LinuxPlayer server = server()) {
      server.wish.minRnrTimer = timer;
      server.connect(QueuePairType.RC, number, number, 0x100, 0x100, 0);
      if (!rkey.equals("0")) {
        server.grant(firstVa(packets), Integer.decode(rkey), EndpointPair.ALL_ACCESS);
      }
      server.postBefore.put(postedBefore, count);
      server.play(packets, numbers(left));
      assertEquals(count, server.completions().size());
      assertEquals(QueuePairState.RTS, server.qp.state());
    }
  }

  private static Set<Integer> numbers(String words) {
    Set<Integer> all = new java.util.HashSet<>();
    for (String word : words.split(" ", -1)) {
      if (!word.isEmpty()) {
        all.add(Integer.decode(word));
      }
    }
    return all;
  }

  // In the third session Linux sends its second message (packet 32) although it waits for the
  // first:
  // it was posted a moment too late to be held back. We send nothing while we wait [rc Q14], so the
  // sequence NAK that answers it (33) does not come either.
  @ParameterizedTest
  @CsvSource({"0x2d, 1, ''", "0x2e, 2, ''", "0x2f, 2, '32 33'"})
  void rnrWaitsEndAsOnLinux(String qpn, int messages, String left) throws IOException {
    int number = Integer.decode(qpn);
    List<LinuxCapture.Packet> packets = new ArrayList<>(session("rc-rnr-v4", number));
    try (LinuxPlayer client = client()) {
      client.connect(QueuePairType.RC, number, number, 0x100, 0x100, 0);
      client.play(packets, numbers(left));
      assertEquals(messages, client.completions().size());
    }
  }

  @Test
  void requesterGivesUpAfterAsManyRnrNaksAsLinux() throws IOException {
    List<LinuxCapture.Packet> packets = session("rc-rnr-exceeded-v4", 0x30);
    try (LinuxPlayer client = client()) {
      client.wish.rnrRetry = 2;
      client.connect(QueuePairType.RC, 0x30, 0x30, 0x100, 0x100, 0);
      client.play(packets, Set.of());
      assertEquals(List.of("0 RNR_RETRY_EXC_ERR"), client.completions());
    }
    try (LinuxPlayer server = server()) {
      server.connect(QueuePairType.RC, 0x30, 0x30, 0x100, 0x100, 0);
      server.play(packets, Set.of());
    }
  }

  // ---- SEND with invalidate through a window ----

  @ParameterizedTest
  @CsvSource({
    "0x14, 0x080001a6, 0x55796e78b000, 10",
    "0x15, 0x080002a7, 0x55a734462000, 2501",
    "0x16, 0x08000302, 0x55b79051a000, 1024"
  })
  void windowIsInvalidatedAsByLinux(String qpn, String key, String va, int length)
      throws IOException {
    int number = Integer.decode(qpn);
    int windowKey = Integer.decode(key);
    List<LinuxCapture.Packet> packets = session("rc-send-inv-v4", number);
    try (LinuxPlayer server = server()) {
      server.connect(QueuePairType.RC, number, number, 0x100, 0x100, 0);
      MemoryRegion region = server.grant(Long.decode(va), 0x102, EndpointPair.ALL_ACCESS);
      MemoryWindow window = server.pd.allocateWindow(MemoryWindow.TYPE_2, windowKey - 1L);
      server.qp.postSend(
          new SendRequest()
              .bind(
                  window,
                  windowKey,
                  region,
                  Long.decode(va),
                  4096,
                  AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE));
      server.settle();
      server.postReceives(2, 4096);
      server.fill(packets, Long.decode(va));
      server.play(packets, Set.of());
      List<String> completions = server.completions();
      String invalidated = " inv " + Integer.toHexString(windowKey);
      assertEquals("1000 SUCCESS " + length + invalidated, completions.getFirst());
      boolean deadKeyUsed = number == 0x16;
      assertEquals(deadKeyUsed ? QueuePairState.ERR : QueuePairState.RTS, server.qp.state());
    }
    try (LinuxPlayer client = client()) {
      client.connect(QueuePairType.RC, number, number, 0x100, 0x100, 0);
      client.play(packets, Set.of());
      String outcome = client.completions().getLast();
      assertEquals(number == 0x16 ? "2 REM_ACCESS_ERR" : outcome, outcome);
      assertEquals(number != 0x16, outcome.contains("SUCCESS"));
    }
  }

  // ---- Invalid requests ----

  // The requests were made by hand: there is no Linux requester to compare ours with.
  @ParameterizedTest
  @CsvSource({"0x37, 0x4e53, 0x5562ad488000, 3", "0x38, 0, 0, 2"})
  void invalidRequestsAreAnsweredAsByLinux(String qpn, String rkey, String va, int receives)
      throws IOException {
    int number = Integer.decode(qpn);
    List<LinuxCapture.Packet> packets = new ArrayList<>();
    for (LinuxCapture.Packet packet : LinuxCapture.session("rc-nak-invalid-v4", number, 0xABC)) {
      boolean second = packet.number() >= 9;
      if (second == (number == 0x38)) {
        packets.add(packet);
      }
    }
    try (LinuxPlayer server = new LinuxPlayer(SERVER, PROBE, false)) {
      server.connect(QueuePairType.RC, number, 0xABC, 0, 1792, 0);
      server.postReceives(receives, 4096);
      if (number == 0x37) {
        server.grant(Long.decode(va), Integer.decode(rkey), EndpointPair.ALL_ACCESS);
        server.fill(packets, Long.decode(va));
      }
      server.play(packets, Set.of());
      assertEquals(QueuePairState.ERR, server.qp.state());
    }
  }

  // Linux's 0x63 for a SEND that is too long: ours as requester completes with its own status.
  @Test
  void operationalErrorFailsTheRequestAsOnLinux() throws IOException {
    List<LinuxCapture.Packet> packets = session("rc-nak-toolong-v4", 0x35);
    try (LinuxPlayer client = client()) {
      client.connect(QueuePairType.RC, 0x35, 0x35, 0x100, 0x100, 0);
      client.play(packets, Set.of());
      assertEquals(List.of("0 SUCCESS", "1 REM_OP_ERR"), client.completions());
    }
  }

  // ---- Traffic class ----

  @ParameterizedTest
  @CsvSource({
    "0x25, 0x68, 0x2a24, 0x5586ffeff000",
    "0x26, 0x02, 0x2c26, 0x563758828000",
    "0x27, 0, 0x102, 0x1000"
  })
  void trafficClassOfTheQueuePairIsOnEveryPacketAsOnLinux(
      String qpn, String tos, String rkey, String va) throws IOException {
    int number = Integer.decode(qpn);
    List<LinuxCapture.Packet> packets = session("rc-tos-ttl-v4", number);
    try (LinuxPlayer server = server();
        LinuxPlayer client = client()) {
      server.connect(QueuePairType.RC, number, number, 0x100, 0x100, Integer.decode(tos));
      server.grant(Long.decode(va), Integer.decode(rkey), EndpointPair.ALL_ACCESS);
      server.postReceives(4, 4096);
      server.fill(packets, Long.decode(va));
      server.play(packets, Set.of());
      client.connect(QueuePairType.RC, number, number, 0x100, 0x100, Integer.decode(tos));
      client.play(packets, Set.of());
      assertEquals(0, server.completions().stream().filter(c -> !c.contains("SUCCESS")).count());
    }
  }

  // ---- Both ways, and the tools ----

  @ParameterizedTest
  @CsvSource({
    "pingpong-rc-v4, 0x3d, 0x3c, 0, 0, 12, 4096",
    "perftest-write-v4, 0x3e, 0x3d, 0x5aed, 0x55b292b91000, 0, 1",
    "perftest-read-v4, 0x3f, 0x3e, 0x5b07, 0x559e5aef7000, 0, 1"
  })
  void toolsRunAgainstEitherHost(
      String capture,
      String serverQpn,
      String clientQpn,
      String rkey,
      String va,
      int receives,
      int bytes)
      throws IOException {
    int ours = Integer.decode(serverQpn);
    int theirs = Integer.decode(clientQpn);
    List<LinuxCapture.Packet> packets = LinuxCapture.session(capture, ours, theirs);
    int clientPsn = firstPsn(packets, CLIENT);
    int serverPsn = firstPsn(packets, SERVER);
    try (LinuxPlayer server = server();
        LinuxPlayer client = client()) {
      server.connect(QueuePairType.RC, ours, theirs, serverPsn, clientPsn, 0);
      if (!rkey.equals("0")) {
        server.grant(Long.decode(va), Integer.decode(rkey), EndpointPair.ALL_ACCESS);
        server.fill(packets, Long.decode(va));
      }
      server.postReceives(receives, bytes);
      server.play(packets, Set.of());
      client.connect(QueuePairType.RC, theirs, ours, clientPsn, serverPsn, 0);
      client.postReceives(receives, bytes);
      client.play(packets, Set.of());
      assertEquals(List.of(), failures(server));
      assertEquals(List.of(), failures(client));
    }
  }

  private static List<String> failures(LinuxPlayer player) {
    List<String> all = new ArrayList<>(player.completions());
    assertEquals(all.isEmpty() ? 0 : all.size(), new java.util.HashSet<>(all).size());
    all.removeIf(text -> text.contains("SUCCESS"));
    return all;
  }

  private static int firstPsn(List<LinuxCapture.Packet> packets, int from) {
    return packets.stream()
        .filter(p -> p.isFrom(from) && !io.roce4j.wire.packet.Opcode.isResponse(p.opcode()))
        .mapToInt(LinuxCapture.Packet::psn)
        .findFirst()
        .orElse(0);
  }

  // ---- Unreliable services ----

  @Test
  void unreliableConnectionSendsWhatLinuxSent() throws IOException {
    List<LinuxCapture.Packet> packets = session("uc-send-write-v4", 0x1c);
    try (LinuxPlayer client = client()) {
      client.connect(QueuePairType.UC, 0x1c, 0x1c, 0x100, 0x100, 0);
      client.play(packets, Set.of());
      assertEquals(14, client.completions().size());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ud-send-v4, 0x1d, 0x11111111, 2, '40 41 42 43 1064 40.1 117.deadbeef 1063.2 44'",
    "ud-send-v4, 0x1e, 0x7fffffff, 2, '80 81.5 1061'",
    "ud-bad-qkey-v4, 0x1f, 0x11111111, 2, ''",
    "ud-bad-qkey-v4, 0x20, 0x11111111, 2, '82'",
    "ud-send-v6, 0x22, 0x11111111, 2, '40 41 42 43 1064 45.badcafe 1041.9'"
  })
  void datagramsAreDeliveredAsByLinux(
      String capture, String qpn, String qkey, int server, String expected) throws IOException {
    int number = Integer.decode(qpn);
    boolean ipv6 = capture.endsWith("v6");
    List<LinuxCapture.Packet> packets = session(capture, number);
    try (LinuxPlayer player = new LinuxPlayer(ipv6 ? server : SERVER, ipv6 ? 3 : CLIENT, ipv6)) {
      player.datagrams(number, number, Integer.decode(qkey), 0x100);
      player.postReceives(16, 2048);
      player.play(packets, Set.of());
      List<String> received = new ArrayList<>(player.completions());
      received.removeIf(text -> !text.startsWith("10"));
      List<String> lengths = new ArrayList<>();
      for (String text : received) {
        lengths.add(text.replaceFirst("\\d+ SUCCESS ", "").replace(" imm ", "."));
      }
      assertEquals(expected, String.join(" ", lengths));
      assertEquals(number == 0x1f ? 2 : 0, player.agent.counters().get("qkey_viol_cntr"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ud-send-v4, 0x1d, 0x11111111",
    "ud-send-v4, 0x1e, 0x7fffffff",
    "ud-bad-qkey-v4, 0x1f, 0x22222222",
    "ud-send-v6, 0x22, 0x11111111"
  })
  void datagramsAreSentAsByLinux(String capture, String qpn, String qkey) throws IOException {
    int number = Integer.decode(qpn);
    boolean ipv6 = capture.endsWith("v6");
    List<LinuxCapture.Packet> packets = session(capture, number);
    try (LinuxPlayer player = new LinuxPlayer(ipv6 ? 3 : CLIENT, ipv6 ? 2 : SERVER, ipv6)) {
      player.datagrams(number, number, Integer.decode(qkey), 0x100);
      player.postReceives(8, 2048);
      player.play(packets, Set.of());
      assertEquals(
          Collections.emptyList(),
          player.completions().stream().filter(c -> !c.contains("SUCCESS")).toList());
    }
  }
}
