// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.capture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.wire.memory.NativeMemory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading and writing capture files: formats, byte orders, clocks, and files that lie. */
class CaptureFileTest {
  private static final long SEED = 0x5EED_0008L;

  private final CapturedPacket packet = new CapturedPacket();

  private static CaptureReader open(byte[] file) throws CaptureException {
    return CaptureReader.open(new ByteArrayInputStream(file), "test.pcap");
  }

  private static byte[] bytesOf(CapturedPacket packet) {
    byte[] bytes = new byte[packet.capturedLength()];
    packet.buffer().getBytes(packet.offset(), bytes);
    return bytes;
  }

  private static byte[] pcap(ByteOrder order, int magic, byte[] frame) {
    ByteBuffer file = ByteBuffer.allocate(24 + 16 + frame.length).order(order);
    file.putInt(magic).putShort((short) 2).putShort((short) 4).putInt(0).putInt(0).putInt(65_535);
    file.putInt(LinkType.RAW_IP);
    file.putInt(1_700_000_000).putInt(123_456).putInt(frame.length).putInt(frame.length + 7);
    return file.put(frame).array();
  }

  @ParameterizedTest
  @CsvSource({
    "LITTLE_ENDIAN, 0xA1B2C3D4, 123456000",
    "BIG_ENDIAN, 0xA1B2C3D4, 123456000",
    "LITTLE_ENDIAN, 0xA1B23C4D, 123456",
    "BIG_ENDIAN, 0xA1B23C4D, 123456"
  })
  void pcapOfBothByteOrdersAndClocks(String order, String magic, long fractionNs)
      throws IOException {
    ByteOrder byteOrder =
        order.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    byte[] frame = {1, 2, 3, 4, 5};
    try (CaptureReader reader = open(pcap(byteOrder, Long.decode(magic).intValue(), frame))) {
      assertTrue(reader.next(packet));
      assertEquals(1_700_000_000L * 1_000_000_000L + fractionNs, packet.timeNs());
      assertEquals(LinkType.RAW_IP, packet.linkType());
      assertEquals(5, packet.capturedLength());
      assertEquals(12, packet.originalLength());
      assertTrue(Arrays.equals(frame, bytesOf(packet)));
      assertFalse(reader.next(packet));
      assertEquals(1, packet.number());
      assertEquals(45, reader.bytesRead());
    }
  }

