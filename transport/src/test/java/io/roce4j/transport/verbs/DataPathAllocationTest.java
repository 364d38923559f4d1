// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.roce4j.transport.queue.ReceiveQueue;
import io.roce4j.transport.queue.SendQueue;
import java.lang.management.ManagementFactory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Post, gather, scatter, complete and poll allocate nothing once they are warm. */
class DataPathAllocationTest {
  private static final int WARM_UP = 20_000;
  private static final int MEASURED = 50_000;

  private final Bench bench = new Bench();
  private final UnsafeBuffer packet = new UnsafeBuffer(new byte[2048]);
  private final SendRequest send = new SendRequest();
  private final SendRequest[] chain = {send, send};
  private final ReceiveRequest receive = new ReceiveRequest();
  private final WorkCompletion completion = new WorkCompletion();
  private final WorkCompletion[] batch = {new WorkCompletion(), new WorkCompletion()};
  private final AsyncEvent event = new AsyncEvent();
  private int rung;

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  @Test
  void nothingIsAllocatedPerRequest() {
    QueuePair qp = bench.queuePair(QueuePairType.RC, QueuePairState.RTS);
    bench.cq.requestNotify(false);
    var listener = (io.roce4j.transport.queue.DoorbellRing.Listener) qpn -> rung++;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().threadId();
    for (int i = 0; i < WARM_UP; i++) {
      cycle(qp, listener);
    }
    // The measurement itself may allocate once; the loop must not add to it.
    threads.getThreadAllocatedBytes(self);
    long before = threads.getThreadAllocatedBytes(self);
    long empty = threads.getThreadAllocatedBytes(self) - before;
    before = threads.getThreadAllocatedBytes(self);
    for (int i = 0; i < MEASURED; i++) {
      cycle(qp, listener);
    }
    long used = threads.getThreadAllocatedBytes(self) - before - empty;
    assertEquals(0, used / MEASURED, used + " bytes in " + MEASURED + " cycles");
    assertEquals(true, used < MEASURED / 10, used + " bytes in " + MEASURED + " cycles");
    assertEquals(true, rung > MEASURED);
  }

  private void cycle(QueuePair qp, io.roce4j.transport.queue.DoorbellRing.Listener listener) {
    SendQueue sends = qp.sendQueue();
    ReceiveQueue receives = qp.receiveQueue();
    var table = bench.context.memoryTable();
    int pdId = bench.pd.number();
    long address = bench.mr.address();
    int lkey = bench.mr.lkey();
    qp.postSend(send.clear().wrId(1).sge(address, 100, lkey).sge(address + 200, 100, lkey));
    qp.postSend(chain, 2);
    qp.postSend(send.clear().wrId(2).inline().sge(address, 32, lkey));
    qp.postReceive(receive.clear().wrId(3).sge(address + 4096, 2000, lkey));
    bench.context.doorbells().drain(listener, 10);
    qp.answerDoorbell();
    for (long index = sends.head(); index < sends.publishedTail(); index++) {
      int length = (int) sends.totalLength(sends.slot(index));
      sends.gather(index, 0, packet, 0, length, table, pdId);
      bench.cq.writeSend(
          sends.wrId(sends.slot(index)), WorkCompletionOpcode.SEND, length, qp.qpNum());
      sends.release(index + 1);
    }
    long index = receives.head();
    qp.acquireReceive(index);
    receives.scatter(index, 0, packet, 0, 1024, table, pdId);
    table.resolve(lkey, address, 64, 2, pdId, qp.qpNum());
    bench.cq.write(3, 0, 128, 1024, qp.qpNum(), 0, 0, 0, 0, 0, true);
    receives.release(index + 1);
    while (bench.cq.poll(completion)) {
      bench.cq.poll(batch, 2);
    }
    bench.cq.takeEvents();
    bench.cq.requestNotify(true);
    bench.context.onTimer(1);
    bench.context.pollAsyncEvent(event);
  }
}
