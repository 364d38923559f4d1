// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

/**
 * How a peer's connection is found again: by its node and one of its numbers.
 *
 * @param guid node GUID of the peer
 * @param number communication id or queue pair number
 */
record PeerKey(long guid, int number) {
  @Override
  public int hashCode() {
    // A peer chooses both freely: spread them, so that neighbours do not fall together.
    long mixed = (guid ^ number) * 0x9E37_79B9_7F4A_7C15L + number;
    return (int) (mixed ^ mixed >>> 32);
  }
}
