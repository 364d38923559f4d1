// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.icrc.IcrcDiagnosis;
import io.roce4j.wire.icrc.IcrcExplainer;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.mx.MxPacketView;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One packet of a capture as far as it could be understood. A cursor that {@link CaptureScan}
 * moves; valid during {@link PacketSink#onPacket}.
 */
final class DecodedPacket {
  /** The ICRC could not be judged: bytes are missing. */
  static final int ICRC_UNKNOWN = 0;

  /** The ICRC is right. */
  static final int ICRC_RIGHT = 1;

  /** The ICRC is wrong. */
  static final int ICRC_WRONG = 2;

  final FrameDissector frame;
  final IpUdpFields fields = new IpUdpFields();
  final PacketView view = new PacketView();
  final CmView cm = new CmView();
  final MxPacketView mx = new MxPacketView();
  private final IcrcExplainer explainer = new IcrcExplainer();

  String file;
  CapturedPacket captured;
  int fault;
  boolean addressed;
  DirectBuffer buffer;
  int bthOffset;
  int length;
  int available;
  boolean wrapped;
  boolean hasCm;
  boolean hasMx;
  int mxFault;
  int icrcState;
  int icrcReceived;
  int trainIndex;
  int trainPackets;
  int trainSegmentBytes;

  DecodedPacket(FrameDissector frame) {
    this.frame = frame;
  }

  /** Payload bytes, in MX behind the headers its flags announce. */
  int payloadLength() {
    return hasMx ? mx.payloadLength() : view.payloadLength();
  }

  /** Whether the BTH is there, if only to be shown. */
  boolean hasBth() {
    return addressed && available >= Bth.LENGTH;
  }

  /**
   * Whether the packet is RoCE and malformed, or has a wrong ICRC: what a strict reader refuses.
   */
  boolean isBad() {
    return switch (fault) {
      case WireFault.BAD_ICRC,
          WireFault.TOO_SHORT,
          WireFault.UNKNOWN_OPCODE,
          WireFault.TRUNCATED,
          WireFault.BAD_TRANSPORT_VERSION,
          WireFault.LENGTH_MISMATCH,
          WireFault.BAD_GRH,
          WireFault.BAD_MX_HEADER ->
          true;
      default -> false;
    };
  }

  /** Why the ICRC is wrong. Costly: for packets that are shown. */
  IcrcDiagnosis diagnose() {
    if (trainPackets == 1) {
      return explainer.explain(buffer, frame.ipOffset(), fields.encapsulation(), bthOffset, length);
    }
    // The packet as it left the network card: with headers of its own.
    int headers = FrameWriter.ipHeadersLength(fields);
    UnsafeBuffer alone = new UnsafeBuffer(new byte[headers + length]);
    FrameWriter.rawIp(
        alone,
        0,
        fields,
        frame.tos(),
        frame.hopLimit(),
        frame.flowLabel(),
        buffer,
        bthOffset,
        length);
    return explainer.explain(alone, 0, fields.encapsulation(), headers, length);
  }
}
