// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.check.MessagePattern;
import io.roce4j.harness.impair.Impairment;
import io.roce4j.harness.random.SeededStreams;
import io.roce4j.harness.workload.ConnectionSettings;
import io.roce4j.harness.workload.FlowSettings;
import io.roce4j.harness.workload.FlowSide;
import io.roce4j.harness.workload.PeerConnection;
import io.roce4j.harness.workload.SizeMix;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.memory.NativeMemory;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

/** One end of a connection to another process. */
class PeerConnectionTest {
  @Test
  void refusedSettingLeavesNothingOpen() {
    long liveBefore = NativeMemory.liveBytes();
    PortSettings port = PortSettings.of("127.0.0.1").withUdpPort(25793);
    FlowSettings load = FlowSettings.mixed(SizeMix.between(1, 4096), 4);
    ConnectionSettings unknown = ConnectionSettings.defaults().withCongestion("bogus");
    SoakPlan plan = new SoakPlan(7, "nio", port, port, unknown, true, load, 1, 16, 64, 0, 1);
    SeededStreams streams = new SeededStreams(7);
    try (SoakEndpoint endpoint =
            new SoakEndpoint(
                "a",
                plan,
                port,
                Impairment.none(),
                null,
                SoakEndpoint.Attachment.IN_FRONT,
                SystemNanoClock.INSTANCE);
        MessagePattern pattern = new MessagePattern(streams, 4096)) {
      FlowSide side = endpoint.side(pattern);
      VerbsException e =
          assertThrows(
              VerbsException.class,
              () ->
                  new PeerConnection(
                      "qp0",
                      true,
                      unknown,
                      load,
                      streams,
                      pattern,
                      side,
                      SystemNanoClock.INSTANCE,
                      new Findings()));
      assertTrue(e.getMessage().contains("bogus"), e::getMessage);
      assertEquals(0, e.getSuppressed().length);
      side.close(); // Refuses while anything of the connection is left in its domain.
    }
    assertEquals(liveBefore, NativeMemory.liveBytes(), NativeMemory::report);
  }
}
