// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.OutputFile;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.PcapWriter;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.ip.Ipv4Header;
import io.roce4j.wire.ip.Ipv6Header;
import io.roce4j.wire.ip.UdpHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes what leaves the ports to a capture of whole IP packets, up to a size. The file is emptied
 * when the first packet leaves. The ports are driven by one thread, the only caller. A disk that
 * refuses ends the capture, not the run; the reason is kept for the report.
 */
final class CaptureTap implements PortTap, AutoCloseable {
  private static final int MAX_FRAME = 66_000;
  private static final int PCAP_RECORD_BYTES = 16;

  private final Path file;
  private PcapWriter writer;
  private final long limitBytes;
  private final long wallClockOffsetNs;
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[MAX_FRAME]);
  private long bytes;
  private String stopReason;
  private boolean hasFailed;
  private boolean isClosed;

  CaptureTap(Path file, long limitBytes) {
    this.file = file;
    this.limitBytes = limitBytes;
    this.wallClockOffsetNs = System.currentTimeMillis() * 1_000_000 - System.nanoTime();
    OutputFile.check("--pcap", file.toString());
  }

  @Override
  public void onTransmit(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    if (stopReason != null) {
      return;
    }
    int header = writeHeaders(length, meta);
    frame.putBytes(header, buffer, offset, length);
    bytes += PCAP_RECORD_BYTES + header + length;
    if (bytes > limitBytes) {
      stopReason = "stopped at its limit of " + limitBytes + " bytes (--pcap-limit)";
      return;
    }
    try {
      if (writer == null) {
        writer = PcapWriter.create(file, LinkType.RAW_IP);
      }
      writer.write(nowNs + wallClockOffsetNs, frame, 0, header + length);
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException e) {
    hasFailed = true;
    stopReason = "not whole, the disk refused: " + IoReason.of(e);
  }

  private int writeHeaders(int length, DatagramMeta meta) {
    IpUdpFields ip = meta.ip;
    int udpLength = UdpHeader.LENGTH + length;
    int udp;
    if (ip.encapsulation() == IpUdpFields.IPV4) {
      udp = Ipv4Header.LENGTH;
      Ipv4Header.write(
          frame,
          0,
          meta.tos,
          Ipv4Header.LENGTH + udpLength,
          ip.identification(),
          Ipv4Header.DONT_FRAGMENT,
          meta.hopLimit,
          (int) ip.sourceLow(),
          (int) ip.destinationLow());
    } else {
      udp = Ipv6Header.LENGTH;
      Ipv6Header.write(
          frame,
          0,
          meta.tos,
          0,
          udpLength,
          Ipv4Header.PROTOCOL_UDP,
          meta.hopLimit,
          ip.sourceHigh(),
          ip.sourceLow(),
          ip.destinationHigh(),
          ip.destinationLow());
    }
    UdpHeader.write(frame, udp, ip.sourcePort(), ip.destinationPort(), udpLength, 0);
    return udp + UdpHeader.LENGTH;
  }

  @Override
  public void onReceive(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    // What arrives has left another port before: of this process, or of a peer with its own
    // capture.
  }

  /**
   * Whether the disk refused some of it.
   *
   * @return true when the file is not whole; final after {@link #finish}
   */
  boolean hasFailed() {
    return hasFailed;
  }

  /**
   * What was captured; final after {@link #finish}.
   *
   * @return one line
   */
  String summary() {
    String text =
        writer == null
            ? "no packet, so " + file + " is not written"
            : String.format(Locale.ROOT, "%,d packets in %s", writer.frames(), file);
    return stopReason == null ? text : text + ", " + stopReason;
  }

  /** Writes what is left; a disk that refuses is told by {@link #summary}. */
  void finish() {
    if (isClosed || writer == null) {
      return;
    }
    isClosed = true;
    try {
      writer.close();
    } catch (IOException e) {
      failed(e);
    }
  }

  @Override
  public void close() {
    finish();
  }
}
