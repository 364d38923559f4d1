// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.endpoint;

import io.roce4j.harness.cli.ToolException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.StringJoiner;

/**
 * The addresses of an interface in the order in which Linux numbers the GIDs of a RoCE device over
 * it: the link-local one, the IPv4 ones, the other IPv6 ones. An entry is what {@code --gid-index}
 * names.
 */
public final class GidTable {
  private GidTable() {}

  /**
   * The table of an interface.
   *
   * @param name for example {@code eth0}
   * @return its addresses, the index is the GID index
   * @throws ToolException when there is no such interface
   */
  public static List<InetAddress> ofInterface(String name) {
    try {
      NetworkInterface found = NetworkInterface.getByName(name);
      if (found == null) {
        throw ToolException.usage(
            "--ib-dev " + name + ": no such interface; there are " + interfaceNames());
      }
      return order(Collections.list(found.getInetAddresses()));
    } catch (SocketException e) {
      throw unreadable(e);
    }
  }

  /**
   * The table of the interface that has an address.
   *
   * @param address of this host
   * @return its addresses; just this one when no interface has it
   */
  public static List<InetAddress> ofAddress(InetAddress address) {
    try {
      NetworkInterface found = NetworkInterface.getByInetAddress(address);
      return found == null ? List.of(address) : order(Collections.list(found.getInetAddresses()));
    } catch (SocketException e) {
      throw unreadable(e);
    }
  }

  /**
   * An entry.
   *
   * @param table of an interface
   * @param index 0 or more
   * @return the address
   * @throws ToolException when the table is shorter, listing it
   */
  public static InetAddress entry(List<InetAddress> table, int index) {
    if (index >= 0 && index < table.size()) {
      return table.get(index);
    }
    StringJoiner entries = new StringJoiner(", ");
    for (int i = 0; i < table.size(); i++) {
      entries.add(i + " " + table.get(i).getHostAddress());
    }
    throw ToolException.usage("--gid-index " + index + ": there are " + entries);
  }

  static List<InetAddress> order(List<InetAddress> addresses) {
    List<InetAddress> table = new ArrayList<>();
    addresses.stream().filter(InetAddress::isLinkLocalAddress).forEach(table::add);
    table.removeIf(Inet4Address.class::isInstance);
    addresses.stream().filter(Inet4Address.class::isInstance).forEach(table::add);
    addresses.stream()
        .filter(a -> a instanceof Inet6Address && !a.isLinkLocalAddress())
        .forEach(table::add);
    return table;
  }

  private static String interfaceNames() throws SocketException {
    StringJoiner names = new StringJoiner(", ");
    NetworkInterface.networkInterfaces().forEach(each -> names.add(each.getName()));
    return names.toString();
  }

  private static ToolException unreadable(SocketException e) {
    return ToolException.machine("cannot read the network interfaces: " + e.getMessage(), e);
  }
}
