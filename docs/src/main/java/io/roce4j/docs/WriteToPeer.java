// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.docs;

import io.roce4j.transport.agent.EndpointAgent;
import io.roce4j.transport.memory.AccessFlags;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.port.Ports;
import io.roce4j.transport.verbs.CompletionQueue;
import io.roce4j.transport.verbs.ContextSettings;
import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.transport.verbs.ProtectionDomain;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.QueuePairSettings;
import io.roce4j.transport.verbs.QueuePairType;
import io.roce4j.transport.verbs.QueuePairs;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;

/** Two endpoints on one machine, over real UDP; one writes into the memory of the other. */
public final class WriteToPeer {
  private WriteToPeer() {}

  /**
   * Runs the sample and prints what the peer finds in its memory.
   *
   * @param addresses two local addresses; 127.0.0.1 and 127.0.0.2 when there are none
   */
  public static void main(String[] addresses) {
    String here = addresses.length == 2 ? addresses[0] : "127.0.0.1";
    String there = addresses.length == 2 ? addresses[1] : "127.0.0.2";
    try (EndpointAgent local = open(here);
        EndpointAgent remote = open(there)) {
      System.out.println(write(local, remote, "written by RDMA"));
    }
  }

  private static EndpointAgent open(String address) {
    long seed = new SplittableRandom().nextLong();
    return EndpointAgent.open(
        new ContextSettings().seed(seed),
        Ports.open(Ports.AUTO, PortSettings.of(address)).port(),
        SystemNanoClock.INSTANCE);
  }

  private static String write(EndpointAgent local, EndpointAgent remote, String text) {
    int length = text.length();
    ByteBuffer target = ByteBuffer.allocateDirect(length);
    ByteBuffer source = ByteBuffer.allocateDirect(length);
    source.put(0, text.getBytes(StandardCharsets.US_ASCII));

    // At the peer: memory that others may write, and a queue pair.
    ProtectionDomain remoteDomain = remote.context().allocateProtectionDomain();
    MemoryRegion targetRegion =
        remoteDomain.register(target, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    QueuePair remotePair = queuePair(remoteDomain, remote.context().createCompletionQueue(16));

    // Here: the bytes to write, a queue pair, and a queue for completions.
    ProtectionDomain domain = local.context().allocateProtectionDomain();
    MemoryRegion sourceRegion = domain.register(source, AccessFlags.LOCAL_WRITE);
    CompletionQueue completions = local.context().createCompletionQueue(16);
    QueuePair pair = queuePair(domain, completions);
    QueuePairs.connect(pair, remotePair, null);

    SendRequest request =
        new SendRequest()
            .wrId(1)
            .opcode(WorkRequestOpcode.RDMA_WRITE)
            .signaled(true)
            .sge(sourceRegion.address(), length, sourceRegion.lkey())
            .remote(targetRegion.address(), targetRegion.rkey());
    if (pair.postSend(request) != 0) {
      throw new IllegalStateException("the send queue is full");
    }
    WorkCompletion completion = new WorkCompletion();
    while (!completions.poll(completion)) {
      local.doWork();
      remote.doWork();
    }
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      throw new IllegalStateException(WorkCompletionStatus.name(completion.status()));
    }
    return StandardCharsets.US_ASCII.decode(target).toString();
  }

  private static QueuePair queuePair(ProtectionDomain domain, CompletionQueue completions) {
    return domain.createQueuePair(
        new QueuePairSettings()
            .type(QueuePairType.RC)
            .sendCq(completions)
            .recvCq(completions)
            .maxSendWr(16)
            .maxRecvWr(16));
  }
}
