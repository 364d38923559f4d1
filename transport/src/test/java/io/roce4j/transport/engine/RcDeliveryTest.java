// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionOpcode;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two connected queue pairs, every operation, no loss. */
class RcDeliveryTest {

  private EndpointPair pair;
  private QueuePair qa;
  private QueuePair qb;

  @BeforeEach
  void connect() {
    pair = new EndpointPair();
    qa = pair.a.pd.createQueuePair(pair.a.rc());
    qb = pair.b.pd.createQueuePair(pair.b.rc());
    pair.connect(qa, qb, new EndpointPair.Wish());
    fill(pair.a.at(0), 300_000, 7);
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private static void fill(long address, int length, int seed) {
    for (int i = 0; i < length; i++) {
      NativeMemory.putByte(address + i, (byte) (i * 31 + seed));
    }
  }

  private static void assertSame(long expected, long actual, int length) {
    for (int i = 0; i < length; i++) {
      assertEquals(
          NativeMemory.getByte(expected + i), NativeMemory.getByte(actual + i), "byte " + i);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 200_000})
  void sendArrivesInTheReceivePosted(int length) {
    assertEquals(
        PostResult.OK,
        qb.postReceive(pair.receive(5, pair.b.at(0), 200_000, pair.b.region.lkey())));
    assertEquals(
        PostResult.OK,
        qa.postSend(
            pair.send(9, WorkRequestOpcode.SEND, pair.a.at(0), length, pair.a.region.lkey())));
    pair.runAll();
    WorkCompletion received = pair.b.poll();
    assertNotNull(received);
    assertEquals(WorkCompletionStatus.SUCCESS, received.status());
    assertEquals(WorkCompletionOpcode.RECV, received.opcode());
    assertEquals(length, received.byteLength());
    assertEquals(5, received.wrId());
    WorkCompletion sent = pair.a.poll();
    assertNotNull(sent);
    assertEquals(WorkCompletionStatus.SUCCESS, sent.status());
    assertEquals(9, sent.wrId());
    assertSame(pair.a.at(0), pair.b.at(0), length);
    assertEquals(0, pair.a.counter("retransmitted_packets"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1024, 1025, 150_000})
  void writeLandsAtTheRemoteAddress(int length) {
    qa.postSend(
        pair.send(1, WorkRequestOpcode.RDMA_WRITE, pair.a.at(0), length, pair.a.region.lkey())
            .remote(pair.b.at(4096), pair.b.region.rkey()));
    pair.runAll();
    assertEquals(WorkCompletionStatus.SUCCESS, pair.a.poll().status());
    assertSame(pair.a.at(0), pair.b.at(4096), length);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1024, 1025, 150_000})
  void readBringsTheRemoteBytes(int length) {
    fill(pair.b.at(0), length, 99);
    qa.postSend(
        pair.send(1, WorkRequestOpcode.RDMA_READ, pair.a.at(0), length, pair.a.region.lkey())
            .remote(pair.b.at(0), pair.b.region.rkey()));
    pair.runAll();
    assertEquals(WorkCompletionStatus.SUCCESS, pair.a.poll().status());
    assertSame(pair.b.at(0), pair.a.at(0), length);
  }
}
