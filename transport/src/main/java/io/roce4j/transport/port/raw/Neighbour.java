// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.wire.ip.Gid;

/** A host or gateway on the link and its Ethernet address, which may change. */
final class Neighbour {
  private final Gid address;
  private long mac;

  Neighbour(Gid address, long mac) {
    this.address = address;
    this.mac = mac;
  }

  Gid address() {
    return address;
  }

  /** 48 bits, first byte in bits 47..40. */
  long mac() {
    return mac;
  }

  void mac(long newMac) {
    mac = newMac;
  }
}
