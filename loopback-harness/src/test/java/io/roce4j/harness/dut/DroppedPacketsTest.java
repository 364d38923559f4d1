// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What inject says of packets that reach no queue pair: exactly one counter each. */
class DroppedPacketsTest {
  private static final List<String> DROPS =
      List.of(
          "drop_length",
          "drop_opcode",
          "drop_tver",
          "drop_unknown_qp",
          "drop_qp_type",
          "drop_qp_state",
          "drop_address",
          "bad_pkey_cntr",
          "qkey_viol_cntr",
          "rx_icrc_encapsulated",
          "out_of_buffer");
  private static final int TTL = 8;
  private static final int IP_CHECKSUM = 10;

  private DutPair pair;
  private String frame;

  @BeforeEach
  void open() {
    pair = DutPair.connected("RC");
    pair.post(1, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 0));
    frame = pair.a.drain().getFirst();
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private void assertDropped(String changed, String counter) {
    assertEquals(List.of(counter), pair.b.inject(List.of(changed)));
    for (String drop : DROPS) {
      assertEquals(drop.equals(counter) ? 1 : 0, pair.b.counter(drop), drop);
    }
    assertEquals(List.of(), pair.b.drain());
  }

  @ParameterizedTest
  @CsvSource({
    // Bytes from the IP header on: 20 is UDP, 28 the BTH.
    "0,0x35,drop_length",
    "2,0x01,drop_length",
    "9,6,drop_address",
    "23,0xb8,drop_address",
    "25,0x21,drop_length",
    "28,0xff,drop_opcode",
    "28,0x2a,drop_qp_type",
    "29,0x41,drop_tver",
    "31,0xfe,bad_pkey_cntr",
    "35,0x23,drop_unknown_qp",
    "15,9,drop_address",
    "19,9,drop_address",
    "50,1,rx_icrc_encapsulated",
    "5,7,rx_icrc_encapsulated"
  })
  void damageIsToldByItsCounter(int at, String value, String counter) {
    assertDropped(DutDriver.changed(frame, at, Integer.decode(value)), counter);
  }

  @Test
  void stateThatTakesNoRequestsDropsThem() {
    DutPair.modify(pair.b, "'qpState':'ERR'");
    assertDropped(frame, "drop_qp_state");
  }

  // [rc 3-3] What follows a fatal fault is dropped as in ERR, where the queue pair is when it left.
  @Test
  void framesBehindAFatalFaultOfOneCallAreDroppedByState() {
    String forbidden = "'remoteAddr':'0x1000','rkey':'0x7f'";
    pair.post(2, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + forbidden);
    pair.post(3, "RDMA_WRITE", DutPair.sge(pair.mrA, 0, 16) + "," + DutPair.remote(pair.mrB, 64));
    List<String> frames = new ArrayList<>(pair.a.drain());
    frames.add(0, frame);
    frames.add(frame);
    assertEquals(List.of("null", "null", "drop_qp_state", "drop_qp_state"), pair.b.inject(frames));
    assertEquals(2, pair.b.counter("drop_qp_state"));
    assertEquals(List.of("11", "11"), DutDriver.opcodes(pair.b.drain()), "an ACK and a NAK");
    assertEquals(List.of("drop_qp_state"), pair.b.inject(List.of(frame)));
  }

  @Test
  void goodAndBadFramesOfOneCallAreToldApartInOrder() {
    String bad = DutDriver.changed(frame, 50, 1);
    assertEquals(
        List.of("rx_icrc_encapsulated", "null", "drop_length", "null", "drop_tver"),
        pair.b.inject(List.of(bad, frame, "45", frame, DutDriver.changed(frame, 29, 0x41))));
    // One write and its duplicate: each has its own ACK unless ackEveryPackets says otherwise.
    assertEquals(List.of("11", "11"), DutDriver.opcodes(pair.b.drain()));
  }

  @Test
  void routersMayHaveChangedTosAndTtlWithoutTheChecksumOfTheHeader() {
    String changed = DutDriver.changed(DutDriver.changed(frame, 1, 0x42), TTL, 3);
    assertEquals(List.of("null"), pair.b.inject(List.of(changed)));
    changed = DutDriver.changed(frame, IP_CHECKSUM, 0x77);
    assertEquals(List.of("null"), pair.b.inject(List.of(changed)));
  }

  @Test
  void bytesBehindThePacketAreEthernetPadding() {
    assertEquals(List.of("null"), pair.b.inject(List.of(frame + "0000000000")));
    assertEquals(1, pair.b.counter("rx_write_requests"));
  }

  @Test
  void wrongQueueKeyIsCounted() {
    try (DutPair datagrams = new DutPair("UD", "")) {
      for (DutDriver dut : List.of(datagrams.a, datagrams.b)) {
        DutPair.modify(dut, "'qpState':'INIT','pkeyIndex':0,'portNum':1,'qkey':7");
        DutPair.modify(dut, "'qpState':'RTR'");
        DutPair.modify(dut, "'qpState':'RTS','sqPsn':5");
      }
      datagrams.a.ok("create_ah", "'pd':1,'destination':'192.0.2.2'");
      datagrams.post(1, "SEND", "'sgList':[],'ah':1,'remoteQpn':34,'remoteQkey':8");
      assertEquals(List.of("qkey_viol_cntr"), datagrams.b.inject(datagrams.a.drain()));
    }
  }

  @Test
  void ipv6FramesNeedNoUdpChecksum() {
    try (DutDriver a = new DutDriver().open("2001:db8::1");
        DutDriver b = new DutDriver().open("2001:db8::2")) {
      DutPair.objects(a, "UC", 17, "");
      DutPair.objects(b, "UC", 34, "");
      DutPair.side(a, "UC", "2001:db8::2", 34, "");
      DutPair.side(b, "UC", "2001:db8::1", 17, "");
      b.ok("post_recv", "'qp':1,'wrs':[{'wrId':3}]");
      a.ok("post_send", "'qp':1,'wrs':[{'wrId':1,'opcode':'SEND','sgList':[]}]");
      List<String> frames = a.drain();
      assertEquals("0000", frames.getFirst().substring(92, 96));
      assertEquals(List.of("null"), b.inject(frames));
      assertEquals(List.of("3 SUCCESS RECV 0"), b.poll(2));
      String wrong = DutDriver.changed(frames.getFirst(), 47, 1);
      assertEquals(List.of("drop_length"), b.inject(List.of(wrong)));
    }
  }
}
