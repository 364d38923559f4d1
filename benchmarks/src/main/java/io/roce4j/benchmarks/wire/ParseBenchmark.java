// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.wire;

import io.roce4j.wire.packet.Opcode;
import io.roce4j.wire.packet.PacketView;
import io.roce4j.wire.packet.WireFault;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A packet checked, parsed and dispatched by its opcode, without its ICRC; beside CRC-32 over 64
 * bytes. Both go once around a ring of 64 packets per invocation; times are per packet.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ParseBenchmark {
  private static final int YARDSTICK_BYTES = 64;

  private final PacketView view = new PacketView();
  private final CRC32 crc = new CRC32();
  private PacketRing ring;

  /** For JMH. */
  public ParseBenchmark() {}

  /** Fills the ring. */
  @Setup
  public void open() {
    ring = PacketRing.mixed(1024);
  }

  /** Gives the memory back. */
  @TearDown
  public void close() {
    ring.close();
  }

  /**
   * Checks lengths, opcode and pad, and reads what the handler of the opcode needs.
   *
   * @return a sum over what was read
   */
  @Benchmark
  @OperationsPerInvocation(PacketRing.SLOTS)
  public long parseAndDispatch() {
    long sum = 0;
    for (int slot = 0; slot < PacketRing.SLOTS; slot++) {
      int fault = view.wrap(ring.buffer, PacketRing.bthOffset(slot), ring.lengths[slot]);
      sum += fault == WireFault.OK ? dispatch() : fault;
    }
    return sum;
  }

  private long dispatch() {
    int opcode = view.opcode();
    long common = view.destQp() ^ view.psn();
    if (Opcode.isAck(opcode)) {
      return common ^ view.syndrome() ^ view.msn();
    }
    if (Opcode.isReadResponse(opcode)) {
      return common + view.payloadOffset() + view.payloadLength();
    }
    if (Opcode.isReadRequest(opcode)) {
      return common + view.rethVa() + view.rethRkey() + view.rethLength();
    }
    if (Opcode.isWrite(opcode) && Opcode.startsMessage(opcode)) {
      return common + view.rethVa() + view.rethRkey() + view.rethLength() + view.payloadLength();
    }
    return common + view.payloadOffset() + view.payloadLength() + (view.ackRequest() ? 1 : 0);
  }

  /**
   * The yardstick: CRC-32 over the first 64 bytes of each packet.
   *
   * @return a sum of the CRCs
   */
  @Benchmark
  @OperationsPerInvocation(PacketRing.SLOTS)
  public long crc32Of64Bytes() {
    long sum = 0;
    for (int slot = 0; slot < PacketRing.SLOTS; slot++) {
      int start = ring.buffer.wrapAdjustment() + PacketRing.bthOffset(slot);
      ring.bytes.limit(start + YARDSTICK_BYTES).position(start);
      crc.reset();
      crc.update(ring.bytes);
      sum += crc.getValue();
    }
    return sum;
  }
}
