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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults reported from the field, tried on MX. */
class MultipathFieldCasesTest {
  private static final long LINE = 100_000_000_000L;
  private static final int MTU = 1024;
  private static final int DATA = 64 * 1024;

  /**
   * [FC-40] The flag behind the data may be visible before all of it; the completion of the message
   * with immediate may not.
   */
  @Test
  void theFlagMayOvertakeTheDataButTheImmediateNever() {
    Weather weather =
        new Weather(1_000) {
          @Override
          long delayNs(Packet packet) {
            boolean lastOfData = packet.isNumbered() && packet.psn() == 5 + DATA / MTU - 1;
            return lastOfData ? 100_000 : 1_000;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(10_000);
    try (ModelNet net = new ModelNet(LINE, weather, 64, 256, settings)) {
      MxSettings mx = RandomLossTest.settings(2);
      ModelSide a = new ModelSide(net, 0, mx, "none", 1 << 18, 5);
      ModelSide b = new ModelSide(net, 1, mx, "none", 1 << 18, 5);
      ModelSide.connect(a, b, MTU, 14, 7);
      for (int i = 0; i < DATA; i += 8) {
        NativeMemory.putLong(a.memory.address() + i, ~(long) i);
      }
      NativeMemory.putLong(a.memory.address() + DATA, 0x0F1A6L);
      net.run(1_000_000, () -> false);
      b.receive(7, 0, 0);
      a.write(1, 0, b, 0, DATA);
      a.write(2, DATA, b, DATA, 8);
      a.post(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, 3, 0, b, 0, 0);
      boolean[] flagWasEarly = new boolean[1];
      assertTrue(
          net.run(
              50_000_000,
              () -> {
                a.poll();
                b.poll();
                boolean flag = NativeMemory.getLong(b.memory.address() + DATA) == 0x0F1A6L;
                flagWasEarly[0] |= flag && !isComplete(b);
                if (!b.received.isEmpty()) {
                  assertTrue(flag && isComplete(b), "the completion says that all is in place");
                }
                return a.sent.size() == 3 && b.received.size() == 1;
              }));
      assertTrue(flagWasEarly[0], "the case did not come up");
      for (int i = 0; i < 3; i++) {
        assertEquals(i + 1, a.sent.get(i).wrId(), "completions in the order of posting");
      }
      assertEquals(3, b.received.get(0).immediate());
      a.close();
      b.close();
    }
  }

  private static boolean isComplete(ModelSide b) {
    for (int i = 0; i < DATA; i += 8) {
      if (NativeMemory.getLong(b.memory.address() + i) != ~(long) i) {
        return false;
      }
    }
    return true;
  }

  /** [FC-41] The paths of many connections spread over source ports and over 8 hashed links. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 16})
  void sourcePortsOfManyConnectionsSpread(int paths) {
    Set<Integer> distinct = new HashSet<>();
    int[] links = new int[8];
    int total = 0;
    for (int connection = 0; connection < 1000 / paths; connection++) {
      long seed =
          EntropyPool.mix(0x0A00_0001L ^ (long) (17 + connection) << 32 ^ 400L + connection);
      EntropyPool pool = new EntropyPool(seed, 16_384, 1);
      Set<Integer> own = new HashSet<>();
      for (int path = 0; path < paths; path++) {
        int slot = pool.slot(0, path, 0, EntropyPool.DATA, 0, 0);
        assertTrue(slot >= 0 && slot < 16_384);
        distinct.add(slot);
        own.add(slot);
        links[(int) (EntropyPool.mix(49_152 + slot) >>> 61)]++;
        total++;
      }
      assertTrue(own.size() >= paths - 1, "paths of one connection differ");
    }
    assertTrue(distinct.size() >= 0.94 * total, "distinct " + distinct.size() + " of " + total);
    for (int count : links) {
      assertTrue(count >= 0.085 * total && count <= 0.165 * total, "a link has " + count);
    }
  }

  private static List<ModelSide> connect(ModelNet net, int connections, List<ModelSide> peers) {
    List<ModelSide> all = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      MxSettings mx = RandomLossTest.settings(4).withTrackerUnits(1);
      ModelSide a = new ModelSide(net, 0, mx, "none", 1 << 14, 5, 128, 1);
      ModelSide b = new ModelSide(net, 1, mx, "none", 1 << 14, 5, 128, 1);
      // retry_cnt 7 and timeout 2^18: 8.6 s of silence.
      ModelSide.connect(a, b, MTU, 18, 7);
      all.add(a);
      peers.add(b);
    }
    return all;
  }

  /** [FC-43] 64 queue pairs of 128 packets, everything lost for 3 s, or for ever. */
  @ParameterizedTest
  @ValueSource(longs = {3_000_000_000L, Long.MAX_VALUE / 2})
  void totalLossLeaksNothingAndEndsInOneErrorAQueuePairWhenItLasts(long lossNs) {
    long before = NativeMemory.liveBytes("mx-connection");
    boolean[] dead = new boolean[1];
    Weather weather =
        new Weather(5_000) {
          @Override
          int fate(Packet packet) {
            return dead[0] ? DROP : PASS;
          }
        };
    EndpointSettings settings = EndpointSettings.defaults().withBaseRttNs(20_000);
    List<ModelSide> peers = new ArrayList<>();
    try (ModelNet net = new ModelNet(LINE, weather, 64, 256, settings)) {
      List<ModelSide> all = connect(net, 64, peers);
      net.run(5_000_000, () -> false);
      long held = NativeMemory.liveBytes("mx-connection");
      dead[0] = true;
      for (int i = 0; i < 64; i++) {
        for (int n = 0; n < 128; n++) {
          assertEquals(0, all.get(i).write(n, 0, peers.get(i), 1024, MTU));
        }
      }
      net.run(Math.min(lossNs, 60_000_000_000L), () -> finished(all));
      assertEquals(held, NativeMemory.liveBytes("mx-connection"), "no pool grows");
      dead[0] = false;
      boolean heals = lossNs < 60_000_000_000L;
      if (heals) {
        assertTrue(net.run(1_000_000_000L, () -> finished(all)), "all that was lost comes again");
      }
      for (ModelSide side : all) {
        side.poll();
        long good = count(side, WorkCompletionStatus.SUCCESS);
        assertEquals(heals ? 128 : 0, good);
        assertEquals(heals ? 0 : 1, count(side, WorkCompletionStatus.RETRY_EXC_ERR));
        assertEquals(heals ? 0 : 127, count(side, WorkCompletionStatus.WR_FLUSH_ERR));
      }
      all.forEach(ModelSide::close);
      peers.forEach(ModelSide::close);
    }
    assertEquals(before, NativeMemory.liveBytes("mx-connection"), "all is given back");
  }

  private static long count(ModelSide side, int status) {
    return side.sent.stream().filter(done -> done.status() == status).count();
  }

  private static boolean finished(List<ModelSide> all) {
    for (ModelSide side : all) {
      side.poll();
      if (side.sent.size() < 128) {
        return false;
      }
    }
    return true;
  }
}
