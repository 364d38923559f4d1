// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The sample of the connection manager's page does what it says, over real sockets. */
@EnabledOnOs(OS.LINUX) // addresses of the whole loopback network
class ConnectToServerTest {
  @Test
  @Timeout(60)
  void bothHearWhatTheOtherSays() {
    assertEquals("hello, welcome", ConnectToServer.connect("127.0.84.1", "127.0.84.2"));
  }
}
