// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import io.roce4j.wire.icrc.IpUdpFields;
import java.net.InetAddress;

/**
 * How to open a port of a real network; an immutable value, built by {@code with} methods.
 *
 * <p>Options that a kind of port has no use for are refused by it, never ignored; the exceptions
 * are stated at the option.
 *
 * @param bindAddress the local address, which becomes the port's GID; never a wildcard
 * @param udpPort where peers send to, 1..65535
 * @param sourcePorts size of the pool of source ports, 1..1024; not used by {@code raw}, which can
 *     send from every port
 * @param sourcePortBase first port of the pool, 1024..65535; or 0: the first free ones from 49152
 *     up; not used by {@code raw}
 * @param receiveBufferBytes socket buffer of the listening socket (what the kernel grants may be
 *     less); ring size for {@code raw}
 * @param sendBufferBytes socket buffer of each sending socket
 * @param transmitRingBytes memory for trains between commit and network, at least 256 KiB
 * @param maxTrainSegments most packets a train may have, 1..128; the kernel's own limit is 64, and
 *     128 from version 6.10 on
 * @param roceV1 send and receive RoCEv1 frames (EtherType 0x8915); {@code raw} only
 */
public record PortSettings(
    InetAddress bindAddress,
    int udpPort,
    int sourcePorts,
    int sourcePortBase,
    int receiveBufferBytes,
    int sendBufferBytes,
    int transmitRingBytes,
    int maxTrainSegments,
    boolean roceV1) {
  /** UDP port of RoCEv2. */
  public static final int DEFAULT_UDP_PORT = IpUdpFields.ROCE_PORT;

  /** Size of the socket buffers that are asked for by default. */
  public static final int DEFAULT_BUFFER_BYTES = 4 << 20;

  /** First port of the default pool. */
  public static final int DEFAULT_POOL_BASE = 49152;

  /** Size of the default pool. */
  public static final int DEFAULT_POOL_SIZE = 64;

  /** Largest pool. */
  public static final int MAX_POOL_SIZE = 1024;

  private static final int MIN_TRANSMIT_RING = 256 << 10;

  /** Checks the ranges. */
  public PortSettings {
    if (bindAddress == null) {
      throw new IllegalArgumentException("a port needs a local address: --bind ADDRESS");
    }
    if (bindAddress.isAnyLocalAddress() || bindAddress.isMulticastAddress()) {
      throw new IllegalArgumentException(
          "bind address "
              + bindAddress.getHostAddress()
              + " is not one host's: give an address of an interface, it becomes the GID");
    }
    checkRange("UDP port", udpPort, 1, 65535);
    checkRange("source ports", sourcePorts, 1, MAX_POOL_SIZE);
    if (sourcePortBase != 0) {
      checkRange("source port base", sourcePortBase, 1024, 65536 - sourcePorts);
    }
    checkRange("receive buffer", receiveBufferBytes, 4096, 1 << 30);
    checkRange("send buffer", sendBufferBytes, 4096, 1 << 30);
    checkRange("transmit ring", transmitRingBytes, MIN_TRANSMIT_RING, 1 << 30);
    checkRange("segments a train", maxTrainSegments, 1, 128);
  }

  /**
   * The defaults: UDP 4791, 64 source ports from 49152 up, 4 MiB buffers, trains up to 64 packets.
   *
   * @param bindAddress the local address
   * @return settings
   */
  public static PortSettings of(InetAddress bindAddress) {
    return new PortSettings(
        bindAddress,
        IpUdpFields.ROCE_PORT,
        DEFAULT_POOL_SIZE,
        0,
        DEFAULT_BUFFER_BYTES,
        DEFAULT_BUFFER_BYTES,
        4 << 20,
        64,
        false);
  }

  /**
   * The defaults for an address given as text.
   *
   * @param bindAddress an IPv4 or IPv6 literal, with {@code %interface} for a link-local one
   * @return settings
   * @throws IllegalArgumentException when it is no literal
   */
  public static PortSettings of(String bindAddress) {
    InetAddress address;
    try {
      address = InetAddress.ofLiteral(bindAddress);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "bind address '" + bindAddress + "' is not an IPv4 or IPv6 address", e);
    }
    return of(address);
  }

  /**
   * With another UDP port.
   *
   * @param port 1..65535
   * @return changed settings
   */
  public PortSettings withUdpPort(int port) {
    return new PortSettings(
        bindAddress,
        port,
        sourcePorts,
        sourcePortBase,
        receiveBufferBytes,
        sendBufferBytes,
        transmitRingBytes,
        maxTrainSegments,
        roceV1);
  }

  /**
   * With another pool of source ports.
   *
   * @param base first port, or 0 for the first free ones from 49152 up
   * @param size 1..1024
   * @return changed settings
   */
  public PortSettings withSourcePorts(int base, int size) {
    return new PortSettings(
        bindAddress,
        udpPort,
        size,
        base,
        receiveBufferBytes,
        sendBufferBytes,
        transmitRingBytes,
        maxTrainSegments,
        roceV1);
  }

  /**
   * With other socket buffers.
   *
   * @param receiveBytes 4 KiB..1 GiB
   * @param sendBytes 4 KiB..1 GiB
   * @return changed settings
   */
  public PortSettings withBuffers(int receiveBytes, int sendBytes) {
    return new PortSettings(
        bindAddress,
        udpPort,
        sourcePorts,
        sourcePortBase,
        receiveBytes,
        sendBytes,
        transmitRingBytes,
        maxTrainSegments,
        roceV1);
  }

  /**
   * With another transmit ring.
   *
   * @param bytes 256 KiB..1 GiB
   * @return changed settings
   */
  public PortSettings withTransmitRing(int bytes) {
    return new PortSettings(
        bindAddress,
        udpPort,
        sourcePorts,
        sourcePortBase,
        receiveBufferBytes,
        sendBufferBytes,
        bytes,
        maxTrainSegments,
        roceV1);
  }

  /**
   * With another limit on the packets of a train.
   *
   * @param segments 1..128
   * @return changed settings
   */
  public PortSettings withMaxTrainSegments(int segments) {
    return new PortSettings(
        bindAddress,
        udpPort,
        sourcePorts,
        sourcePortBase,
        receiveBufferBytes,
        sendBufferBytes,
        transmitRingBytes,
        segments,
        roceV1);
  }

  /**
   * With RoCEv1 framing, or without.
   *
   * @param on true for EtherType 0x8915
   * @return changed settings
   */
  public PortSettings withRoceV1(boolean on) {
    return new PortSettings(
        bindAddress,
        udpPort,
        sourcePorts,
        sourcePortBase,
        receiveBufferBytes,
        sendBufferBytes,
        transmitRingBytes,
        maxTrainSegments,
        on);
  }

  private static void checkRange(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " " + value + " is outside " + min + ".." + max);
    }
  }
}
