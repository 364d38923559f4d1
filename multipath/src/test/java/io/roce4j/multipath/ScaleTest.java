// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.transport.engine.EndpointSettings;
import io.roce4j.wire.memory.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a connection of 64 paths holds: at most 512 KiB a direction, heap and off heap together.
 * With {@code -Droce4j.connections=4000} for as many; both ends are in this process.
 */
class ScaleTest {
  private static final int PATHS = 64;
  private static final long BYTES_A_DIRECTION_MAX = 512 * 1024;
  private static final int DIRECTIONS = 2;

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }

  @Test
  void connectionsOfSixtyFourPathsHoldAtMostHalfAMebibyteADirection() {
    int connections = Integer.getInteger("roce4j.connections", 60);
    long heapBefore = usedHeap();
    long offHeapBefore = NativeMemory.liveBytes("mx-connection");
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    try (ModelNet net =
        new ModelNet(100_000_000_000L, new Weather(5_000), 256, 64, settings, 2 * connections)) {
      MxSettings mx = RandomLossTest.settings(PATHS);
      List<ModelSide> senders = new ArrayList<>();
      List<ModelSide> receivers = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        ModelSide a = new ModelSide(net, 0, mx, "mx-fair", 4096, 5, 4, 4);
        ModelSide b = new ModelSide(net, 1, mx, "mx-fair", 4096, 5, 4, 4);
        ModelSide.connect(a, b, 4096, 14, 7);
        senders.add(a);
        receivers.add(b);
      }
      // Both ends of each connection are here: a direction is a sender there and a receiver here.
      long directions = (long) connections * DIRECTIONS;
      long offHeap = (NativeMemory.liveBytes("mx-connection") - offHeapBefore) / directions;
      long heap = (usedHeap() - heapBefore) / directions;
      System.out.println(
          "bytes a connection and direction, both ends: "
              + offHeap
              + " off heap, "
              + heap
              + " heap");
      assertTrue(offHeap > 0);
      // What one endpoint holds of a connection, both directions, is half of what both ends hold.
      assertTrue(offHeap + heap <= 2 * BYTES_A_DIRECTION_MAX, "one end " + (offHeap + heap) / 2);
      for (int i = 0; i < connections; i++) {
        senders.get(i).write(1, 0, receivers.get(i), 0, 4096);
      }
      assertTrue(
          net.run(
              2_000_000_000L,
              () -> {
                boolean all = true;
                for (ModelSide side : senders) {
                  side.poll();
                  all &= side.sent.size() == 1;
                }
                return all;
              }));
      senders.forEach(side -> assertEquals(0, side.sent.get(0).status()));
      senders.forEach(ModelSide::close);
      receivers.forEach(ModelSide::close);
    }
  }
}
