// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/** Two ports of one kind on the loopback interface, and the means to send test packets. */
final class PortPair implements AutoCloseable {
  static final int SMALLEST = Bth.LENGTH + 4;

  // Test runs at the same time on one machine must not meet: each process has a /24 of its own.
  private static final long PID = ProcessHandle.current().pid();
  private static final AtomicInteger NEXT_PORT = new AtomicInteger(20000 + (int) (PID % 20000));

  final DatagramPort left;
  final DatagramPort right;
  final Destination toRight;
  final Destination toLeft;
  private int psn;
  private long nowNs = 1;

  private PortPair(DatagramPort left, DatagramPort right) {
    this.left = left;
    this.right = right;
    toRight = destination(left, right);
    toLeft = destination(right, left);
  }

  static PortPair open(String name, boolean ipv6) {
    return open(name, settings(ipv6, 1), settings(ipv6, 2));
  }

  static PortPair open(String name, PortSettings leftSettings, PortSettings rightSettings) {
    DatagramPort left = Ports.open(name, leftSettings).port();
    try {
      return new PortPair(left, Ports.open(name, rightSettings).port());
    } catch (RuntimeException e) {
      left.close();
      throw e;
    }
  }

  /** Two ports in namespaces, at the ends of the link between them, UDP 4791 on both sides. */
  static PortPair openIn(NetworkNamespaces namespaces, String name, boolean ipv6) {
    return openIn(namespaces, name, linkSettings(ipv6, 1), linkSettings(ipv6, 2));
  }

  static PortSettings linkSettings(boolean ipv6, int side) {
    return PortSettings.of(NetworkNamespaces.address(side, ipv6)).withSourcePorts(0, 8);
  }

  static PortPair openIn(
      NetworkNamespaces namespaces, String name, PortSettings left, PortSettings right) {
    return openIn(namespaces, name, left, name, right);
  }

  static PortPair openIn(
      NetworkNamespaces namespaces,
      String leftName,
      PortSettings left,
      String rightName,
      PortSettings right) {
    DatagramPort leftPort =
        namespaces.inside(NetworkNamespaces.LEFT, () -> Ports.open(leftName, left).port());
    try {
      DatagramPort rightPort =
          namespaces.inside(NetworkNamespaces.RIGHT, () -> Ports.open(rightName, right).port());
      return new PortPair(leftPort, rightPort);
    } catch (RuntimeException e) {
      leftPort.close();
      throw e;
    }
  }

  /** IPv4: two addresses, one UDP port. IPv6: one address, two UDP ports. */
  static PortSettings settings(boolean ipv6, int side) {
    PortSettings settings =
        ipv6
            ? PortSettings.of("::1").withUdpPort(NEXT_PORT.getAndIncrement())
            : PortSettings.of(ipv4(side));
    return settings.withSourcePorts(0, 8);
  }

  static String ipv4(int host) {
    return "127." + (64 + PID % 64) + "." + (PID / 64 % 256) + "." + host;
  }

  private static Destination destination(DatagramPort from, DatagramPort to) {
    return from.destination(to.localGidHi(), to.localGidLo(), to.localUdpPort(), 0, 0);
  }

  /** Opens a train from left to right and checks the room. */
  int open(int slot, int tos, int segmentBytes) {
    return left.open(slot, toRight, tos, segmentBytes);
  }

  /** Writes and commits a packet with the next PSN and recognizable content. */
  void put(int length) {
    write(left, psn, length);
    psn++;
    left.commit(length);
  }

  void putDamaged(int length, int bit) {
    write(left, psn, length);
    psn++;
    left.commitDamaged(length, bit);
  }

  static void write(DatagramPort port, int psn, int length) {
    UnsafeBuffer buffer = port.transmitBuffer();
    int at = port.claim();
    Bth.write(buffer, at, Opcode.UC_SEND_ONLY, false, true, 0, 0xFFFF, 0x12, false, psn & 0xFFFFFF);
    for (int i = Bth.LENGTH; i < length; i++) {
      buffer.putByte(at + i, (byte) (psn * 31 + i));
    }
  }

  long tick() {
    return nowNs += 1_000_000;
  }

  /** Flushes until nothing is refused, receiving meanwhile, until the packets are there. */
  void pump(DatagramHandler handler, int packets) {
    long expected = right.counters().rxPackets + packets;
    long deadline = System.nanoTime() + 5_000_000_000L;
    do {
      left.flush(tick());
      right.receive(handler, 64, tick());
    } while (right.counters().rxPackets < expected && System.nanoTime() < deadline);
  }

  @Override
  public void close() {
    left.close();
    right.close();
  }
}
