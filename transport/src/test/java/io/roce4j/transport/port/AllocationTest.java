// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The native ports allocate nothing per packet, in either direction. */
class AllocationTest {
  private static final int PACKETS = 500_000;
  private static final int ROUNDS = 8;

  private static final int TRAIN = 48;
  private static final int OBJECT_BYTES = 16;

  // So long that what a port does only now and then is done each time, and so compiled.
  private static final long TICK_NS = 20_000_000;

  private final Counter counter = new Counter();
  private long nowNs = 1;

  /** Counts packets and does nothing else. */
  private static final class Counter implements DatagramHandler {
    private long packets;

    @Override
    public void onDatagram(
        UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
      packets += (length + segmentBytes - 1) / segmentBytes;
    }
  }

  static Stream<String> nativePorts() {
    return Ports.providers().stream()
        .filter(each -> each.name().equals("linux") || each.name().equals("raw"))
        .filter(each -> each.unavailableReason() == null)
        .map(PortProvider::name);
  }

  @ParameterizedTest
  @MethodSource("nativePorts")
  void aMillionPacketsBothWaysAllocateNothing(String name) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (PortPair pair = PortPair.open(name, false)) {
      // The compiler needs its time, and a method compiled anew allocates a little once: what is
      // allocated per packet or per train shows in every round.
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS && least > 0; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        exchange(pair, PACKETS);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        least = Math.min(least, allocated);
        System.out.printf(
            "port %s: %d bytes allocated for %d packets%n", name, allocated, 2 * PACKETS);
      }
      // One smallest object in every second train would already be more.
      long trains = 2L * PACKETS / TRAIN;
      assertTrue(least < trains / 2 * OBJECT_BYTES, least + " bytes for " + trains + " trains");
    }
  }

  private void exchange(PortPair pair, int packets) {
    long goal = counter.packets + 2L * packets;
    while (counter.packets < goal) {
      send(pair.left, pair.toRight);
      send(pair.right, pair.toLeft);
      pair.left.flush(nowNs += TICK_NS);
      pair.right.flush(nowNs += TICK_NS);
      pair.left.receive(counter, 256, nowNs);
      pair.right.receive(counter, 256, nowNs);
    }
  }

  private static void send(DatagramPort port, Destination to) {
    for (int slot = 0; slot < 4; slot++) {
      int room = Math.min(TRAIN, port.open(slot, to, 2, 1084));
      for (int i = 0; i < room; i++) {
        port.claim();
        port.commit(1084);
      }
    }
  }
}
