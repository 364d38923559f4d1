// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.cm.CmRecord;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.cm.Mad;
import io.roce4j.wire.packet.WireFault;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** Any bytes as a management datagram: refused, or a value that survives the way back. */
class CmFuzzTest {
  private static final CmView VIEW = new CmView();
  private static final UnsafeBuffer BYTES = new UnsafeBuffer(new byte[0]);
  private static final UnsafeBuffer COPY = new UnsafeBuffer(new byte[Mad.LENGTH]);

  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a MAD; one that is shorter than 256 bytes is tried as it is and filled up with
   *     zeros
   */
  public static void fuzzerTestOneInput(byte[] data) {
    BYTES.wrap(data);
    int fault = VIEW.wrap(BYTES, 0, data.length);
    if (data.length < Mad.LENGTH) {
      assertEquals(WireFault.BAD_MAD, fault);
      BYTES.wrap(Arrays.copyOf(data, Mad.LENGTH));
      fault = VIEW.wrap(BYTES, 0, Mad.LENGTH);
    }
    if (fault != WireFault.OK) {
      assertEquals(WireFault.BAD_MAD, fault);
      return;
    }
    CmRecord record = CmRecord.parse(VIEW);
    assertTrue(record.toString().startsWith("CM "));
    record.emit(COPY, 0);
    assertEquals(WireFault.OK, VIEW.wrap(COPY, 0, Mad.LENGTH));
    assertEquals(record, CmRecord.parse(VIEW));
  }
}
