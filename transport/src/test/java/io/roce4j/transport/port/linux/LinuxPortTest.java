// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.DatagramPort;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.libc.Libc;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only the native UDP port can show: truncated control messages. */
class LinuxPortTest {
  private final long pid = ProcessHandle.current().pid();
  private final List<Integer> lengths = new ArrayList<>();
  private final Lengths handler = new Lengths();

  /** Notes the length of every packet. */
  private final class Lengths implements DatagramHandler {
    @Override
    public void onDatagram(
        UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
      for (int at = 0; at < length; at += segmentBytes) {
        lengths.add(Math.min(segmentBytes, length - at));
      }
    }
  }

  @BeforeEach
  void needsLinux() {
    assumeTrue(Libc.unsupportedReason() == null, Libc.unsupportedReason());
  }

  @Test
  void batchWithTruncatedControlDataIsDroppedAndCountedNeverOnePacket() { // [FC-49]
    try (DatagramPort sender = LinuxPort.open(settings(1));
        DatagramPort receiver = LinuxPort.open(settings(2), 16)) {
      Destination to = sender.destination(receiver.localGidHi(), receiver.localGidLo(), 4791, 0, 0);
      send(sender, to);
      receive(receiver);
      assertTrue(lengths.isEmpty(), lengths.toString());
      assertEquals(1, receiver.counters().rxTruncated);
      assertEquals(0, receiver.counters().rxPackets);
    }
  }

  @Test
  void batchWithRoomForControlDataIsTenPackets() { // [FC-49]
    try (DatagramPort sender = LinuxPort.open(settings(1));
        DatagramPort receiver = LinuxPort.open(settings(2))) {
      Destination to = sender.destination(receiver.localGidHi(), receiver.localGidLo(), 4791, 0, 0);
      send(sender, to);
      receive(receiver);
      assertEquals(List.of(1056, 1056, 1056, 1056, 1056, 1056, 1056, 1056, 1056, 60), lengths);
      assertEquals(1, receiver.counters().rxBatches);
    }
  }

  private static void send(DatagramPort sender, Destination to) {
    assertTrue(sender.open(0, to, 2, 1056) >= 10);
    for (int i = 0; i < 9; i++) {
      sender.claim();
      sender.commit(1056);
    }
    sender.claim();
    sender.commit(60);
    assertEquals(10, sender.flush(1));
  }

  private void receive(DatagramPort receiver) {
    long deadline = System.nanoTime() + 2_000_000_000L;
    while (receiver.counters().rxPackets + receiver.counters().rxTruncated == 0
        && System.nanoTime() < deadline) {
      receiver.receive(handler, 64, 1);
    }
  }

  private PortSettings settings(int host) {
    String address = "127." + (64 + pid % 64) + "." + (pid / 64 % 256) + "." + (100 + host);
    return PortSettings.of(address).withSourcePorts(0, 2);
  }
}
