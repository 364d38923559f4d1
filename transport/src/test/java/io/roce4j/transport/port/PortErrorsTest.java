// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.ip.Gid;
import io.roce4j.wire.memory.NativeMemory;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user reads when a port cannot be opened: one line with the value, the cause, the cure. */
class PortErrorsTest {
  private long liveBytesBefore;

  static Stream<String> ports() {
    return Ports.providers().stream()
        .filter(provider -> provider.unavailableReason() == null)
        .map(PortProvider::name);
  }

  @BeforeEach
  void noteMemory() {
    liveBytesBefore = NativeMemory.liveBytes();
  }

  @AfterEach
  void failureLeavesNothingBehind() {
    assertEquals(liveBytesBefore, NativeMemory.liveBytes(), NativeMemory.report());
  }

  @ParameterizedTest
  @MethodSource("ports")
  void udpPortInUseNamesTheHolderAndTheWaysOut(String name) {
    PortSettings settings = PortPair.settings(false, 10);
    try (DatagramPort first = Ports.open(name, settings).port()) {
      assertEquals(4791, first.localUdpPort());
      String message = failure(PortException.class, name, settings);
      assertTrue(message.contains("UDP port 4791 on " + PortPair.ipv4(10)), message);
      assertTrue(message.contains("process " + ProcessHandle.current().pid()), message);
      assertTrue(message.contains("--udp-port") && message.contains("--bind"), message);
    }
    Ports.open(name, settings).port().close();
  }

  @ParameterizedTest
  @MethodSource("ports")
  void addressOfAnotherHostIsRefusedWithTheLocalOnes(String name) {
    String message = failure(PortException.class, name, PortSettings.of("192.0.2.77"));
    assertTrue(message.contains("192.0.2.77"), message);
    assertTrue(message.contains("127.0.0.1"), message);
  }

  @ParameterizedTest
  @MethodSource("ports")
  void takenSourcePortOfAGivenPoolIsNamed(String name) {
    try (DatagramPort probe = Ports.open(name, PortPair.settings(false, 11)).port()) {
      if (probe.capabilities().anySourcePort()) {
        return; // Without a pool nothing can be taken.
      }
    }
    PortSettings settings = PortPair.settings(false, 11).withSourcePorts(50100, 8);
    PortSettings overlapping = settings.withUdpPort(4792).withSourcePorts(50107, 4);
    try (DatagramPort first = Ports.open(name, settings).port()) {
      assertEquals(50107, first.sourcePort(7));
      String message = failure(PortException.class, name, overlapping);
      assertTrue(message.contains("source port 50107"), message);
      assertTrue(message.contains("50107..50110"), message);
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void automaticPoolsOfOneAddressKeepOutOfEachOthersWay(String name) {
    PortSettings settings = PortPair.settings(false, 12);
    try (DatagramPort first = Ports.open(name, settings).port();
        DatagramPort second = Ports.open(name, settings.withUdpPort(4793)).port()) {
      assertEquals(49152, first.sourcePort(0));
      boolean any = first.capabilities().anySourcePort();
      assertEquals(any ? 49152 : 49160, second.sourcePort(0));
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void onlyTheRawPortSpeaksRoceV1(String name) {
    PortSettings settings = PortPair.settings(false, 13).withRoceV1(true);
    if (name.equals("raw")) {
      Ports.open(name, settings).port().close();
    } else {
      assertTrue(failure(IllegalArgumentException.class, name, settings).contains("--io raw"));
    }
  }

  @ParameterizedTest
  @MethodSource("ports")
  void destinationOfTheOtherFamilyIsRefused(String name) {
    try (DatagramPort port = Ports.open(name, PortPair.settings(false, 14)).port()) {
      Gid ipv6 = Gid.parse("2001:db8::1");
      String message =
          assertThrows(
                  IllegalArgumentException.class,
                  () -> port.destination(ipv6.high(), ipv6.low(), 4791, 0, 0))
              .getMessage();
      assertTrue(message.contains("2001:db8::1"), message);
    }
  }

  @Test
  void unknownPortIsRefusedWithTheKnownOnes() {
    String message =
        failure(IllegalArgumentException.class, "infiniband", PortPair.settings(false, 15));
    assertTrue(message.contains("infiniband") && message.contains("nio"), message);
  }

  @Test
  void wildcardIsNoGid() {
    String message =
        assertThrows(IllegalArgumentException.class, () -> PortSettings.of("0.0.0.0")).getMessage();
    assertTrue(message.contains("0.0.0.0"), message);
  }

  @Test
  void autoSaysWhatItTookAndWhy() {
    Ports.Opened opened = Ports.open(Ports.AUTO, PortPair.settings(false, 16));
    try (DatagramPort port = opened.port()) {
      assertTrue(opened.reason().startsWith(port.capabilities().name() + ": "), opened.reason());
      assertFalse(port.capabilities().name().equals("raw"));
    }
  }

  private static String failure(
      Class<? extends RuntimeException> type, String name, PortSettings settings) {
    String message = assertThrows(type, () -> Ports.open(name, settings)).getMessage();
    assertFalse(message.contains("\n"), message);
    return message;
  }
}
