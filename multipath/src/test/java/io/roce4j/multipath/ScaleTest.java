// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Traffic over connections of 64 paths, and what such a connection holds: at most 512 KiB a
 * direction, heap and off heap, rings of the queue pairs included. Both ends are in this process.
 * 4,000 connections in one endpoint with {@code -Droce4j.connections=4000}, see docs/MX.md.
 */
class ScaleTest {
  private static final int PATHS = 64;
  private static final long BYTES_A_DIRECTION_MAX = 512 * 1024;
  private static final int ENDS = 2;
  private static final int DIRECTIONS = 2;
  private static final int MTU = 256;
  private static final int MESSAGES = 4;
  private static final int LENGTH = 6_000;
  private static final int SOURCES = 8_192;
  private static final long SLICE_NS = 1_000_000;
  private static final int SLICES = 60_000;

  private final int connections = Integer.getInteger("roce4j.connections", 200);
  private final List<ModelSide> senders = new ArrayList<>();
  private final List<ModelSide> receivers = new ArrayList<>();
  private long heapBefore;
  private long directBefore;

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }

  /** Off heap, but for what the messages are in. */
  private static long usedDirect() {
    return NativeMemory.liveBytes() - NativeMemory.liveBytes("model");
  }

  /** What one end of a connection holds for one direction of it; both ends are here. */
  private void checkMemory(String when) {
    long shares = (long) connections * ENDS * DIRECTIONS;
    long direct = (usedDirect() - directBefore) / shares;
    long heap = (usedHeap() - heapBefore) / shares;
    System.out.println(
        connections
            + " connections, "
            + when
            + ": bytes a connection and direction at one end: "
            + direct
            + " off heap, "
            + heap
            + " heap");
    assertTrue(direct > 0 && heap > 0);
    assertTrue(direct + heap <= BYTES_A_DIRECTION_MAX, when + ": " + (direct + heap));
  }

  @Test
  void connectionsOfSixtyFourPathsCarryTheirMessagesInHalfAMebibyteADirection() {
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    RandomLoss weather = new RandomLoss(5_000, 91, 0.01, 0.01);
    try (ModelNet net =
        new ModelNet(100_000_000_000L, weather, 256, PATHS, settings, 2 * connections)) {
      directBefore = usedDirect();
      heapBefore = usedHeap();
      for (int i = 0; i < connections; i++) {
        connect(net, i);
      }
      checkMemory("idle");
      for (int i = 0; i < connections; i++) {
        post(senders.get(i), receivers.get(i));
        post(receivers.get(i), senders.get(i));
      }
      int slices = 0;
      while (!isDone() && slices++ < SLICES) {
        net.run(SLICE_NS, () -> false);
      }
      assertTrue(isDone(), "after " + net.nowNs() + " ns");
      checkMemory("after " + net.carried + " packets");
      long paths = 0;
      for (int i = 0; i < connections; i++) {
        check(senders.get(i), receivers.get(i));
        check(receivers.get(i), senders.get(i));
        paths += pathsUsed(senders.get(i)) + pathsUsed(receivers.get(i));
      }
      assertTrue(paths > connections * DIRECTIONS * PATHS / 2, "paths used " + paths);
    }
    senders.forEach(side -> side.memory.close());
    receivers.forEach(side -> side.memory.close());
  }

  private void connect(ModelNet net, int i) {
    MxSettings mx = RandomLossTest.settings(PATHS);
    long bytes = SOURCES + 2L * MESSAGES * LENGTH;
    ModelSide a = new ModelSide(net, 0, mx, "mx-fair", bytes, 5, 2 * MESSAGES, MESSAGES);
    ModelSide b = new ModelSide(net, 1, mx, "mx-fair", bytes, 5, 2 * MESSAGES, MESSAGES);
    ModelSide.connect(a, b, MTU, 18, 7);
    senders.add(a);
    receivers.add(b);
    for (int k = 0; k < SOURCES; k += 4) {
      NativeMemory.putInt(a.memory.address() + k, (2 * i * SOURCES + k) * 0x9E3779B1);
      NativeMemory.putInt(b.memory.address() + k, ((2 * i + 1) * SOURCES + k) * 0x9E3779B1);
    }
  }

  /** SENDs and WRITEs in turn, each of other bytes. */
  private static void post(ModelSide from, ModelSide to) {
    for (int n = 0; n < MESSAGES; n++) {
      long receive = SOURCES + (2L * n + 1) * LENGTH;
      assertEquals(0, to.receive(n, receive, LENGTH));
      assertEquals(0, from.post(WorkRequestOpcode.SEND, 2L * n, n * 64L, to, 0, LENGTH));
      assertEquals(0, from.write(2L * n + 1, n * 64L + 32, to, SOURCES + 2L * n * LENGTH, LENGTH));
    }
  }

  private boolean isDone() {
    boolean done = true;
    for (int i = 0; i < connections; i++) {
      done &= isDone(senders.get(i)) && isDone(receivers.get(i));
    }
    return done;
  }

  private static boolean isDone(ModelSide side) {
    side.poll();
    return side.sent.size() == 2 * MESSAGES && side.received.size() == MESSAGES;
  }

  private static void check(ModelSide from, ModelSide to) {
    for (int n = 0; n < 2 * MESSAGES; n++) {
      assertEquals(n, from.sent.get(n).wrId());
      assertEquals(WorkCompletionStatus.SUCCESS, from.sent.get(n).status());
    }
    for (int n = 0; n < MESSAGES; n++) {
      assertEquals(n, to.received.get(n).wrId());
      same(from, n * 64L, to, SOURCES + (2L * n + 1) * LENGTH);
      same(from, n * 64L + 32, to, SOURCES + 2L * n * LENGTH);
    }
  }

  private static void same(ModelSide from, long at, ModelSide to, long there) {
    for (int k = 0; k < LENGTH; k += 8) {
      assertEquals(
          NativeMemory.getLong(from.memory.address() + at + k),
          NativeMemory.getLong(to.memory.address() + there + k));
    }
  }

  private static int pathsUsed(ModelSide side) {
    PathSet paths = OperationsTest.connection(side).requestSend().paths;
    int used = 0;
    for (int p = 0; p < paths.count(); p++) {
      used += paths.get(p).sentPackets > 0 ? 1 : 0;
    }
    return used;
  }
}
