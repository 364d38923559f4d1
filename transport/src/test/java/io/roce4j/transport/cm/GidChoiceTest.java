// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.ip.Gid;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which GID a connection starts from. */
class GidChoiceTest {
  private static GidChoice.Entry entry(String gid, int version) {
    return new GidChoice.Entry(Gid.parse(gid), version);
  }

  @Test
  void picksTheRoutableEntryOfTheRightVersion() { // [FC-33]
    List<GidChoice.Entry> table =
        List.of(
            entry("fe80::1", 1),
            entry("fe80::1", 2),
            entry("192.0.2.6", 1),
            entry("192.0.2.6", 2),
            new GidChoice.Entry(Gid.ZERO, 2));
    assertEquals(3, GidChoice.choose(table, Gid.parse("192.0.2.9")));
    assertEquals(1, GidChoice.choose(table, Gid.parse("fe80::9")));
  }

  @Test
  void anIpv6HostHasNoIndexZeroToFallBackTo() {
    List<GidChoice.Entry> table = List.of(entry("fe80::1", 2), entry("fd93::6", 2));
    assertEquals(1, GidChoice.choose(table, Gid.parse("fd93::9")));
  }

  @Test
  void refusesRatherThanTakingLinkLocal() { // [FC-33]
    VerbsException refused =
        assertThrows(
            VerbsException.class,
            () -> GidChoice.choose(List.of(entry("fe80::1", 2)), Gid.parse("fd93::9")));
    assertEquals("EADDRNOTAVAIL", refused.errno());
    assertTrue(refused.getMessage().contains("fe80::1 is link-local"), refused.getMessage());
    refused =
        assertThrows(
            VerbsException.class,
            () ->
                GidChoice.choose(
                    List.of(new GidChoice.Entry(Gid.ZERO, 2)), Gid.parse("192.0.2.9")));
    assertTrue(refused.getMessage().contains("it is empty"), refused.getMessage());
  }
}
