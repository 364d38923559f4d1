// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.DirectBuffer;

/**
 * Writes a pcap file with nanosecond time stamps, which tcpdump and Wireshark read.
 *
 * <p>Allocates nothing per frame. One thread.
 */
public final class PcapWriter implements AutoCloseable {
  private static final int MAJOR_VERSION = 2;
  private static final int MINOR_VERSION = 4;
  private static final long SECOND_NS = 1_000_000_000L;

  private final CaptureOutput output;
  private long frames;

  /**
   * Starts a capture on a stream.
   *
   * @param stream receives the file; closed by {@link #close}
   * @param linkType of all frames, see {@link LinkType}
   * @throws IOException when writing fails
   */
  public PcapWriter(OutputStream stream, int linkType) throws IOException {
    output = new CaptureOutput(stream);
    output.int32(PcapReader.NANOSECONDS);
    output.int16(MAJOR_VERSION);
    output.int16(MINOR_VERSION);
    output.int32(0);
    output.int32(0);
    output.int32(CaptureReader.MAX_CAPTURED_BYTES);
    output.int32(linkType);
  }

  /**
   * Creates or replaces a file.
   *
   * @param file where
   * @param linkType of all frames, see {@link LinkType}
   * @return the writer
   * @throws IOException when the file cannot be created
   */
  public static PcapWriter create(Path file, int linkType) throws IOException {
    return new PcapWriter(Files.newOutputStream(file), linkType);
  }

  /**
   * Writes a whole frame.
   *
   * @param timeNs nanoseconds since 1970 (or since the start of virtual time), 0..2^32 seconds
   * @param buffer holds the frame
   * @param offset first byte
   * @param length bytes, 0..{@link CaptureReader#MAX_CAPTURED_BYTES}
   * @throws IOException when writing fails
   */
  public void write(long timeNs, DirectBuffer buffer, int offset, int length) throws IOException {
    write(timeNs, buffer, offset, length, length);
  }

  /**
   * Writes the first bytes of a longer frame.
   *
   * @param timeNs nanoseconds since 1970 (or since the start of virtual time), 0..2^32 seconds
   * @param buffer holds the bytes
   * @param offset first byte
   * @param length bytes to keep, 0..{@link CaptureReader#MAX_CAPTURED_BYTES}
   * @param originalLength bytes the frame had, at least {@code length}
   * @throws IOException when writing fails
   */
  public void write(long timeNs, DirectBuffer buffer, int offset, int length, int originalLength)
      throws IOException {
    output.int32((int) Math.floorDiv(timeNs, SECOND_NS));
    output.int32((int) Math.floorMod(timeNs, SECOND_NS));
    output.int32(length);
    output.int32(originalLength);
    output.bytes(buffer, offset, length);
    frames++;
  }

  /** {@return frames written so far} */
  public long frames() {
    return frames;
  }

  /**
   * Hands everything written so far to the stream.
   *
   * @throws IOException when writing fails
   */
  public void flush() throws IOException {
    output.flush();
  }

  @Override
  public void close() throws IOException {
    output.close();
  }
}
