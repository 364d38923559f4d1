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
import io.roce4j.transport.port.libc.NativeSocket;
import io.roce4j.transport.port.libc.NativeSupport;
import io.roce4j.transport.port.libc.SocketOptions;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What only the native UDP port can show: truncated control messages. */
class LinuxPortTest {
  private static final int UDP_NO_CHECK6_TX = 101;

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
    assumeTrue(NativeSupport.unsupportedReason() == null, NativeSupport.unsupportedReason());
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

  @Test
  void ipv6DatagramWithoutAChecksumIsAccepted() { // [wire 2]
    PortSettings settings = PortSettings.of("::1").withUdpPort(20_000 + (int) (pid % 20_000));
    try (Libc libc = new Libc();
        NativeSocket sender =
            NativeSocket.open(libc, SocketOptions.AF_INET6, SocketOptions.SOCK_DGRAM, 0);
        DatagramPort receiver = LinuxPort.open(settings.withSourcePorts(0, 1))) {
      sender.require(SocketOptions.SOL_UDP, UDP_NO_CHECK6_TX, 1, "UDP_NO_CHECK6_TX");
      UnsafeBuffer memory = NativeMemory.allocate("test", 128, 8);
      int length =
          NativeSocket.writeSockaddr(memory, 0, settings.bindAddress(), settings.udpPort(), 0);
      long address = memory.addressOffset();
      assertEquals(20, libc.sendto(sender.fd(), address + 64, 20, 0, address, length));
      NativeMemory.release(memory);
      receive(receiver);
      assertEquals(List.of(20), lengths);
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
