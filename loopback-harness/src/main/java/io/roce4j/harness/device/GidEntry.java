// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.device;

import io.roce4j.wire.ip.Gid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * An address of this host, as it stands in the GID table of an adapter.
 *
 * @param gid 128 bits as text, IPv4 as ::ffff:a.b.c.d
 * @param netdev the interface that has it
 */
record GidEntry(String gid, String netdev) {
  /**
   * The addresses of interfaces that are up.
   *
   * @param first the one to list first
   * @param netdev its interface
   * @throws IOException when the system does not tell
   */
  static List<GidEntry> table(InetAddress first, String netdev) throws IOException {
    List<GidEntry> table = new ArrayList<>();
    table.add(of(first, netdev));
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      if (!each.isUp()) {
        continue;
      }
      for (InetAddress address : Collections.list(each.getInetAddresses())) {
        GidEntry entry = of(address, each.getName());
        if (!table.contains(entry)) {
          table.add(entry);
        }
      }
    }
    return table;
  }

  private static GidEntry of(InetAddress address, String netdev) {
    Gid gid = Gid.ofAddress(address.getAddress());
    return new GidEntry((gid.isIpv4() ? "::ffff:" : "") + gid, netdev);
  }
}
