// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * The network interface that owns a local address. Immutable; control path.
 *
 * @param name for example {@code eth0}
 * @param index the system's number for it
 * @param mtuBytes longest IP packet it takes
 * @param loopback whether it leads back to this host
 * @param mac 48 bits, first byte in bits 47..40; 0 when it has none
 */
public record LocalInterface(String name, int index, int mtuBytes, boolean loopback, long mac) {
  /**
   * Finds the interface of an address.
   *
   * @param address of this host; any of 127.0.0.0/8 counts as the loopback interface's
   * @return the interface
   * @throws PortException when no interface has the address or it is down
   */
  public static LocalInterface of(InetAddress address) {
    try {
      NetworkInterface found = NetworkInterface.getByInetAddress(address);
      if (found == null && address.isLoopbackAddress() && !(address instanceof Inet6Address)) {
        found = loopbackInterface();
      }
      if (found == null && address instanceof Inet6Address) {
        found = ofThreadNamespace(address);
      }
      if (found == null) {
        throw notLocal(address);
      }
      if (!found.isUp()) {
        throw new PortException(
            "interface " + found.getName() + " is down: ip link set " + found.getName() + " up");
      }
      return new LocalInterface(
          found.getName(),
          found.getIndex(),
          found.getMTU(),
          found.isLoopback(),
          macOf(found.getHardwareAddress()));
    } catch (IOException e) {
      throw new PortException("cannot read the network interfaces: " + e.getMessage(), e);
    }
  }

  /**
   * The JDK reads IPv6 addresses of the process's first thread; one that has entered a network
   * namespace of its own has others. Lines are address, index, prefix, scope, flags, name.
   */
  private static NetworkInterface ofThreadNamespace(InetAddress address) throws IOException {
    Path table = Path.of("/proc/thread-self/net/if_inet6");
    if (!Files.isReadable(table)) {
      return null;
    }
    String wanted = HexFormat.of().formatHex(address.getAddress());
    for (String line : Files.readAllLines(table, StandardCharsets.US_ASCII)) {
      String[] words = line.trim().split("\\s+", -1);
      if (words.length == 6 && words[0].equals(wanted)) {
        return NetworkInterface.getByIndex(Integer.parseInt(words[1], 16));
      }
    }
    return null;
  }

  private static NetworkInterface loopbackInterface() throws IOException {
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (each.isLoopback()) {
        return each;
      }
    }
    return null;
  }

  private static PortException notLocal(InetAddress address) throws IOException {
    if (address instanceof Inet6Address) {
      boolean anyIpv6 =
          NetworkInterface.networkInterfaces()
              .flatMap(NetworkInterface::inetAddresses)
              .anyMatch(Inet6Address.class::isInstance);
      if (!anyIpv6) {
        return new PortException(
            "no IPv6 here: no interface has an IPv6 address"
                + " (sysctl net.ipv6.conf.all.disable_ipv6), or use an IPv4 address");
      }
    }
    String known =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .map(InetAddress::getHostAddress)
            .collect(Collectors.joining(", "));
    return new PortException(
        "address "
            + address.getHostAddress()
            + " is not of this host; --bind takes one of "
            + known);
  }

  private static long macOf(byte[] bytes) {
    long mac = 0;
    if (bytes != null && bytes.length == 6) {
      for (byte each : bytes) {
        mac = (mac << 8) | (each & 0xFF);
      }
    }
    return mac;
  }

  /**
   * The same interface with what the system says now.
   *
   * @return MTU in bytes, or -1 when the interface is gone
   */
  public int currentMtuBytes() {
    try {
      NetworkInterface now = NetworkInterface.getByIndex(index);
      return now == null ? -1 : now.getMTU();
    } catch (IOException e) {
      // The interface vanished between the two calls: the same answer as when it is not found.
      return -1;
    }
  }
}
