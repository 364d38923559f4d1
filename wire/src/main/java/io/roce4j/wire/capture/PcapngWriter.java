// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a pcapng file with nanosecond time stamps, several interfaces and a comment per frame.
 *
 * <p>Allocates nothing per frame unless there is a comment. One thread.
 */
public final class PcapngWriter implements AutoCloseable {
  private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
  private static final int INTERFACE_DESCRIPTION = 1;
  private static final int ENHANCED_PACKET = 6;
  private static final int BLOCK_OVERHEAD = 12;
  private static final int OPTION_HEADER = 4;
  private static final int OPTION_COMMENT = 1;
  private static final int OPTION_INTERFACE_NAME = 2;
  private static final int OPTION_FLAGS = 2;
  private static final int OPTION_APPLICATION = 4;
  private static final int OPTION_TIME_RESOLUTION = 9;
  private static final int NANOSECOND_DIGITS = 9;
  private static final int MAX_OPTION = 0xFFFF;

  private final CaptureOutput output;
  private int interfaces;
  private long frames;

  /**
   * Starts a capture on a stream.
   *
   * @param stream receives the file; closed by {@link #close}
   * @param application what wrote it, shown by Wireshark as the capturing program
   * @throws IOException when writing fails
   */
  public PcapngWriter(OutputStream stream, String application) throws IOException {
    output = new CaptureOutput(stream);
    byte[] name = option(application);
    int length = BLOCK_OVERHEAD + 16 + optionLength(name.length) + OPTION_HEADER;
    output.int32(PcapngReader.SECTION_HEADER);
    output.int32(length);
    output.int32(BYTE_ORDER_MAGIC);
    output.int16(1);
    output.int16(0);
    output.int32(-1);
    output.int32(-1);
    writeOption(OPTION_APPLICATION, name);
    output.int32(0);
    output.int32(length);
  }

  /**
   * Creates or replaces a file.
   *
   * @param file where
   * @param application what writes it
   * @return the writer; add an interface before the first frame
   * @throws IOException when the file cannot be created
   */
  public static PcapngWriter create(Path file, String application) throws IOException {
    return new PcapngWriter(Files.newOutputStream(file), application);
  }

  /**
   * Announces an interface.
   *
   * @param name shown to people
   * @param linkType of its frames, see {@link LinkType}
   * @return its number, from 0
   * @throws IOException when writing fails
   */
  public int addInterface(String name, int linkType) throws IOException {
    byte[] bytes = option(name);
    int length = BLOCK_OVERHEAD + 8 + optionLength(bytes.length) + optionLength(1) + OPTION_HEADER;
    output.int32(INTERFACE_DESCRIPTION);
    output.int32(length);
    output.int16(linkType);
    output.int16(0);
    output.int32(CaptureReader.MAX_CAPTURED_BYTES);
    writeOption(OPTION_INTERFACE_NAME, bytes);
    writeOption(OPTION_TIME_RESOLUTION, new byte[] {NANOSECOND_DIGITS});
    output.int32(0);
    output.int32(length);
    return interfaces++;
  }

  /**
   * Writes a frame.
   *
   * @param interfaceIndex a number {@link #addInterface} returned
   * @param timeNs nanoseconds since 1970 (or since the start of virtual time)
   * @param buffer holds the frame
   * @param offset first byte
   * @param length bytes to keep, 0..{@link CaptureReader#MAX_CAPTURED_BYTES}
   * @param originalLength bytes the frame had, at least {@code length}
   * @param direction {@link CapturedPacket#UNKNOWN}, {@link CapturedPacket#INBOUND} or {@link
   *     CapturedPacket#OUTBOUND}
   * @param comment for people, empty for none; longer than 65,535 bytes is cut
   * @throws IOException when writing fails
   * @throws IllegalArgumentException on an interface that was not added
   */
  public void write(
      int interfaceIndex,
      long timeNs,
      DirectBuffer buffer,
      int offset,
      int length,
      int originalLength,
      int direction,
      String comment)
      throws IOException {
    if (interfaceIndex < 0 || interfaceIndex >= interfaces) {
      throw new IllegalArgumentException(
          "interface " + interfaceIndex + " of " + interfaces + ": add it before the frame");
    }
    byte[] note = comment.isEmpty() ? null : option(comment);
    int pad = -length & 3;
    int options = note == null ? 0 : optionLength(note.length);
    options += direction == CapturedPacket.UNKNOWN ? 0 : optionLength(Integer.BYTES);
    options += options == 0 ? 0 : OPTION_HEADER;
    int total = BLOCK_OVERHEAD + 20 + length + pad + options;
    output.int32(ENHANCED_PACKET);
    output.int32(total);
    output.int32(interfaceIndex);
    output.int32((int) (timeNs >>> 32));
    output.int32((int) timeNs);
    output.int32(length);
    output.int32(originalLength);
    output.bytes(buffer, offset, length);
    output.zeros(pad);
    if (note != null) {
      writeOption(OPTION_COMMENT, note);
    }
    if (direction != CapturedPacket.UNKNOWN) {
      output.int16(OPTION_FLAGS);
      output.int16(Integer.BYTES);
      output.int32(direction);
    }
    if (options != 0) {
      output.int32(0);
    }
    output.int32(total);
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

  private static byte[] option(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return bytes.length <= MAX_OPTION ? bytes : java.util.Arrays.copyOf(bytes, MAX_OPTION);
  }

  private static int optionLength(int bytes) {
    return OPTION_HEADER + ((bytes + 3) & ~3);
  }

  private void writeOption(int code, byte[] bytes) throws IOException {
    output.int16(code);
    output.int16(bytes.length);
    output.bytes(new UnsafeBuffer(bytes), 0, bytes.length);
    output.zeros(-bytes.length & 3);
  }
}
