// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.QueuePairState;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.packet.Opcode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** [mx B.10] Peers that do not speak MX, or only one of two believes that both do. */
class FallbackTest {
  private int mxPackets;

  private final Weather weather =
      new Weather(10_000) {
        @Override
        int fate(Packet packet) {
          mxPackets += Opcode.transportClass(packet.opcode()) == Opcode.CLASS_MX ? 1 : 0;
          return PASS;
        }
      };

  private final ModelNet net =
      new ModelNet(
          10_000_000_000L, weather, 8, 256, EndpointSettings.defaults().withBaseRttNs(25_000));
  private final ModelSide a =
      new ModelSide(net, 0, RandomLossTest.settings(4), "none", 1 << 18, 100);
  private final ModelSide b = new ModelSide(net, 1, RandomLossTest.settings(4), "none", 1 << 18, 9);

  @AfterEach
  void close() {
    net.close();
    a.memory.close();
    b.memory.close();
  }

  private boolean run(long limitNs, int completions) {
    return net.run(
        limitNs,
        () -> {
          a.poll();
          b.poll();
          return a.sent.size() >= completions;
        });
  }

  @Test
  void withoutBlocksBothSidesRunPlainRcOnTheSameQueuePairs() {
    ModelSide.connectDeaf(a, b, true, true);
    assertTrue(MxReport.isFallback(a.queuePair) && MxReport.isFallback(b.queuePair));
    assertTrue(MxReport.of(a.queuePair).isEmpty(), "there are no paths to report");
    b.receive(1, 100_000, 20_000);
    a.post(WorkRequestOpcode.SEND, 1, 0, b, 0, 20_000);
    a.write(2, 0, b, 0, 50_000);
    a.post(WorkRequestOpcode.RDMA_READ, 3, 60_000, b, 0, 50_000);
    assertTrue(run(50_000_000, 3));
    a.sent.forEach(done -> assertEquals(WorkCompletionStatus.SUCCESS, done.status()));
    assertEquals(0, mxPackets, "an RC endpoint never sees MX opcodes");
  }

  @Test
  void withBlocksBothSidesSpeakMx() {
    ModelSide.connectDeaf(a, b, false, false);
    assertFalse(MxReport.isFallback(a.queuePair));
    a.write(1, 0, b, 0, 50_000);
    assertTrue(run(50_000_000, 1));
    assertTrue(mxPackets > 50);
    assertEquals(4, MxReport.of(a.queuePair).orElseThrow().paths().size() / 2);
  }

  /** The block of one side got lost: RC requests meet MX and are told so; nothing is delivered. */
  @Test
  void anRcRequestToAnMxQueuePairIsAnInvalidRequest() {
    ModelSide.connectDeaf(a, b, true, false);
    assertTrue(MxReport.isFallback(a.queuePair));
    assertFalse(MxReport.isFallback(b.queuePair));
    a.write(1, 0, b, 0, 100);
    assertTrue(run(50_000_000, 1));
    assertEquals(WorkCompletionStatus.REM_INV_REQ_ERR, a.sent.get(0).status());
    assertEquals(QueuePairState.ERR, a.queuePair.state());
  }
}
