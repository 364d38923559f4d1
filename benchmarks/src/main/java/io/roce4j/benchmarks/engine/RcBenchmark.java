// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks.engine;

import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairAttributes;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.QueuePairs;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import io.roce4j.wire.memory.NativeRegion;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * RC in the emulated network: RDMA WRITEs and READs of 16 packets from post to completion, both
 * endpoints and the link in one thread. Times are per data packet, and hold posting, requester,
 * sealing, link, check, responder, acknowledgement and completion.
 *
 * <p>The yardstick is what every reliable software transport with a CRC does to those bytes: copy
 * and CRC at the sender, CRC and copy at the receiver.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RcBenchmark {
  private static final int PACKETS = 16;
  private static final int SLOTS = 16;

  /** Path MTU, which is the payload of each packet. */
  @Param({"1024", "4096"})
  public int mtuBytes;

  private final WorkCompletion completion = new WorkCompletion();
  private final SendRequest request = new SendRequest();
  private final CRC32 crc = new CRC32();
  private EmulatedPair pair;
  private QueuePair queuePair;
  private CompletionQueue completions;
  private NativeRegion local;
  private NativeRegion remote;
  private MemoryRegion localRegion;
  private MemoryRegion remoteRegion;
  private UnsafeBuffer wire;
  private ByteBuffer wireBytes;
  private int step;

  /** For JMH. */
  public RcBenchmark() {}

  /** Connects two endpoints over a link without faults. */
  @Setup
  public void open() {
    pair = new EmulatedPair();
    int bytes = SLOTS * PACKETS * mtuBytes;
    local = NativeRegion.allocate("benchmark", bytes);
    remote = NativeRegion.allocate("benchmark", bytes);
    wire = NativeMemory.allocate("benchmark", SLOTS * mtuBytes, 64);
    wireBytes = wire.byteBuffer().duplicate();
    ProtectionDomain localDomain = pair.requester.context().allocateProtectionDomain();
    ProtectionDomain remoteDomain = pair.responder.context().allocateProtectionDomain();
    localRegion = localDomain.register(local, AccessFlags.LOCAL_WRITE);
    remoteRegion =
        remoteDomain.register(
            remote, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ);
    completions = pair.requester.context().createCompletionQueue(64);
    queuePair = queuePair(localDomain, completions);
    QueuePair peer = queuePair(remoteDomain, pair.responder.context().createCompletionQueue(64));
    QueuePairs.connect(queuePair, peer, new QueuePairAttributes().pathMtuBytes(mtuBytes));
  }

  private static QueuePair queuePair(ProtectionDomain domain, CompletionQueue completions) {
    return domain.createQueuePair(
        new QueuePairSettings().type(QueuePairType.RC).sendCq(completions).recvCq(completions));
  }

  /** Gives everything back. */
  @TearDown
  public void close() {
    pair.close();
    local.close();
    remote.close();
    NativeMemory.release(wire);
  }

  /**
   * One RDMA WRITE of 16 packets.
   *
   * @return bytes written
   */
  @Benchmark
  @OperationsPerInvocation(PACKETS)
  public long write() {
    return run(WorkRequestOpcode.RDMA_WRITE);
  }

  /**
   * One RDMA READ of 16 packets.
   *
   * @return bytes read
   */
  @Benchmark
  @OperationsPerInvocation(PACKETS)
  public long read() {
    return run(WorkRequestOpcode.RDMA_READ);
  }

  private long run(int opcode) {
    int length = PACKETS * mtuBytes;
    long offset = (long) (step++ & (SLOTS - 1)) * length;
    request
        .clear()
        .wrId(step)
        .opcode(opcode)
        .signaled(true)
        .sge(localRegion.address() + offset, length, localRegion.lkey())
        .remote(remoteRegion.address() + offset, remoteRegion.rkey());
    if (queuePair.postSend(request) != 0) {
      throw new IllegalStateException("the send queue is full");
    }
    while (!completions.poll(completion)) {
      pair.work();
    }
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      throw new IllegalStateException(WorkCompletionStatus.name(completion.status()));
    }
    return length;
  }

  /**
   * The yardstick: copy and CRC-32, then CRC-32 and copy, of one packet's payload.
   *
   * @return the sum of both CRCs
   */
  @Benchmark
  public long copyAndCrc32Twice() {
    int slot = step++ & (SLOTS - 1);
    int at = slot * mtuBytes;
    long offset = (long) slot * PACKETS * mtuBytes;
    NativeMemory.copyToBuffer(local.address() + offset, wire, at, mtuBytes);
    long sum = crc32(at) + crc32(at);
    NativeMemory.copyFromBuffer(wire, at, remote.address() + offset, mtuBytes);
    return sum;
  }

  private long crc32(int at) {
    int start = wire.wrapAdjustment() + at;
    wireBytes.limit(start + mtuBytes).position(start);
    crc.reset();
    crc.update(wireBytes);
    return crc.getValue();
  }
}
