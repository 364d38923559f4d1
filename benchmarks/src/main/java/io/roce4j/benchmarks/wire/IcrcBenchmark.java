// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.wire;

import io.roce4j.wire.icrc.Icrc;
import io.roce4j.wire.packet.Opcode;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The ICRC of a received packet checked, beside CRC-32 over its bytes. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IcrcBenchmark {
  /** Payload bytes of the packet. */
  @Param({"64", "1024", "4096"})
  public int payloadBytes;

  private final Icrc icrc = new Icrc();
  private final CRC32 crc = new CRC32();
  private PacketRing ring;
  private int step;

  /** For JMH. */
  public IcrcBenchmark() {}

  /** Fills the ring. */
  @Setup
  public void open() {
    ring = PacketRing.of(Opcode.RC_WRITE_MIDDLE, payloadBytes);
  }

  /** Gives the memory back. */
  @TearDown
  public void close() {
    ring.close();
  }

  /**
   * The check of a receiver that knows the IP header.
   *
   * @return whether the ICRC was right, which it is
   */
  @Benchmark
  public boolean check() {
    int slot = step++ & (PacketRing.SLOTS - 1);
    return icrc.check(ring.buffer, PacketRing.bthOffset(slot), ring.lengths[slot], ring.fields);
  }

  /**
   * What a receiver pays that has to find the IP identification.
   *
   * @return the identification
   */
  @Benchmark
  public int solveIdentification() {
    int slot = step++ & (PacketRing.SLOTS - 1);
    return icrc.solveIdentification(
        ring.buffer, PacketRing.bthOffset(slot), ring.lengths[slot], ring.fields);
  }

  /**
   * The yardstick: CRC-32 over the packet's own bytes.
   *
   * @return the CRC
   */
  @Benchmark
  public long crc32() {
    int slot = step++ & (PacketRing.SLOTS - 1);
    int start = ring.buffer.wrapAdjustment() + PacketRing.bthOffset(slot);
    ring.bytes.limit(start + ring.lengths[slot]).position(start);
    crc.reset();
    crc.update(ring.bytes);
    return crc.getValue();
  }
}
