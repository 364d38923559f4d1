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
import io.roce4j.wire.memory.NativeRegion;
import java.util.concurrent.TimeUnit;
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
 * What a packet costs when an endpoint has 10 connected RC queue pairs, and when it has 10,000.
 * Each invocation posts one WRITE of 1 KiB on each of ten of them, far apart from each other and
 * from those of the time before, and waits for the completions; both endpoints and the link in one
 * thread.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ConnectionsBenchmark {
  private static final int BATCH = 10;
  private static final int MTU = 1024;
  private static final int PACKETS = 16;
  private static final int BYTES = PACKETS * MTU;

  /** A prime, so that the steps go round all connections. */
  private static final int STRIDE = 7919;

  /** For JMH. */
  public ConnectionsBenchmark() {}

  /** Ten connections. */
  @State(Scope.Thread)
  public static class Ten extends Connections {
    /** For JMH. */
    public Ten() {
      super(BATCH);
    }
  }

  /** Ten thousand connections. */
  @State(Scope.Thread)
  public static class TenThousand extends Connections {
    /** For JMH. */
    public TenThousand() {
      super(10_000);
    }
  }

  /** Two endpoints with connections between them. */
  @State(Scope.Thread)
  public abstract static class Connections {
    private final QueuePair[] queuePairs;
    private final WorkCompletion completion = new WorkCompletion();
    private final SendRequest request = new SendRequest();
    private EmulatedPair pair;
    private CompletionQueue completions;
    private NativeRegion local;
    private NativeRegion remote;
    private MemoryRegion localRegion;
    private MemoryRegion remoteRegion;
    private int next;

    Connections(int count) {
      queuePairs = new QueuePair[count];
    }

    /** Connects them. */
    @Setup
    public void open() {
      pair = new EmulatedPair();
      local = NativeRegion.allocate("benchmark", BYTES);
      remote = NativeRegion.allocate("benchmark", BYTES);
      ProtectionDomain here = pair.requester.context().allocateProtectionDomain();
      ProtectionDomain there = pair.responder.context().allocateProtectionDomain();
      localRegion = here.register(local, AccessFlags.LOCAL_WRITE);
      remoteRegion = there.register(remote, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
      completions = pair.requester.context().createCompletionQueue(2 * BATCH);
      CompletionQueue others = pair.responder.context().createCompletionQueue(1);
      for (int i = 0; i < queuePairs.length; i++) {
        queuePairs[i] = queuePair(here, completions);
        QueuePairs.connect(
            queuePairs[i], queuePair(there, others), new QueuePairAttributes().pathMtuBytes(MTU));
      }
    }

    private static QueuePair queuePair(ProtectionDomain domain, CompletionQueue completions) {
      return domain.createQueuePair(
          new QueuePairSettings()
              .type(QueuePairType.RC)
              .sendCq(completions)
              .recvCq(completions)
              .maxSendWr(2)
              .maxRecvWr(1));
    }

    long write(int packets) {
      for (int i = 0; i < BATCH; i++) {
        next = (next + STRIDE) % queuePairs.length;
        request
            .clear()
            .opcode(WorkRequestOpcode.RDMA_WRITE)
            .signaled(true)
            .sge(localRegion.address(), (long) packets * MTU, localRegion.lkey())
            .remote(remoteRegion.address(), remoteRegion.rkey());
        if (queuePairs[next].postSend(request) != 0) {
          throw new IllegalStateException("the send queue is full");
        }
      }
      int done = 0;
      while (done < BATCH) {
        if (!completions.poll(completion)) {
          pair.work();
        } else if (completion.status() == WorkCompletionStatus.SUCCESS) {
          done++;
        } else {
          throw new IllegalStateException(completion.toString());
        }
      }
      return done;
    }

    /** Gives everything back. */
    @TearDown
    public void close() {
      pair.close();
      local.close();
      remote.close();
    }
  }

  /**
   * WRITEs of 16 packets on ten connections, the only ones.
   *
   * @param connections ten
   * @return completions
   */
  @Benchmark
  @OperationsPerInvocation(BATCH * PACKETS)
  public long ofTen(Ten connections) {
    return connections.write(PACKETS);
  }

  /**
   * WRITEs of 16 packets on ten connections out of ten thousand.
   *
   * @param connections ten thousand
   * @return completions
   */
  @Benchmark
  @OperationsPerInvocation(BATCH * PACKETS)
  public long ofTenThousand(TenThousand connections) {
    return connections.write(PACKETS);
  }

  /**
   * WRITEs of one packet on ten connections, the only ones.
   *
   * @param connections ten
   * @return completions
   */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long singleOfTen(Ten connections) {
    return connections.write(1);
  }

  /**
   * WRITEs of one packet on ten connections out of ten thousand.
   *
   * @param connections ten thousand
   * @return completions
   */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long singleOfTenThousand(TenThousand connections) {
    return connections.write(1);
  }
}
