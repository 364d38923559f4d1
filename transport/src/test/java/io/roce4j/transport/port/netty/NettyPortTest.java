// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.roce4j.transport.port.DatagramHandler;
import io.roce4j.transport.port.DatagramMeta;
import io.roce4j.transport.port.Destination;
import io.roce4j.transport.port.PortSettings;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What only the ports over Netty can get wrong: pooled memory and the owning thread. */
class NettyPortTest {
  private static final int BATCHES = Integer.getInteger("roce4j.test.batches", 20_000);

  private final long pid = ProcessHandle.current().pid();
  private final Counter counter = new Counter();

  /** Counts packets. */
  private static final class Counter implements DatagramHandler {
    private long packets;

    @Override
    public void onDatagram(
        UnsafeBuffer buffer, int offset, int length, int segmentBytes, DatagramMeta meta) {
      packets += (length + segmentBytes - 1) / segmentBytes;
    }
  }

  @ParameterizedTest
  @EnumSource(NettyTransport.class)
  void receiveSlotsAreAllFreeAfterManyBatches(NettyTransport transport) { // [FC-49]
    assumeTrue(transport.unavailableReason() == null, transport.unavailableReason());
    try (NettyPort left = NettyPort.open(transport, settings(1));
        NettyPort right = NettyPort.open(transport, settings(2))) {
      Destination to = left.destination(right.localGidHi(), right.localGidLo(), 4791, 0, 0);
      for (int batch = 0; batch < BATCHES; batch++) {
        assertTrue(left.open(0, to, 2, 200) >= 4);
        for (int i = 0; i < 4; i++) {
          left.claim();
          left.commit(200);
        }
        left.flush(1);
        if (batch % 8 == 7) {
          drain(right, 4L * (batch + 1));
        }
      }
      drain(right, 4L * BATCHES);
      assertEquals(4L * BATCHES, counter.packets);
      assertTrue(right.slotsInUse() <= NettyPort.READS, right.slotsInUse() + " slots in use");
    }
  }

  @ParameterizedTest
  @EnumSource(NettyTransport.class)
  void portBelongsToTheThreadThatDroveItFirst(NettyTransport transport)
      throws InterruptedException {
    assumeTrue(transport.unavailableReason() == null, transport.unavailableReason());
    try (NettyPort port = NettyPort.open(transport, settings(3))) {
      port.flush(1);
      AtomicReference<Throwable> caught = new AtomicReference<>();
      Thread other =
          new Thread(
              () -> caught.set(assertThrows(IllegalStateException.class, () -> port.flush(2))),
              "other");
      other.start();
      other.join(10_000);
      assertTrue(caught.get().getMessage().contains("other"), caught.get().getMessage());
    }
  }

  private void drain(NettyPort port, long packets) {
    long deadline = System.nanoTime() + 5_000_000_000L;
    while (counter.packets < packets && System.nanoTime() < deadline) {
      port.receive(counter, 64, 1);
    }
  }

  private PortSettings settings(int host) {
    String address = "127." + (64 + pid % 64) + "." + (pid / 64 % 256) + "." + (110 + host);
    return PortSettings.of(address).withSourcePorts(0, 2);
  }
}
