// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.raw;

import io.roce4j.wire.ip.Gid;

/**
 * A host or gateway on the link and its Ethernet address, which may be unknown and may change.
 * {@link NextHops} looks for it. Agent's thread.
 */
final class Neighbour {
  /** No Ethernet address. */
  static final long UNKNOWN = -1;

  /** The address may be looked for. */
  static final int IDLE = 0;

  /** The kernel has been asked; since when, the next look will note. */
  static final int ASKED = 1;

  /** The kernel looks for it, since {@link #sinceNs}. */
  static final int SOUGHT = 2;

  /** Nobody has answered, as of {@link #sinceNs}. */
  static final int SILENT = 3;

  private final Gid address;
  private long mac = UNKNOWN;

  /** Where the search is; meaningful while the Ethernet address is unknown. */
  int search;

  /** When that began. */
  long sinceNs;

  /** When the kernel's table was last looked into. */
  long lookedUpNs;

  /** When the kernel was last asked to find it. */
  long pokedNs;

  /** Whether a look is due and stands in the queue for it. */
  boolean queued;

  Neighbour(Gid address) {
    this.address = address;
  }

  Gid address() {
    return address;
  }

  /** 48 bits, first byte in bits 47..40, or {@link #UNKNOWN}. */
  long mac() {
    return mac;
  }

  void mac(long newMac) {
    mac = newMac;
    search = IDLE;
  }

  boolean isKnown() {
    return mac != UNKNOWN;
  }

  /** Whether an answer may come yet. */
  boolean isSought() {
    return search == ASKED || search == SOUGHT;
  }
}
