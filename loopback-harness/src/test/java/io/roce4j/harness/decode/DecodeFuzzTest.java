// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.capture.CaptureException;
import io.roce4j.wire.capture.CaptureReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;

/**
 * Any bytes as a capture through the whole tool: text with every field, JSON, summary, pairing and
 * following. No exception, and as many packets in each form.
 */
class DecodeFuzzTest {
  private static final PacketFilter ALL = new PacketFilter(List.of(), List.of(), List.of());

  @FuzzTest
  void replaysTheCorpus(byte[] data) throws IOException {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a capture file
   * @throws IOException never
   */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    StringBuilder out = new StringBuilder();
    TextForm text = new TextForm(true);
    QueuePairSummary summary = new QueuePairSummary();
    FlowKey[] first = new FlowKey[1];
    long[] shown = new long[1];
    CaptureScan scan = new CaptureScan(4791);
    scan(
        scan,
        data,
        packet -> {
          summary.onPacket(packet);
          text.append(out, packet);
          out.append('\n');
          assertTrue(JsonForm.of(packet).has("timeNs"));
          shown[0] += ALL.accepts(packet) ? 1 : 0;
          if (first[0] == null && packet.wrapped) {
            first[0] = FlowKey.of(packet);
          }
        });
    summary.append(out);
    assertTrue(shown[0] >= scan.packets);
    long counted = 0;
    for (long count : scan.faults) {
      counted += count;
    }
    assertEquals(counted, scan.packets + scan.otherFrames + scan.refusedFrames);
    if (first[0] != null) {
      follow(data, first[0]);
    }
  }

  private static void follow(byte[] data, FlowKey flow) throws IOException {
    FlowPairing pairing = new FlowPairing(flow);
    scan(new CaptureScan(4791), data, pairing);
    assertTrue(pairing.packets() > 0 || pairing.isByCm() || pairing.reverseQp() >= -1);
    FlowFollower follower = new FlowFollower(flow, pairing.reverseQp(), pairing.mtus());
    long[] followed = new long[1];
    scan(
        new CaptureScan(4791),
        data,
        packet -> {
          if (follower.accept(packet)) {
            followed[0]++;
            assertTrue(follower.note().length() < 200);
          }
        });
    assertEquals(followed[0], follower.packets);
    assertTrue(followed[0] > 0);
  }

  private static void scan(CaptureScan scan, byte[] data, PacketSink sink) throws IOException {
    try (CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(data), "fuzz")) {
      scan.run(reader, "fuzz", sink);
    } catch (CaptureException e) {
      assertTrue(e.getMessage().startsWith("fuzz: "));
    }
  }
}
