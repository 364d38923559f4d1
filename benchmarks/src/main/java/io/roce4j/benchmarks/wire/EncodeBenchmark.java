// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.wire;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.icrc.IpUdpFields;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketWriter;
import io.roce4j.wire.packet.Reth;
import io.roce4j.wire.sequence.Psn;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * An RDMA WRITE packet made as the sender makes it: headers, payload copied out of registered
 * memory, ICRC; beside the copy and the CRC-32 that no implementation can avoid.
 *
 * <p>Both walk the same ring of slots and the same source, so that the caches treat them alike.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EncodeBenchmark {
  private static final int SLOTS = 64;
  private static final int SLOT_BYTES = 8192;
  private static final int PKEY = 0xFFFF;
  private static final int DEST_QP = 0x11;
  private static final int RKEY = 0x1234_5678;

  /** Payload bytes of the packet. */
  @Param({"1024", "4096"})
  public int payloadBytes;

  private final Icrc icrc = new Icrc();
  private final CRC32 crc = new CRC32();
  private final IpUdpFields fields = new IpUdpFields();
  private UnsafeBuffer slots;
  private ByteBuffer slotBytes;
  private NativeRegion source;
  private int step;
  private int psn;

  /** For JMH. */
  public EncodeBenchmark() {}

  /** Makes the ring of slots and a source filled with numbers. */
  @Setup
  public void open() {
    slots = NativeMemory.allocate("benchmark", SLOTS * SLOT_BYTES, 64);
    slotBytes = slots.byteBuffer().duplicate();
    source = NativeRegion.allocate("benchmark", (long) SLOTS * SLOT_BYTES);
    for (long i = 0; i < source.length(); i += Long.BYTES) {
      NativeMemory.putLong(source.address() + i, i * 0x9E37_79B9_7F4A_7C15L);
    }
    fields.ipv4(0x7F00_0001, 0x7F00_0002, 49152, IpUdpFields.ROCE_PORT);
  }

  /** Gives the memory back. */
  @TearDown
  public void close() {
    NativeMemory.release(slots);
    source.close();
  }

  /**
   * Headers, copy and ICRC.
   *
   * @return the bytes of the packet
   */
  @Benchmark
  public int encodeWrite() {
    int slot = step++ & (SLOTS - 1);
    int bth = slot * SLOT_BYTES + Icrc.HEADROOM;
    int opcode = Opcode.RC_WRITE_ONLY;
    psn = Psn.next(psn);
    int length =
        PacketWriter.begin(slots, bth, opcode, payloadBytes, false, PKEY, DEST_QP, true, psn);
    Reth.write(slots, bth + Opcode.rethOffset(opcode), source.address(), RKEY, payloadBytes);
    NativeMemory.copyToBuffer(
        source.address() + (long) slot * SLOT_BYTES,
        slots,
        PacketWriter.payloadOffset(bth, opcode),
        payloadBytes);
    icrc.seal(slots, bth, length, fields);
    return length;
  }

  /**
   * The yardstick: the payload copied, and CRC-32 over it.
   *
   * @return the CRC
   */
  @Benchmark
  public long copyAndCrc32() {
    int slot = step++ & (SLOTS - 1);
    int offset = slot * SLOT_BYTES;
    NativeMemory.copyToBuffer(
        source.address() + (long) slot * SLOT_BYTES, slots, offset, payloadBytes);
    crc.reset();
    int start = slots.wrapAdjustment() + offset;
    slotBytes.limit(start + payloadBytes).position(start);
    crc.update(slotBytes);
    return crc.getValue();
  }
}
