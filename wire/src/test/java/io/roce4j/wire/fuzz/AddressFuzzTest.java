// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.ip.Gid;
import java.nio.charset.StandardCharsets;

/** Any text as an address: refused with a reason, or one that prints to what it was parsed from. */
class AddressFuzzTest {
  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data text
   */
  public static void fuzzerTestOneInput(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    Gid gid;
    try {
      gid = Gid.parse(text);
    } catch (IllegalArgumentException e) {
      assertTrue(e.getMessage().startsWith("'" + text), e.getMessage());
      return;
    }
    assertEquals(gid, Gid.parse(gid.toString()));
    assertEquals(gid, Gid.parse(gid.toHex()));
    assertEquals(gid, Gid.ofAddress(gid.toAddress()));
  }
}
