// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.cli.ToolException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class GidTableTest {
  private static List<InetAddress> addresses(String... literals) {
    return java.util.Arrays.stream(literals).map(InetAddress::ofLiteral).toList();
  }

  @Test
  void linkLocalComesFirstThenIpv4ThenTheOthersAsInLinuxsTable() {
    assertEquals(
        addresses("fe80::77:ff:fe00:2", "10.77.0.2", "10.77.0.9", "fd77::2"),
        GidTable.order(addresses("fd77::2", "10.77.0.2", "fe80::77:ff:fe00:2", "10.77.0.9")));
  }

  @Test
  void anAutomaticIpv4AddressKeepsItsPlaceAmongIpv4() {
    assertEquals(
        addresses("169.254.1.2", "fd77::2"), GidTable.order(addresses("fd77::2", "169.254.1.2")));
  }

  @Test
  void anIndexBehindTheTableListsTheTable() {
    ToolException e =
        assertThrows(
            ToolException.class, () -> GidTable.entry(addresses("10.77.0.2", "fd77::2"), 2));
    assertTrue(e.getMessage().contains("--gid-index 2"), e.getMessage());
    assertTrue(e.getMessage().contains("0 10.77.0.2"), e.getMessage());
    assertEquals(
        InetAddress.ofLiteral("fd77::2"), GidTable.entry(addresses("10.77.0.2", "fd77::2"), 1));
  }

  @Test
  void anUnknownInterfaceListsThoseThatAreThere() {
    ToolException e = assertThrows(ToolException.class, () -> GidTable.ofInterface("rxe77"));
    assertTrue(e.getMessage().contains("rxe77"), e.getMessage());
    assertTrue(e.getMessage().contains("lo"), e.getMessage());
  }
}
