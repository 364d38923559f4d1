// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.TrainSplitter;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IcrcExplainer;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Any bytes as a frame of any link type, whole or cut: found or refused, ICRC judged, explained.
 */
class FrameFuzzTest {
  private static final int[] LINK_TYPES = {
    LinkType.ETHERNET,
    LinkType.RAW_IP,
    LinkType.LINUX_COOKED,
    LinkType.LINUX_COOKED_2,
    LinkType.RAW_IPV4,
    LinkType.RAW_IPV6,
    LinkType.RAW_IP_12,
    999
  };
  private static final FrameDissector DISSECTOR = new FrameDissector();
  private static final TrainSplitter SPLITTER = new TrainSplitter();
  private static final IcrcExplainer EXPLAINER = new IcrcExplainer();
  private static final Icrc ICRC = new Icrc();
  private static final IpUdpFields FIELDS = new IpUdpFields();
  private static final UnsafeBuffer BYTES = new UnsafeBuffer(new byte[0]);

  @FuzzTest
  void replaysTheCorpus(byte[] data) {
    fuzzerTestOneInput(data);
  }

  /**
   * One input.
   *
   * @param data a byte for link type and cut, then the frame
   */
  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length == 0) {
      return;
    }
    int captured = data.length - 1;
    int original = captured + ((data[0] & 0x80) != 0 ? 100 : 0);
    BYTES.wrap(data);
    int linkType = LINK_TYPES[data[0] & 7];
    int fault = DISSECTOR.dissect(BYTES, 1, captured, original, linkType);
    assertTrue(fault >= 0 && fault < WireFault.count());
    if (fault != WireFault.OK) {
      return;
    }
    assertTrue(DISSECTOR.availableLength() >= 0);
    assertTrue(DISSECTOR.bthOffset() + DISSECTOR.availableLength() <= data.length);
    assertTrue(DISSECTOR.tos() <= 0xFF && DISSECTOR.hopLimit() <= 0xFF);
    assertTrue(DISSECTOR.flowLabel() <= 0xFFFFF && DISSECTOR.udpChecksum() <= 0xFFFF);
    for (int i = 0; i < DISSECTOR.vlanTags(); i++) {
      assertTrue(DISSECTOR.vlanId(i) <= 0xFFF);
    }
    DISSECTOR.isIpChecksumRight();
    DISSECTOR.isUdpChecksumRight();
    if (!DISSECTOR.isTruncated() && DISSECTOR.length() >= PacketView.MIN_LENGTH) {
      judge();
    }
  }

  private static void judge() {
    int at = DISSECTOR.bthOffset();
    int length = DISSECTOR.length();
    boolean right =
        ICRC.computeAside(BYTES, at, length, DISSECTOR.fields())
            == Icrc.received(BYTES, at, length);
    int encapsulation = DISSECTOR.fields().encapsulation();
    // Explaining copies the packet hundreds of times: on short ones, as often as can be.
    if (length < 200) {
      boolean explained =
          EXPLAINER.explain(BYTES, DISSECTOR.ipOffset(), encapsulation, at, length).isRight();
      assertEquals(right, explained);
    }
    if (!right && SPLITTER.split(DISSECTOR)) {
      assertTrue(SPLITTER.check(0, FIELDS));
      int end = SPLITTER.offset(SPLITTER.packets() - 1) + SPLITTER.length(SPLITTER.packets() - 1);
      assertEquals(at + length, end);
    }
  }
}