  @Test
  void writtenPcapIsReadBackFrameByFrame() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    byte[][] frames = new byte[500][];
    try (PcapWriter writer = new PcapWriter(file, LinkType.ETHERNET)) {
      for (int i = 0; i < frames.length; i++) {
        frames[i] = new byte[random.nextInt(i % 50 == 0 ? 200_000 : 2_000)];
        random.nextBytes(frames[i]);
        writer.write(i * 1_000_000_007L, new UnsafeBuffer(frames[i]), 0, frames[i].length);
      }
      assertEquals(frames.length, writer.frames());
    }
    try (CaptureReader reader = open(file.toByteArray())) {
      assertEquals("pcap, little-endian, nanoseconds, Ethernet", reader.format());
      for (int i = 0; i < frames.length; i++) {
        assertTrue(reader.next(packet));
        assertEquals(i * 1_000_000_007L, packet.timeNs());
        assertTrue(Arrays.equals(frames[i], bytesOf(packet)), "seed " + SEED + " frame " + i);
      }
      assertFalse(reader.next(packet));
    }
  }

  @Test
  void writtenPcapngKeepsInterfacesCommentsAndDirections() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    byte[][] frames = new byte[300][];
    try (PcapngWriter writer = new PcapngWriter(file, "roce4j test")) {
      assertEquals(0, writer.addInterface("left", LinkType.ETHERNET));
      assertEquals(1, writer.addInterface("right port", LinkType.RAW_IP));
      assertThrows(
          IllegalArgumentException.class,
          () -> writer.write(2, 0, new UnsafeBuffer(new byte[1]), 0, 1, 1, 0, ""));
      for (int i = 0; i < frames.length; i++) {
        frames[i] = new byte[random.nextInt(i % 50 == 0 ? 200_000 : 2_000)];
        random.nextBytes(frames[i]);
        UnsafeBuffer buffer = new UnsafeBuffer(frames[i]);
        String comment = i % 3 == 0 ? "frame ü " + i : "";
        int length = frames[i].length;
        writer.write(i & 1, 5_000_000_000L + i, buffer, 0, length, length + i, i % 3, comment);
      }
      assertEquals(frames.length, writer.frames());
    }
    try (CaptureReader reader = open(file.toByteArray())) {
      for (int i = 0; i < frames.length; i++) {
        assertTrue(reader.next(packet));
        assertEquals(5_000_000_000L + i, packet.timeNs());
        assertEquals(i & 1, packet.interfaceIndex());
        assertEquals((i & 1) == 0 ? LinkType.ETHERNET : LinkType.RAW_IP, packet.linkType());
        assertEquals(i % 3, packet.direction());
        assertEquals(i % 3 == 0 ? "frame ü " + i : "", packet.comment());
        assertEquals(frames[i].length + i, packet.originalLength());
        assertTrue(Arrays.equals(frames[i], bytesOf(packet)), "seed " + SEED + " frame " + i);
      }
      assertFalse(reader.next(packet));
    }
  }

  /** Blocks of every kind and both byte orders, a second section, options, a clock of 2^-20 s. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void pcapngOfBothByteOrders(boolean bigEndian) throws IOException {
    ByteBuffer file =
        ByteBuffer.allocate(1 << 12)
            .order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    section(file);
    // Interface: cooked, snap length 6, resolution 2^-20, offset 100 s.
    file.putInt(1).putInt(44).putShort((short) 113).putShort((short) 0).putInt(6);
    file.putShort((short) 9).putShort((short) 1).put((byte) 0x94).put(new byte[3]);
    file.putShort((short) 14).putShort((short) 8).putLong(100).putInt(0).putInt(44);
    // A block nobody knows.
    file.putInt(0x0BAD).putInt(20).putLong(7).putInt(20);
    // Enhanced packet of 3 bytes at tick 3 * 2^20 + 2^19.
    file.putInt(6).putInt(36).putInt(0).putInt(0).putInt((3 << 20) | (1 << 19)).putInt(3).putInt(9);
    file.put(new byte[] {7, 8, 9, 0}).putInt(36);
    // Simple packet: 8 bytes on the wire, 6 kept.
    file.putInt(3).putInt(24).putInt(8).put(new byte[] {1, 2, 3, 4, 5, 6, 0, 0}).putInt(24);
    // Old packet block.
    file.putInt(2).putInt(36).putShort((short) 0).putShort((short) 0).putInt(0).putInt(1 << 20);
    file.putInt(1).putInt(1).put(new byte[] {5, 0, 0, 0}).putInt(36);
    section(file);
    file.putInt(1).putInt(20).putShort((short) 1).putShort((short) 0).putInt(0).putInt(20);
    file.putInt(6).putInt(32).putInt(0).putInt(0).putInt(5).putInt(0).putInt(0).putInt(32);
    try (CaptureReader reader = open(Arrays.copyOf(file.array(), file.position()))) {
      assertEquals("pcapng, " + (bigEndian ? "big" : "little") + "-endian", reader.format());
      assertTrue(reader.next(packet));
      assertEquals(103_500_000_000L, packet.timeNs());
      assertEquals(LinkType.LINUX_COOKED, packet.linkType());
      assertTrue(Arrays.equals(new byte[] {7, 8, 9}, bytesOf(packet)));
      assertEquals(9, packet.originalLength());
      assertTrue(reader.next(packet));
      assertEquals(6, packet.capturedLength());
      assertEquals(8, packet.originalLength());
      assertEquals(0, packet.timeNs());
      assertTrue(reader.next(packet));
      assertEquals(101_000_000_000L, packet.timeNs());
      assertTrue(reader.next(packet));
      assertEquals(LinkType.ETHERNET, packet.linkType());
      assertEquals(5_000L, packet.timeNs());
      assertEquals(4, packet.number());
      assertFalse(reader.next(packet));
    }
  }

  private static void section(ByteBuffer file) {
    file.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D).putShort((short) 1).putShort((short) 0);
    file.putLong(-1).putInt(28);
  }

  @Test
  void clocksOfAnyResolutionGiveNanoseconds() {
    CaptureInterface source = new CaptureInterface(1, 0);
    assertEquals(1_500_000_000L, source.timeNs(1_500_000));
    assertTrue(source.resolution(12));
    assertEquals(1_500_000_000L, source.timeNs(1_500_000_000_999L));
    assertTrue(source.resolution(0));
    assertEquals(7_000_000_000L, source.timeNs(7));
    assertTrue(source.resolution(0x80 | 40));
    assertEquals(2_250_000_000L, source.timeNs((2L << 40) + (1L << 38)));
    assertTrue(source.resolution(0x80 | 62));
    assertEquals(3_250_000_000L, source.timeNs((3L << 62) + (1L << 60)));
    assertFalse(source.resolution(19));
    assertFalse(source.resolution(0x80 | 63));
  }

  /** Cutting a file anywhere gives its whole frames, then one line that says what happened. */
  @Test
  void filesCutAnywhereGiveWhatIsWholeAndSayWhatIsMissing() throws IOException {
    for (boolean next : new boolean[] {false, true}) {
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      UnsafeBuffer frame = new UnsafeBuffer(new byte[33]);
      if (next) {
        try (PcapngWriter writer = new PcapngWriter(file, "x")) {
          writer.addInterface("y", LinkType.ETHERNET);
          for (int i = 0; i < 3; i++) {
            writer.write(0, i, frame, 0, 33, 33, 1, "note");
          }
        }
      } else {
        try (PcapWriter writer = new PcapWriter(file, LinkType.ETHERNET)) {
          for (int i = 0; i < 3; i++) {
            writer.write(i, frame, 0, 33);
          }
        }
      }
      byte[] whole = file.toByteArray();
      int clean = 0;
      for (int cut = 1; cut < whole.length; cut++) {
        clean += readAll(Arrays.copyOf(whole, cut));
      }
      assertTrue(clean >= 3 && clean <= 6, "clean ends " + clean);
    }
  }

  private int readAll(byte[] file) throws IOException {
    int frames = 0;
    try (CaptureReader reader = open(file)) {
      while (reader.next(packet)) {
        frames++;
        assertEquals(33, packet.capturedLength());
      }
      return 1;
    } catch (CaptureException e) {
      assertTrue(frames <= 2);
      assertTrue(e.isCutShort() || e.getMessage().contains("no capture"), e.getMessage());
      assertFalse(e.getMessage().contains("\n"));
      return 0;
    }
  }

  @Test
  void hostileLengthsAreRefusedWithoutAllocation() {
    byte[] file = pcap(ByteOrder.LITTLE_ENDIAN, 0xA1B2C3D4, new byte[10]);
    ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putInt(24 + 8, -1);
    CaptureException e =
        assertThrows(CaptureException.class, () -> open(file).next(new CapturedPacket()));
    assertEquals(
        "test.pcap: record 1 at byte 24 claims 4294967295 bytes, more than the limit of 262144;"
            + " the file is damaged: capture or copy it again",
        e.getMessage());
    assertFalse(e.isCutShort());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|the file is empty",
        "0102|2 bytes are no capture file",
        "1f8b080000000000|compressed",
        "28b52ffd00000000|compressed",
        "34cdb2a100000000|not supported; convert it with editcap",
        "7f454c4602010100|neither pcap nor pcapng (first bytes 7f454c46)",
        "d4c3b2a10200|ends inside the pcap file header",
        "d4c3b2a1030004000000000000000000ffff000001000000|pcap version 3 is not supported",
        "0a0d0d0a1c000000000000000100000000000000000000001c000000|without byte-order magic",
        "0a0d0d0a1c0000004d3c2b1a0900000000000000000000001c000000|version 9 is not supported",
        "0a0d0d0a1c0000004d3c2b1a0100000000000000000000001d000000|ends with another length",
        "0a0d0d0a030000004d3c2b1a0100000000000000000000001d000000|section header of 3 bytes"
      })
  void foreignFilesAreNamedForWhatTheyAre(String hex, String message) {
    byte[] file = hex == null ? new byte[0] : java.util.HexFormat.of().parseHex(hex);
    CaptureException e = assertThrows(CaptureException.class, () -> open(file));
    assertTrue(e.getMessage().startsWith("test.pcap: "), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void missingAndUnreadableFilesSaySo(@TempDir Path folder) throws IOException {
    Path missing = folder.resolve("none.pcap");
    CaptureException e = assertThrows(CaptureException.class, () -> CaptureReader.open(missing));
    assertEquals(missing + ": no such file; check the path", e.getMessage());
    assertThrows(CaptureException.class, () -> CaptureReader.open(folder));
    Path text = Files.write(folder.resolve("a.txt"), "hello".getBytes(UTF_8));
    assertThrows(CaptureException.class, () -> CaptureReader.open(text));
  }

  @Test
  void readingErrorsOfTheSystemKeepTheirCause() throws IOException {
    InputStream failing =
        new InputStream() {
          private int left = 30;

          @Override
          public int read() throws IOException {
            if (left-- == 0) {
              throw new IOException("disk gone");
            }
            return left >= 28 ? 0xD4 : 0;
          }

          @Override
          public int read(byte[] into, int offset, int length) throws IOException {
            byte[] head = pcap(ByteOrder.LITTLE_ENDIAN, 0xA1B2C3D4, new byte[0]);
            if (left == 0) {
              throw new IOException("disk gone");
            }
            left = 0;
            System.arraycopy(head, 0, into, offset, 30);
            return 30;
          }
        };
    try (CaptureReader reader = CaptureReader.open(failing, "disk.pcap")) {
      CaptureException e = assertThrows(CaptureException.class, () -> reader.next(packet));
      assertEquals("disk.pcap: reading fails at byte 30: disk gone", e.getMessage());
    }
  }

  /** The block lies off heap: it is given back by close, once, and when a file is refused. */
  @Test
  void theMemoryOfAReaderIsGivenBack(@TempDir Path folder) throws IOException {
    byte[] large = new byte[CaptureReader.MAX_CAPTURED_BYTES];
    Path file =
        Files.write(folder.resolve("a.pcap"), pcap(ByteOrder.LITTLE_ENDIAN, 0xA1B2C3D4, large));
    long before = NativeMemory.liveBytes("capture");
    CaptureReader reader = CaptureReader.open(file);
    assertTrue(NativeMemory.liveBytes("capture") > before);
    assertTrue(reader.next(packet));
    assertArrayEquals(large, bytesOf(packet));
    reader.close();
    reader.close();
    assertEquals(before, NativeMemory.liveBytes("capture"));
    assertThrows(CaptureException.class, () -> open(new byte[5]));
    assertThrows(CaptureException.class, () -> CaptureReader.open(folder));
    assertEquals(before, NativeMemory.liveBytes("capture"));
  }

  /** A block larger than what is held at once: options are skipped, the frame is good. */
  @Test
  void hugeOptionsAreSteppedOver() throws IOException {
    int huge = 3 << 20;
    ByteBuffer file = ByteBuffer.allocate(huge + 4096).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    file.putInt(1).putInt(20).putShort((short) 1).putShort((short) 0).putInt(0).putInt(20);
    int length = 28 + 4 + huge + 4;
    file.putInt(6).putInt(length).putInt(0).putInt(0).putInt(9).putInt(2).putInt(2);
    file.put(new byte[] {4, 2, 0, 0});
    file.position(file.position() + huge);
    file.putInt(length);
    file.putInt(6).putInt(32).putInt(0).putInt(0).putInt(10).putInt(0).putInt(0).putInt(32);
    try (CaptureReader reader = open(Arrays.copyOf(file.array(), file.position()))) {
      assertTrue(reader.next(packet));
      assertTrue(Arrays.equals(new byte[] {4, 2}, bytesOf(packet)));
      assertTrue(reader.next(packet));
      assertEquals(10_000, packet.timeNs());
      assertFalse(reader.next(packet));
    }
  }
}
