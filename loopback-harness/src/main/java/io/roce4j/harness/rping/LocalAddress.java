// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.cm.GidChoice;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.ip.Gid;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The address of this host from which a peer is reached, for users who name none. */
final class LocalAddress {
  private LocalAddress() {}

  /**
   * The address whose network the peer is in; else the first that can reach it at all.
   *
   * @throws ToolException when there is none
   */
  static String towards(Gid peer) {
    List<GidChoice.Entry> near = new ArrayList<>();
    List<GidChoice.Entry> all = new ArrayList<>();
    try {
      for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InterfaceAddress address : each.getInterfaceAddresses()) {
          Gid gid = Gid.ofAddress(address.getAddress().getAddress());
          GidChoice.Entry entry = new GidChoice.Entry(gid, GidChoice.ROCE_V2);
          if (isSameNetwork(gid, peer, address.getNetworkPrefixLength())) {
            near.add(entry);
          } else if (!each.isLoopback()) {
            all.add(entry);
          }
        }
      }
    } catch (SocketException e) {
      throw ToolException.machine(
          "the addresses of this host cannot be read: " + e.getMessage(), e);
    }
    near.addAll(all);
    try {
      return near.get(GidChoice.choose(near, peer)).gid().toString();
    } catch (VerbsException e) {
      throw ToolException.machine(e.getMessage() + ": give --bind", e);
    }
  }

  private static boolean isSameNetwork(Gid own, Gid peer, int prefixLength) {
    if (own.isIpv4() != peer.isIpv4()) {
      return false;
    }
    int bits = own.isIpv4() ? 96 + prefixLength : prefixLength;
    return prefix(own.high(), bits) == prefix(peer.high(), bits)
        && prefix(own.low(), bits - Long.SIZE) == prefix(peer.low(), bits - Long.SIZE);
  }

  private static long prefix(long half, int bits) {
    if (bits <= 0) {
      return 0;
    }
    return bits >= Long.SIZE ? half : half >>> (Long.SIZE - bits);
  }

  /** The address behind a name or a number. */
  static Gid parse(String option, String text) {
    try {
      return Gid.ofAddress(InetAddress.getByName(text).getAddress());
    } catch (UnknownHostException e) {
      throw ToolException.usage(option + " " + text + ": no such address or host", e);
    }
  }
}
