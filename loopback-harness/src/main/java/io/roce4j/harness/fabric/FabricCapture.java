// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.fabric;

import io.roce4j.harness.fabric.topology.TrafficClasses;
import io.roce4j.harness.sim.PacketSlots;
import io.roce4j.harness.sim.Timeline;
import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.PcapngWriter;
import io.roce4j.wire.ip.EthernetHeader;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.UdpHeader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes what some ports send into a pcapng file, an interface for each port: every packet as its
 * serialisation begins, pause frames, and with a comment each packet that was dropped or altered
 * there. Timestamps are virtual. One thread.
 */
public final class FabricCapture implements AutoCloseable {
  private static final int MAX_FRAME = EthernetHeader.LENGTH + 48 + 65_507;
  private static final int PAUSE_FRAME = 60;
  private static final int MAC_CONTROL = 0x8808;
  private static final int PFC_OPCODE = 0x0101;
  private static final long PAUSE_ADDRESS = 0x0180_C200_0001L;

  private final Timeline timeline;
  private final PacketSlots slots;
  private final PcapngWriter writer;
  private final Map<String, Integer> interfaces = new HashMap<>();
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[MAX_FRAME]);

  FabricCapture(FabricCore core, List<FabricPort> ports, OutputStream sink) {
    timeline = core.timeline;
    slots = core.slots;
    try {
      writer = new PcapngWriter(sink, "roce4j fabric");
      for (FabricPort port : ports) {
        interfaces.put(port.name(), writer.addInterface(port.name(), LinkType.ETHERNET));
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static UncheckedIOException failed(IOException e) {
    return new UncheckedIOException("the capture cannot be written", e);
  }

  void onSent(String port, int slot) {
    Integer index = interfaces.get(port);
    if (index != null) {
      write(index, packet(slot), "");
    }
  }

  /** Something happened to a packet at a port. */
  void onNote(String port, int slot, String comment) {
    Integer index = interfaces.get(port);
    if (index != null) {
      write(index, packet(slot), comment);
    }
  }

  void onPause(String port, int classes, int quanta, int depth) {
    Integer index = interfaces.get(port);
    if (index == null) {
      return;
    }
    frame.setMemory(0, PAUSE_FRAME, (byte) 0);
    long source = FrameWriter.syntheticMac(port.hashCode());
    EthernetHeader.write(frame, 0, PAUSE_ADDRESS, source, MAC_CONTROL);
    int at = EthernetHeader.LENGTH;
    frame.putShort(at, (short) PFC_OPCODE, ByteOrder.BIG_ENDIAN);
    frame.putShort(at + 2, (short) classes, ByteOrder.BIG_ENDIAN);
    for (int number = 0; number < TrafficClasses.COUNT; number++) {
      int time = (classes >>> number & 1) != 0 ? quanta : 0;
      frame.putShort(at + 4 + 2 * number, (short) time, ByteOrder.BIG_ENDIAN);
    }
    write(index, PAUSE_FRAME, "cascade depth " + depth);
  }

  private int packet(int slot) {
    int ipBytes = slots.headerBytes(slot) + slots.length(slot);
    int ip = slots.bth(slot) - slots.headerBytes(slot);
    boolean isIpv4 = slots.headerBytes(slot) == Ipv4Header.LENGTH + UdpHeader.LENGTH;
    EthernetHeader.write(
        frame,
        0,
        FrameWriter.syntheticMac(FabricHeader.destinationWord(slots, slot)),
        FrameWriter.syntheticMac(FabricHeader.sourceWord(slots, slot)),
        isIpv4 ? EthernetHeader.TYPE_IPV4 : EthernetHeader.TYPE_IPV6);
    frame.putBytes(EthernetHeader.LENGTH, slots.buffer(slot), ip, slots.headerBytes(slot));
    slots.read(slot, frame, EthernetHeader.LENGTH + slots.headerBytes(slot));
    return EthernetHeader.LENGTH + ipBytes;
  }

  private void write(int index, int length, String comment) {
    try {
      writer.write(
          index, timeline.nowNs(), frame, 0, length, length, CapturedPacket.UNKNOWN, comment);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Frames so far.
   *
   * @return 0 or more
   */
  public long frames() {
    return writer.frames();
  }

  /** Writes what is left and closes the sink. */
  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
