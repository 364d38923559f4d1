// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads frames from a pcap or pcapng file of any size with constant memory (at most one megabyte,
 * off heap until {@link #close}).
 *
 * <p>Both byte orders; microsecond and nanosecond pcap; pcapng with several sections and
 * interfaces. No length in the file is trusted: a record above {@link #MAX_CAPTURED_BYTES} is
 * refused, not allocated. One thread.
 */
public abstract class CaptureReader implements AutoCloseable {
  /** Largest frame read, the limit tcpdump has too. */
  public static final int MAX_CAPTURED_BYTES = 262_144;

  private static final int MAGIC_BYTES = 4;
  private static final int GZIP = 0x8B1F;
  private static final int ZSTD = 0xFD2F_B528;
  private static final int PCAP_MODIFIED = 0xA1B2_CD34;

  final CaptureInput input;
  long records;

  CaptureReader(CaptureInput input) {
    this.input = input;
  }

  /**
   * Opens a file and reads its header.
   *
   * @param file path of a pcap or pcapng file
   * @return a reader in front of the first frame; close it
   * @throws CaptureException when the file cannot be opened or is no capture
   */
  public static CaptureReader open(Path file) throws CaptureException {
    FileChannel channel;
    try {
      channel = FileChannel.open(file, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw new CaptureException(file + ": no such file; check the path", e);
    } catch (AccessDeniedException e) {
      throw new CaptureException(file + ": permission denied; make the file readable", e);
    } catch (IOException e) {
      throw new CaptureException(file + ": cannot be opened: " + e.getMessage(), e);
    }
    return open(channel, file.toString());
  }

  /**
   * Starts reading a stream. A file or a pipe is read faster as a channel.
   *
   * @param stream a capture from its first byte; closed with the reader, and when this call fails
   * @param name how messages call it
   * @return a reader in front of the first frame
   * @throws CaptureException when it is no capture
   */
  public static CaptureReader open(InputStream stream, String name) throws CaptureException {
    return open(new CaptureInput(name, Channels.newChannel(stream), expectedBytes(stream)));
  }

  /**
   * Starts reading a channel.
   *
   * @param channel a capture from its first byte, in blocking mode; closed with the reader, and
   *     when this call fails
   * @param name how messages call it
   * @return a reader in front of the first frame
   * @throws CaptureException when it is no capture
   */
  public static CaptureReader open(ReadableByteChannel channel, String name)
      throws CaptureException {
    return open(new CaptureInput(name, channel, expectedBytes(channel)));
  }

  private static CaptureReader open(CaptureInput input) throws CaptureException {
    try {
      return byMagic(input);
    } catch (CaptureException e) {
      closeAfter(input, e);
      throw e;
    }
  }

  private static CaptureReader byMagic(CaptureInput input) throws CaptureException {
    String name = input.name();
    int present = input.fill(MAGIC_BYTES);
    if (present == 0) {
      throw new CaptureException(name + ": the file is empty; nothing was captured", false);
    }
    if (present < MAGIC_BYTES) {
      throw new CaptureException(name + ": " + present + " bytes are no capture file", false);
    }
    int magic = input.int32(0);
    if (magic == PcapngReader.SECTION_HEADER) {
      return new PcapngReader(input);
    }
    if (PcapReader.isMagic(magic)) {
      return new PcapReader(input, magic);
    }
    if ((magic & 0xFFFF) == GZIP || magic == ZSTD) {
      throw new CaptureException(
          name + ": the file is compressed; unpack it first (gunzip or unzstd)", false);
    }
    if (magic == PCAP_MODIFIED || magic == Integer.reverseBytes(PCAP_MODIFIED)) {
      throw new CaptureException(
          name + ": pcap variant a1b2cd34 is not supported; convert it with editcap", false);
    }
    throw new CaptureException(
        name
            + ": neither pcap nor pcapng (first bytes "
            + String.format("%08x", Integer.reverseBytes(magic))
            + "); give a capture written by tcpdump, dumpcap or roce4j",
        false);
  }

  /**
   * Reads the next frame.
   *
   * @param packet is filled in; its bytes are lent until the next call
   * @return false at the end of the file
   * @throws CaptureException when the file ends inside a record, is damaged or cannot be read
   */
  public abstract boolean next(CapturedPacket packet) throws CaptureException;

  /**
   * The kind of file, for people.
   *
   * @return for example {@code pcap, little-endian, nanoseconds}
   */
  public abstract String format();

  /**
   * How far reading has come.
   *
   * @return bytes of the file consumed
   */
  public long bytesRead() {
    return input.consumed();
  }

  @Override
  public void close() throws IOException {
    input.close();
  }

  private static long expectedBytes(InputStream stream) {
    try {
      return stream.available();
    } catch (IOException e) {
      // Reading will fail as well, and say why.
      return 0;
    }
  }

  private static long expectedBytes(ReadableByteChannel channel) {
    try {
      return channel instanceof FileChannel file ? file.size() : 0;
    } catch (IOException e) {
      // Reading will fail as well, and say why.
      return 0;
    }
  }

  private static void closeAfter(CaptureInput input, CaptureException reason) {
    try {
      input.close();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
