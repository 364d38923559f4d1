// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OpcodeTest {
  @ParameterizedTest
  @CsvSource({
    // name, code, header bytes, takes a receive request, may carry payload
    "RC_SEND_FIRST, 0x00, 12, true, true",
    "RC_SEND_MIDDLE, 0x01, 12, false, true",
    "RC_SEND_LAST, 0x02, 12, false, true",
    "RC_SEND_LAST_IMM, 0x03, 16, false, true",
    "RC_SEND_ONLY, 0x04, 12, true, true",
    "RC_SEND_ONLY_IMM, 0x05, 16, true, true",
    "RC_WRITE_FIRST, 0x06, 28, false, true",
    "RC_WRITE_MIDDLE, 0x07, 12, false, true",
    "RC_WRITE_LAST, 0x08, 12, false, true",
    "RC_WRITE_LAST_IMM, 0x09, 16, true, true",
    "RC_WRITE_ONLY, 0x0A, 28, false, true",
    "RC_WRITE_ONLY_IMM, 0x0B, 32, true, true",
    "RC_READ_REQUEST, 0x0C, 28, false, false",
    "RC_READ_RESP_FIRST, 0x0D, 16, false, true",
    "RC_READ_RESP_MIDDLE, 0x0E, 12, false, true",
    "RC_READ_RESP_LAST, 0x0F, 16, false, true",
    "RC_READ_RESP_ONLY, 0x10, 16, false, true",
    "RC_ACK, 0x11, 16, false, false",
    "RC_ATOMIC_ACK, 0x12, 24, false, false",
    "RC_CMP_SWAP, 0x13, 40, false, false",
    "RC_FETCH_ADD, 0x14, 40, false, false",
    "RC_SEND_LAST_INV, 0x16, 16, false, true",
    "RC_SEND_ONLY_INV, 0x17, 16, true, true",
    "RC_FLUSH, 0x1C, 32, false, false",
    "RC_ATOMIC_WRITE, 0x1D, 28, false, true",
    "UC_SEND_FIRST, 0x20, 12, true, true",
    "UC_SEND_ONLY_IMM, 0x25, 16, true, true",
    "UC_WRITE_FIRST, 0x26, 28, false, true",
    "UC_WRITE_ONLY_IMM, 0x2B, 32, true, true",
    "UD_SEND_ONLY, 0x64, 20, true, true",
    "UD_SEND_ONLY_IMM, 0x65, 24, true, true",
    "CNP, 0x81, 28, false, false",
    "XRC_SEND_FIRST, 0xA0, 16, true, true",
    "XRC_WRITE_ONLY_IMM, 0xAB, 36, true, true",
    "XRC_READ_REQUEST, 0xAC, 32, false, false",
    "XRC_READ_RESP_FIRST, 0xAD, 16, false, true",
    "XRC_ACK, 0xB1, 16, false, false",
    "XRC_ATOMIC_ACK, 0xB2, 24, false, false",
    "XRC_CMP_SWAP, 0xB3, 44, false, false",
    "XRC_SEND_ONLY_INV, 0xB7, 20, true, true",
    "MX_WRITE, 0xE0, 52, false, true",
    "MX_SEND, 0xE1, 44, false, true",
    "MX_READ_REQUEST, 0xE2, 52, false, false",
    "MX_READ_RESP, 0xE3, 44, false, true",
    "MX_ATOMIC_REQUEST, 0xE4, 68, false, false",
    "MX_ATOMIC_RESP, 0xE5, 44, false, false",
    "MX_VOID, 0xE6, 28, false, false",
    "MX_SACK, 0xE8, 84, false, false",
    "MX_NACK, 0xE9, 24, false, false",
    "MX_PROBE, 0xEA, 32, false, false",
    "MX_PROBE_ACK, 0xEB, 96, false, false",
    "MX_CTRL, 0xEC, 20, false, true"
  })
  void tableSaysWhatTheSpecificationLists(
      String name, String code, int headers, boolean takesReceive, boolean payload) {
    int opcode = Integer.decode(code);
    assertEquals(name, Opcode.name(opcode));
    assertEquals(opcode, Opcode.byName(name));
    assertTrue(Opcode.isDefined(opcode));
    assertEquals(headers, Opcode.headerLength(opcode));
    assertEquals(takesReceive, Opcode.consumesReceive(opcode));
    assertEquals(payload, Opcode.hasPayload(opcode));
  }

  @Test
  void headersFollowOneAnotherWithoutGapInTheOrderOfTheWire() {
    assertEquals(12, Opcode.fethOffset(Opcode.RC_FLUSH));
    assertEquals(16, Opcode.rethOffset(Opcode.RC_FLUSH));
    assertEquals(12, Opcode.rethOffset(Opcode.RC_WRITE_ONLY_IMM));
    assertEquals(28, Opcode.immDtOffset(Opcode.RC_WRITE_ONLY_IMM));
    assertEquals(12, Opcode.xrcEthOffset(XrcOpcode.WRITE_ONLY_IMM));
    assertEquals(16, Opcode.rethOffset(XrcOpcode.WRITE_ONLY_IMM));
    assertEquals(32, Opcode.immDtOffset(XrcOpcode.WRITE_ONLY_IMM));
    assertEquals(12, Opcode.aethOffset(Opcode.RC_ATOMIC_ACK));
    assertEquals(16, Opcode.atomicAckEthOffset(Opcode.RC_ATOMIC_ACK));
    assertEquals(12, Opcode.dethOffset(Opcode.UD_SEND_ONLY_IMM));
    assertEquals(20, Opcode.immDtOffset(Opcode.UD_SEND_ONLY_IMM));
    assertEquals(36, Opcode.rethOffset(Opcode.MX_WRITE));
    assertEquals(36, Opcode.atomicEthOffset(Opcode.MX_ATOMIC_REQUEST));
    assertEquals(0, Opcode.rethOffset(Opcode.RC_ACK));
  }

  /** [FC-03] an empty slot of the table must look like nothing. */
  @Test
  void undefinedOpcodesAnswerNoToEverything() {
    int undefined = 0;
    for (int opcode = 0; opcode < Opcode.COUNT; opcode++) {
      if (!Opcode.isDefined(opcode)) {
        undefined++;
        assertEquals(0, Opcode.headerLength(opcode));
        assertEquals("UNDEFINED", Opcode.name(opcode));
        assertFalse(Opcode.isRequest(opcode));
        assertFalse(Opcode.isResponse(opcode));
        assertFalse(Opcode.hasPayload(opcode));
      } else {
        assertTrue(Opcode.headerLength(opcode) >= Bth.LENGTH);
      }
    }
    assertEquals(256 - 25 - 12 - 2 - 1 - 23 - 12, undefined);
    assertFalse(Opcode.isDefined(0x15));
    assertFalse(Opcode.isDefined(0x80));
    assertFalse(Opcode.isDefined(0xFF));
  }

  @Test
  void requestsAndResponsesAreDisjointAndPositionsAreUnique() {
    Set<String> names = new HashSet<>();
    for (int opcode = 0; opcode < Opcode.COUNT; opcode++) {
      if (!Opcode.isDefined(opcode)) {
        continue;
      }
      assertTrue(names.add(Opcode.name(opcode)));
      assertFalse(Opcode.isRequest(opcode) && Opcode.isResponse(opcode));
      int positions =
          (Opcode.isFirst(opcode) ? 1 : 0)
              + (Opcode.isMiddle(opcode) ? 1 : 0)
              + (Opcode.isLast(opcode) ? 1 : 0)
              + (Opcode.isOnly(opcode) ? 1 : 0);
      assertTrue(positions <= 1, Opcode.name(opcode));
      assertEquals(Opcode.isFirst(opcode) || Opcode.isOnly(opcode), Opcode.startsMessage(opcode));
      assertEquals(Opcode.isLast(opcode) || Opcode.isOnly(opcode), Opcode.endsMessage(opcode));
    }
    assertTrue(Opcode.isResponse(Opcode.RC_READ_RESP_MIDDLE));
    assertTrue(Opcode.isResponse(Opcode.RC_ATOMIC_ACK));
    assertTrue(Opcode.isRequest(Opcode.RC_CMP_SWAP));
    assertFalse(Opcode.isRequest(Opcode.CNP));
  }

  @Test
  void transportClassIsTheTopThreeBits() {
    assertEquals(Opcode.CLASS_RC, Opcode.transportClass(Opcode.RC_FLUSH));
    assertEquals(Opcode.CLASS_UC, Opcode.transportClass(Opcode.UC_WRITE_ONLY));
    assertEquals(Opcode.CLASS_UD, Opcode.transportClass(Opcode.UD_SEND_ONLY));
    assertEquals(Opcode.CLASS_CNP, Opcode.transportClass(Opcode.CNP));
    assertEquals(Opcode.CLASS_XRC, Opcode.transportClass(XrcOpcode.ACK));
    assertEquals(Opcode.CLASS_MX, Opcode.transportClass(Opcode.MX_CTRL));
  }
}
