// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.roce4j.congestion.CongestionController;
import io.roce4j.congestion.CongestionControllerProvider;
import io.roce4j.congestion.CongestionSettings;
import io.roce4j.transport.verbs.PostResult;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.transport.verbs.SendRequest;
import io.roce4j.transport.verbs.WorkCompletion;
import io.roce4j.transport.verbs.WorkCompletionStatus;
import io.roce4j.transport.verbs.WorkRequestOpcode;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * [FC-38] A transfer of 4 MiB in chunks of 16 KiB through a window of 64 KiB, over a send queue so
 * short that posts are refused again and again, with completions taken only then: what is in flight
 * stays within the window and is nothing in the end, when all goes well and when a post fails for
 * good.
 */
class InflightAccountsTest {
  private static final int WINDOW = 65_536;
  private static final int CHUNK = 16_384;
  private static final int CHUNKS = 256;
  private static final int PLACES = 32;
  private static final int TARGET = PLACES * CHUNK;

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();
  private EndpointPair pair;
  private QueuePair sender;
  private final UnsafeBuffer source = new UnsafeBuffer(0, 0);
  private final UnsafeBuffer target = new UnsafeBuffer(0, 0);
  private int succeeded;
  private int refused;
  private int failure = WorkCompletionStatus.SUCCESS;

  /** A window that keeps the books of what it is told. */
  public static final class Accounts implements CongestionControllerProvider, CongestionController {
    private static final ThreadLocal<Accounts> LAST = new ThreadLocal<>();
    private long sent;
    private long acknowledged;
    private long most;
    private long inflight;

    /** For {@link java.util.ServiceLoader}. */
    public Accounts() {}

    @Override
    public String name() {
      return "accounts";
    }

    @Override
    public CongestionController create(CongestionSettings settings) {
      Accounts made = new Accounts();
      LAST.set(made);
      return made;
    }

    @Override
    public void onSent(long nowNs, long bytes, long inflightBytes) {
      sent += bytes;
      inflight = inflightBytes;
      most = Math.max(most, inflightBytes);
      assertEquals(sent - acknowledged, inflightBytes, "books of the engine");
    }

    @Override
    public void onAck(
        long nowNs,
        long ackedBytes,
        long ackedPackets,
        long cePackets,
        long rttNs,
        long minRttNs,
        long inflightBytes,
        boolean appLimited) {
      acknowledged += ackedBytes;
      inflight = inflightBytes;
      assertEquals(sent - acknowledged, inflightBytes, "books of the engine");
    }

    @Override
    public long windowBytes() {
      return WINDOW;
    }

    @Override
    public long rateBitsPerSecond() {
      return UNLIMITED;
    }
  }

  private static final class WithAccounts extends ClassLoader {
    WithAccounts(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
      return name.equals("META-INF/services/" + CongestionControllerProvider.class.getName())
          ? Collections.enumeration(
              Collections.singleton(InflightAccountsTest.class.getResource("accounts")))
          : Collections.emptyEnumeration();
    }
  }

  @BeforeEach
  void open() {
    Thread.currentThread().setContextClassLoader(new WithAccounts(before));
    pair = new EndpointPair();
    sender = pair.a.pd.createQueuePair(pair.a.rc().maxSendWr(4).congestion("accounts"));
    QueuePair receiver = pair.b.pd.createQueuePair(pair.b.rc());
    pair.connect(sender, receiver, new EndpointPair.Wish());
    pair.settle();
    pair.a.memory.window(source, 0, TARGET);
    pair.b.memory.window(target, 0, TARGET);
    for (int i = 0; i < TARGET; i += Long.BYTES) {
      source.putLong(i, 0x9E3779B97F4A7C15L * (i + 1));
    }
  }

  @AfterEach
  void close() {
    pair.close();
    Thread.currentThread().setContextClassLoader(before);
  }

  private void post(int chunk, int lkey) {
    long place = (long) (chunk % PLACES) * CHUNK;
    SendRequest request =
        pair.send(chunk, WorkRequestOpcode.RDMA_WRITE, pair.a.at(place), CHUNK, lkey)
            .remote(pair.b.at(place), pair.b.region.rkey());
    while (true) {
      int result = sender.postSend(request);
      if (result == PostResult.OK) {
        return;
      }
      assertEquals(PostResult.SEND_QUEUE_FULL, result);
      refused++;
      pair.run(() -> takeCompletions() > 0, 10_000_000);
    }
  }

  private int takeCompletions() {
    int taken = 0;
    for (WorkCompletion done = pair.a.poll(); done != null; done = pair.a.poll()) {
      taken++;
      if (done.status() == WorkCompletionStatus.SUCCESS) {
        assertEquals(succeeded, done.wrId(), "each chunk once, in order");
        succeeded++;
      } else if (failure == WorkCompletionStatus.SUCCESS) {
        failure = done.status();
        assertEquals(succeeded, done.wrId(), "the chunk that failed");
      }
    }
    return taken;
  }

  private void assertPlaces(int count) {
    for (int i = 0; i < count * CHUNK; i += Long.BYTES) {
      long expected = source.getLong(i);
      assertEquals(expected, target.getLong(i), "byte " + i);
    }
  }

  @Test
  void refusedPostsReserveNothing() {
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
      post(chunk, pair.a.region.lkey());
    }
    pair.run(() -> takeCompletions() > 0 && succeeded == CHUNKS, 1_000_000_000);
    Accounts accounts = Accounts.LAST.get();
    assertEquals(CHUNKS, succeeded);
    assertTrue(refused > CHUNKS / 5, "refused " + refused);
    assertTrue(accounts.most > WINDOW / 2 && accounts.most <= WINDOW, "most " + accounts.most);
    assertEquals(0, accounts.inflight);
    // 16 packets of 1024 bytes and 44 of headers each, once.
    assertEquals((long) CHUNKS * 16 * (1024 + 44), accounts.sent);
    assertEquals(accounts.sent, accounts.acknowledged);
    assertPlaces(PLACES);
  }

  @Test
  void afterAPostThatFailsForGoodNothingIsInFlight() {
    for (int chunk = 0; chunk < 20; chunk++) {
      post(chunk, pair.a.region.lkey());
    }
    post(20, pair.a.region.lkey() + 1);
    pair.run(() -> takeCompletions() > 0 && failure != WorkCompletionStatus.SUCCESS, 1_000_000_000);
    pair.runAll();
    assertEquals(20, succeeded, "what was posted before has drained");
    assertEquals(WorkCompletionStatus.LOC_PROT_ERR, failure);
    Accounts accounts = Accounts.LAST.get();
    assertEquals(0, accounts.inflight);
    assertEquals(accounts.sent, accounts.acknowledged);
    assertTrue(accounts.most <= WINDOW, "most " + accounts.most);
    assertPlaces(20);
  }
}
