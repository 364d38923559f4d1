// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import static io.roce4j.transport.verbs.Bench.assertErrno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shared receive queues [rc 11]. */
class SharedReceiveQueueTest {
  private final Bench bench = new Bench();
  private final SharedReceiveQueue srq = bench.pd.createSharedReceiveQueue(10, 2);
  private final AsyncEvent event = new AsyncEvent();

  @AfterEach
  void closeEverything() {
    bench.close();
  }

  private QueuePair attached() {
    return bench.pd.createQueuePair(bench.settings(QueuePairType.RC).srq(srq));
  }

  private void post(int count) {
    for (int i = 0; i < count; i++) {
      assertEquals(PostResult.OK, srq.postReceive(new ReceiveRequest().wrId(i).sge(0, 10 + i, 1)));
    }
  }

  // [rc 11-1]
  @Test
  void queuePairsTakeReceivesInPostingOrderAndKeepThem() {
    QueuePair a = attached();
    QueuePair b = attached();
    post(3);
    assertTrue(a.acquireReceive(0));
    assertTrue(b.acquireReceive(0));
    assertTrue(a.acquireReceive(0), "held already");
    assertEquals(1, srq.available());
    assertEquals(0, a.receiveQueue().wrId(a.receiveQueue().slot(0)));
    assertEquals(1, b.receiveQueue().wrId(b.receiveQueue().slot(0)));
    assertEquals(11, b.receiveQueue().room(b.receiveQueue().slot(0)));
    assertTrue(a.acquireReceive(1));
    assertFalse(b.acquireReceive(1), "receiver not ready");
    post(1);
    assertTrue(b.acquireReceive(1));
  }

  // [rc 11-7]
  @Test
  void receivesOfAQueuePairWithASharedQueueAreRefused() {
    QueuePair qp = attached();
    qp.toInit(0);
    int result = qp.postReceive(new ReceiveRequest());
    assertEquals(PostResult.USES_SHARED_QUEUE, result);
    assertEquals("EINVAL", PostResult.errno(result));
    long packed = qp.postReceive(new ReceiveRequest[] {new ReceiveRequest()}, 1);
    assertEquals(PostResult.USES_SHARED_QUEUE, PostResult.result(packed));
  }

  // [rc 11-3] [rc 19-12]
  @Test
  void limitEventFiresOnceWhenATakeLeavesFewer() {
    // Ten posted, limit seven, four taken: six are left.
    QueuePair qp = attached();
    post(10);
    srq.modify(7);
    for (int i = 0; i < 3; i++) {
      assertTrue(qp.acquireReceive(i));
      assertFalse(bench.context.pollAsyncEvent(event));
    }
    assertEquals(7, srq.queryLimit());
    assertTrue(qp.acquireReceive(3));
    assertTrue(bench.context.pollAsyncEvent(event));
    assertEquals(AsyncEventType.SRQ_LIMIT_REACHED, event.type());
    assertEquals(AsyncEvent.SHARED_RECEIVE_QUEUE, event.element());
    assertEquals(srq.number(), event.number());
    assertEquals(0, srq.queryLimit());
    assertTrue(qp.acquireReceive(4));
    assertFalse(bench.context.pollAsyncEvent(event));
  }

  // [rc 11-4]
  @Test
  void limitAboveTheFillFiresAtTheNextTake() {
    QueuePair qp = attached();
    post(3);
    srq.modify(9);
    assertFalse(bench.context.pollAsyncEvent(event));
    assertTrue(qp.acquireReceive(0));
    assertTrue(bench.context.pollAsyncEvent(event));
    srq.modify(2);
    srq.modify(0);
    assertTrue(qp.acquireReceive(1));
    assertFalse(bench.context.pollAsyncEvent(event));
  }

  @Test
  void sizesAndLimitsAreChecked() {
    assertErrno("EINVAL", "srqLimit 11: allowed 0..10", () -> srq.modify(11));
    assertErrno("EINVAL", "srqLimit -1", () -> srq.modify(-1));
    assertErrno("EINVAL", "maxWr 0", () -> bench.pd.createSharedReceiveQueue(0, 1));
    assertErrno("EINVAL", "maxSge 33", () -> bench.pd.createSharedReceiveQueue(1, 33));
    assertEquals(10, srq.maxWr());
    assertEquals(2, srq.maxSge());
    post(10);
    assertEquals(PostResult.RECEIVE_QUEUE_FULL, srq.postReceive(new ReceiveRequest()));
    ReceiveRequest wide = new ReceiveRequest().sge(0, 1, 1).sge(0, 1, 1).sge(0, 1, 1);
    assertEquals(PostResult.TOO_MANY_SGES, srq.postReceive(wide));
    long packed = srq.postReceive(new ReceiveRequest[] {wide}, 1);
    assertEquals(PostResult.TOO_MANY_SGES, PostResult.result(packed));
  }

  // [rc 11-5]
  @Test
  void errorOfAQueuePairLeavesTheSharedReceivesAlone() {
    QueuePair qp = attached();
    post(4);
    qp.toInit(0);
    assertTrue(qp.acquireReceive(0));
    qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    assertEquals(3, srq.available());
    assertEquals(1, qp.receiveQueue().available(), "taken, to be flushed by the engine");
  }

  @Test
  void resetDropsTakenReceivesAndTheNextStartsBehindThem() {
    QueuePair qp = attached();
    post(4);
    qp.toInit(0);
    assertTrue(qp.acquireReceive(0));
    qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
    assertEquals(0, qp.receiveQueue().available());
    assertTrue(qp.acquireReceive(qp.receiveQueue().head()));
    assertEquals(1, qp.receiveQueue().wrId(qp.receiveQueue().slot(qp.receiveQueue().head())));
  }

  @Test
  void queueInUseCannotBeDestroyed() {
    QueuePair qp = attached();
    assertErrno("EBUSY", "used by 1", srq::close);
    qp.close();
    srq.close();
    srq.close();
    assertEquals(PostResult.CLOSED, srq.postReceive(new ReceiveRequest()));
    assertErrno("EINVAL", "destroyed", this::attached);
    assertErrno("EINVAL", "destroyed", () -> srq.modify(1));
  }

  @Test
  void queueOfAnotherDomainIsRefused() {
    ProtectionDomain other = bench.context.allocateProtectionDomain();
    assertErrno(
        "EINVAL",
        "another protection domain",
        () -> other.createQueuePair(bench.settings(QueuePairType.RC).srq(srq)));
  }
}
