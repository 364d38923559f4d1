// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.oob;

/** The user of this side ended the waiting for the peer; nothing is wrong with the peer. */
public final class PeerStoppedException extends PeerException {
  private static final long serialVersionUID = 1L;

  PeerStoppedException(String peer) {
    super("waiting for peer " + peer + " was ended here");
  }
}
