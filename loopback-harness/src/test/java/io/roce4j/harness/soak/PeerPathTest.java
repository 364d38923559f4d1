// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.roce4j.transport.port.LocalInterface;
import org.junit.jupiter.api.Test;

/** [FC-55] Whom a refusal blames for a path MTU that does not pass. */
class PeerPathTest {
  @Test
  void narrowInterfaceIsNamedAndAWideOneIsNotBlamed() {
    assertEquals(
        "this host's interface net0 has MTU 1500, which is less",
        PeerPath.tooLongHere(new LocalInterface("net0", 2, 1500, false, 0), 4096));
    assertEquals(
        "this host's interface net0 has MTU 9000, but a router on the way takes less, or the route"
            + " has an MTU of its own (ip route get tells)",
        PeerPath.tooLongHere(new LocalInterface("net0", 2, 9000, false, 0), 4096));
  }
}
