// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.wire;

import io.roce4j.wire.capture.CaptureReader;
import io.roce4j.wire.capture.CapturedPacket;
import io.roce4j.wire.capture.FrameDissector;
import io.roce4j.wire.capture.FrameWriter;
import io.roce4j.wire.capture.LinkType;
import io.roce4j.wire.capture.PcapWriter;
import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A capture file read packet by packet, beside the same file read and put through CRC-32. The file
 * stays in the page cache; times are per packet.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CaptureBenchmark {
  private static final int PACKETS = 8192;
  private static final int READ_BYTES = 1 << 18;
  private static final int FILE_HEADER_BYTES = 24;
  private static final long MAC = 0x0200_0000_0001L;

  /** Payload bytes of each packet. */
  @Param({"1024", "4096"})
  public int payloadBytes;

  private final CapturedPacket packet = new CapturedPacket();
  private final FrameDissector dissector = new FrameDissector();
  private final PacketView view = new PacketView();
  private final Icrc icrc = new Icrc();
  private final CRC32 crc = new CRC32();
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(READ_BYTES);
  private Path file;
  private CaptureReader reader;

  /** For JMH. */
  public CaptureBenchmark() {}

  /**
   * Writes the file.
   *
   * @throws IOException when there is no room for it
   */
  @Setup(Level.Trial)
  public void open() throws IOException {
    file = Files.createTempFile("roce4j-benchmark", ".pcap");
    try (PacketRing ring = PacketRing.of(Opcode.RC_WRITE_MIDDLE, payloadBytes);
        PcapWriter writer = PcapWriter.create(file, LinkType.ETHERNET)) {
      UnsafeBuffer frame = new UnsafeBuffer(new byte[FrameWriter.MAX_HEADERS + 8192]);
      for (int i = 0; i < PACKETS; i++) {
        int slot = i % PacketRing.SLOTS;
        int bth = PacketRing.bthOffset(slot);
        int length =
            FrameWriter.ethernet(
                frame,
                0,
                MAC,
                MAC + 1,
                ring.fields,
                0,
                64,
                0,
                ring.buffer,
                bth,
                ring.lengths[slot]);
        writer.write(i * 1000L, frame, 0, length);
      }
    }
    reader = CaptureReader.open(new EndlessCapture(file), file.toString());
  }

  /**
   * Removes the file.
   *
   * @throws IOException when it is gone
   */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    reader.close();
    Files.delete(file);
  }

  /**
   * Reads every packet, finds IP, UDP and BTH in it, and checks lengths and opcode.
   *
   * @return packets that were well formed
   * @throws IOException when the file cannot be read
   */
  @Benchmark
  @OperationsPerInvocation(PACKETS)
  public long readAndParse() throws IOException {
    long good = 0;
    for (int i = 0; i < PACKETS && reader.next(packet); i++) {
      int fault = dissector.dissect(packet);
      if (fault == WireFault.OK) {
        fault = view.wrap(dissector.buffer(), dissector.bthOffset(), dissector.length());
      }
      good += fault == WireFault.OK ? 1 : 0;
    }
    return check(good);
  }

  /**
   * Does the same and checks the ICRC of every packet.
   *
   * @return packets that were well formed and had the right ICRC
   * @throws IOException when the file cannot be read
   */
  @Benchmark
  @OperationsPerInvocation(PACKETS)
  public long readParseAndCheck() throws IOException {
    long good = 0;
    for (int i = 0; i < PACKETS && reader.next(packet); i++) {
      int fault = dissector.dissect(packet);
      if (fault == WireFault.OK) {
        fault = view.wrap(dissector.buffer(), dissector.bthOffset(), dissector.length());
      }
      good += fault == WireFault.OK && hasRightIcrc() ? 1 : 0;
    }
    return check(good);
  }

  private boolean hasRightIcrc() {
    int computed =
        icrc.computeAside(view.buffer(), view.bthOffset(), view.length(), dissector.fields());
    return computed == Icrc.received(view.buffer(), view.bthOffset(), view.length());
  }

  /**
   * The yardstick: the file read in large pieces and put through CRC-32.
   *
   * @return the CRC
   * @throws IOException when the file cannot be read
   */
  @Benchmark
  @OperationsPerInvocation(PACKETS)
  public long crc32OfTheFile() throws IOException {
    crc.reset();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      chunk.clear();
      while (channel.read(chunk) >= 0) {
        crc.update(chunk.flip());
        chunk.clear();
      }
    }
    return crc.getValue();
  }

  private static long check(long good) {
    if (good != PACKETS) {
      throw new IllegalStateException(good + " of " + PACKETS + " packets are well formed");
    }
    return good;
  }

  /** The file, and then its records again and again: opening one costs memory, reading must not. */
  private static final class EndlessCapture implements ReadableByteChannel {
    private final FileChannel file;

    EndlessCapture(Path path) throws IOException {
      file = FileChannel.open(path, StandardOpenOption.READ);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      int got = file.read(into);
      return got >= 0 ? got : file.position(FILE_HEADER_BYTES).read(into);
    }

    @Override
    public boolean isOpen() {
      return file.isOpen();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
