// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.harness.cli.IoReason;
import io.roce4j.harness.cli.ToolException;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.PortTap;
import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.PcapWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A capture of what the endpoint sent and received, for every endpoint of the process in one file.
 * A clock moved by hand counts from 1970. A disk that refuses ends the capture and is told once;
 * the conversation goes on.
 */
final class DutCapture implements PortTap, AutoCloseable {
  private static final int MAX_FRAME = 66_000;

  private final Path file;
  private final PrintWriter log;
  private final PcapWriter writer;
  private final UnsafeBuffer frame = new UnsafeBuffer(new byte[MAX_FRAME]);
  private long offsetNs;
  private boolean broken;

  /**
   * Opens the file.
   *
   * @param file replaced
   * @param log where a disk that refuses is told
   * @throws ToolException when it cannot be written
   */
  DutCapture(Path file, PrintWriter log) {
    this.file = file;
    this.log = log;
    try {
      writer = PcapWriter.create(file, LinkType.RAW_IP);
    } catch (IOException e) {
      throw ToolException.usage(
          "--pcap " + file + ": cannot be written (" + IoReason.of(e) + "): name another file", e);
    }
  }

  /** The next endpoint's clock: the machine's, or one moved by hand. */
  void begin(boolean live) {
    offsetNs = live ? System.currentTimeMillis() * 1_000_000 - System.nanoTime() : 0;
  }

  @Override
  public void onTransmit(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    write(nowNs, buffer, offset, length, meta);
  }

  @Override
  public void onReceive(
      long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    write(nowNs, buffer, offset, length, meta);
  }

  private void write(long nowNs, UnsafeBuffer buffer, int offset, int length, DatagramMeta meta) {
    if (broken) {
      return;
    }
    // What a port could not see of the header is written as senders usually have it.
    int hopLimit = meta.hopLimit < 0 ? FrameWriter.DEFAULT_HOP_LIMIT : meta.hopLimit;
    int bytes =
        FrameWriter.rawIp(
            frame, 0, meta.ip, Math.max(0, meta.tos), hopLimit, 0, buffer, offset, length);
    try {
      writer.write(nowNs + offsetNs, frame, 0, bytes);
    } catch (IOException e) {
      refused(e);
    }
  }

  /** Brings what was captured to the disk. */
  void flush() {
    try {
      if (!broken) {
        writer.flush();
      }
    } catch (IOException e) {
      refused(e);
    }
  }

  private void refused(IOException e) {
    broken = true;
    log.println("dut: --pcap " + file + " ends here: " + IoReason.of(e));
  }

  @Override
  public void close() {
    try {
      writer.close();
    } catch (IOException e) {
      if (!broken) {
        refused(e);
      }
    }
  }
}
