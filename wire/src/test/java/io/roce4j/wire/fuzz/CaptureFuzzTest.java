// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.capture.CaptureException;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/** Any bytes as a capture file: frames inside the file, then its end or one line. */
class CaptureFuzzTest {
  @FuzzTest
  void replaysTheCorpus(byte[] data) throws IOException {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a file
   * @throws IOException never
   */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    CapturedPacket packet = new CapturedPacket();
    long frames = 0;
    try (CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(data), "fuzz")) {
      while (reader.next(packet)) {
        frames++;
        assertEquals(frames, packet.number());
        assertTrue(packet.capturedLength() >= 0 && packet.capturedLength() <= data.length);
        assertTrue(packet.originalLength() >= packet.capturedLength());
        assertTrue(
            packet.offset() >= 0
                && packet.offset() + packet.capturedLength() <= packet.buffer().capacity());
        assertTrue(packet.comment().length() <= data.length);
      }
      assertTrue(reader.bytesRead() <= data.length);
    } catch (CaptureException e) {
      assertTrue(e.getMessage().startsWith("fuzz: ") && e.getMessage().indexOf('\n') < 0);
    }
    assertTrue(frames <= data.length / 16);
  }
}
