// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SocketDropsTest {
  @Test
  void countGoesUpAcrossTheWrapOfTheKernelsCounter() {
    assertEquals(5, LinuxPort.freshDrops(10, 15));
    assertEquals(3, LinuxPort.freshDrops(0xFFFF_FFFEL, 1));
    assertEquals(0, LinuxPort.freshDrops(7, 7));
  }

  @Test
  void olderCountOfAPacketQueuedBeforeIsNoNews() {
    assertEquals(0, LinuxPort.freshDrops(30, 25));
    assertEquals(0, LinuxPort.freshDrops(1, 0xFFFF_FFFEL));
  }
}
