// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.decode;

import io.roce4j.wire.capture.CaptureException;
import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.TrainSplitter;
import io.roce4j.wire.cm.CmView;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.mx.ControlTlv;
import io.roce4j.wire.mx.MxFault;
import io.roce4j.wire.packet.Bth;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads a capture and hands its packets, one by one, to a sink: frames dissected, ICRCs checked,
 * trains taken apart.
 */
final class CaptureScan {
  private static final int SCRATCH = 1 << 17;

  private final FrameDissector frame;
  private final DecodedPacket packet;
  private final TrainSplitter splitter = new TrainSplitter();
  private final Icrc icrc = new Icrc();
  private final ControlTlv items = new ControlTlv();
  private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[SCRATCH]);

  long frames;
  long packets;
  long otherFrames;
  long refusedFrames;
  long trains;
  final long[] faults = new long[WireFault.count()];

  /**
   * Makes a scan.
   *
   * @param udpPort one more UDP port to take for RoCE
   */
  CaptureScan(int udpPort) {
    frame = new FrameDissector(udpPort);
    packet = new DecodedPacket(frame);
  }

  /**
   * Reads to the end of the capture.
   *
   * @param reader in front of the first frame
   * @param file what the packets are said to come from
   * @param sink takes the packets
   * @throws CaptureException when the file cannot be read on; what came before was handed over
   */
  void run(CaptureReader reader, String file, PacketSink sink) throws CaptureException {
    CapturedPacket captured = new CapturedPacket();
    packet.file = file;
    packet.captured = captured;
    while (reader.next(captured)) {
      frames++;
      packet.trainPackets = 1;
      packet.trainIndex = 0;
      packet.trainSegmentBytes = 0;
      packet.wrapped = false;
      packet.hasCm = false;
      packet.hasMx = false;
      packet.icrcState = DecodedPacket.ICRC_UNKNOWN;
      packet.fault = frame.dissect(captured);
      packet.addressed = packet.fault == WireFault.OK;
      if (!packet.addressed) {
        boolean other = packet.fault == WireFault.NOT_IP || packet.fault == WireFault.NOT_ROCE;
        otherFrames += other ? 1 : 0;
        refusedFrames += other ? 0 : 1;
        deliver(sink);
      } else {
        onFrame(sink);
      }
    }
  }

  private void onFrame(PacketSink sink) {
    packet.fields.set(frame.fields());
    packet.length = frame.length();
    packet.available = frame.availableLength();
    if (frame.isTruncated()) {
      readTruncated();
      deliver(sink);
      return;
    }
    packet.buffer = frame.buffer();
    packet.bthOffset = frame.bthOffset();
    boolean right = judgeIcrc();
    if (!right && splitter.split(frame)) {
      trains++;
      for (int i = 0; i < splitter.packets(); i++) {
        readSegment(i);
        deliver(sink);
      }
      return;
    }
    wrap();
    deliver(sink);
  }

  /** Sets the state of the ICRC; true when it is right. */
  private boolean judgeIcrc() {
    if (packet.length < PacketView.MIN_LENGTH) {
      return false;
    }
    int received = Icrc.received(packet.buffer, packet.bthOffset, packet.length);
    int computed = icrc.computeAside(packet.buffer, packet.bthOffset, packet.length, packet.fields);
    packet.icrcReceived = received;
    packet.icrcState = computed == received ? DecodedPacket.ICRC_RIGHT : DecodedPacket.ICRC_WRONG;
    return computed == received;
  }

  private void readSegment(int index) {
    packet.trainIndex = index;
    packet.trainPackets = splitter.packets();
    packet.trainSegmentBytes = splitter.segmentBytes();
    packet.bthOffset = splitter.offset(index);
    packet.length = splitter.length(index);
    packet.available = packet.length;
    packet.icrcReceived = Icrc.received(packet.buffer, packet.bthOffset, packet.length);
    packet.icrcState =
        splitter.check(index, packet.fields) ? DecodedPacket.ICRC_RIGHT : DecodedPacket.ICRC_WRONG;
    packet.hasCm = false;
    packet.hasMx = false;
    wrap();
  }

  /** What the snap length left is copied, so that no accessor sees the next frame's bytes. */
  private void readTruncated() {
    packet.fault = WireFault.CAPTURE_TRUNCATED;
    packet.buffer = scratch;
    packet.bthOffset = 0;
    scratch.putBytes(0, frame.buffer(), frame.bthOffset(), packet.available);
    if (packet.available < Bth.LENGTH) {
      return;
    }
    int headers = Opcode.headerLength(Bth.opcode(scratch, 0));
    packet.wrapped =
        packet.available >= headers && packet.view.wrap(scratch, 0, packet.length) == WireFault.OK;
  }

  private void wrap() {
    packet.fault = packet.view.wrap(packet.buffer, packet.bthOffset, packet.length);
    packet.wrapped = packet.fault == WireFault.OK;
    if (packet.icrcState == DecodedPacket.ICRC_WRONG && packet.wrapped) {
      packet.fault = WireFault.BAD_ICRC;
    }
    if (packet.wrapped && Opcode.transportClass(packet.view.opcode()) == Opcode.CLASS_MX) {
      packet.mxFault = packet.mx.wrap(packet.buffer, packet.bthOffset, packet.length);
      if (packet.mxFault == MxFault.OK && packet.view.opcode() == Opcode.MX_CTRL) {
        packet.mxFault =
            items.wrap(packet.buffer, packet.mx.payloadOffset(), packet.mx.payloadLength());
      }
      packet.hasMx = packet.mxFault == MxFault.OK;
      if (!packet.hasMx && packet.fault == WireFault.OK) {
        packet.fault = WireFault.BAD_MX_HEADER;
      }
    }
    if (packet.wrapped && CmView.isForGsi(packet.view)) {
      int mad = packet.cm.wrap(packet.view);
      packet.hasCm = mad == WireFault.OK;
      packet.fault = packet.fault == WireFault.OK ? mad : packet.fault;
    }
  }

  private void deliver(PacketSink sink) {
    packets += packet.addressed ? 1 : 0;
    faults[packet.fault]++;
    sink.onPacket(packet);
  }
}
