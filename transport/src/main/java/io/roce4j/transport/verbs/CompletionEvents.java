// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

import io.roce4j.transport.queue.RingLayout;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Arming, moderation and event count of one completion queue.
 *
 * <p>The poller's arming word and the agent's answer each have one writer. The word is twice the
 * number of the arming, plus 1 when only solicited completions count; the answer is the number of
 * the last arming that was served. Both sides fence between writing their own word and reading the
 * other's, so that a completion written while the poller arms is either seen by its next poll or
 * raises the event.
 */
final class CompletionEvents {
  private final CompletionQueue queue;
  private final UnsafeBuffer ring;
  private final CompletionChannel channel;

  // Agent's own. Until the first arming nothing is fenced.
  private boolean enabled;
  private int moderationCount = 1;
  private long moderationPeriodNs;
  private long served;
  private long raised;
  private int held;
  private boolean waiting;
  private long heldSinceNs = NOT_STAMPED;

  // Poller's own.
  private boolean used;
  private long armings;
  private boolean armedForAll;
  private long taken;

  private static final long NOT_STAMPED = Long.MIN_VALUE;
  private static final int EVENTS_OFFSET = RingLayout.ECHO_OFFSET + 8;

  CompletionEvents(CompletionQueue queue, UnsafeBuffer ring, CompletionChannel channel) {
    this.queue = queue;
    this.ring = ring;
    this.channel = channel;
    if (channel != null) {
      channel.add(queue);
    }
  }

  // ---- Poller ----

  void arm(boolean solicitedOnly) {
    if (!used) {
      used = true;
      queue.context().control().run(() -> enabled = true);
    }
    boolean stillArmed = ring.getLongAcquire(RingLayout.ECHO_OFFSET) != armings;
    boolean all = !solicitedOnly || (stillArmed && armedForAll);
    armings++;
    armedForAll = all;
    ring.putLongVolatile(RingLayout.SIGNAL_OFFSET, armings << 1 | (all ? 0 : 1));
    UnsafeApi.fullFence();
  }

  int take() {
    long now = ring.getLongAcquire(EVENTS_OFFSET);
    int fresh = (int) (now - taken);
    taken = now;
    return fresh;
  }

  boolean hasEvent() {
    return ring.getLongAcquire(EVENTS_OFFSET) != taken;
  }

  void takeOne() {
    taken++;
  }

  // ---- Agent ----

  void onCompletion(boolean solicitedOrError) {
    if (!enabled) {
      return;
    }
    UnsafeApi.fullFence();
    long word = ring.getLongAcquire(RingLayout.SIGNAL_OFFSET);
    // [rc 12-2]
    if (word >>> 1 == served || ((word & 1) != 0 && !solicitedOrError)) {
      return;
    }
    if (moderationCount == 1) {
      fire(word >>> 1);
      return;
    }
    held++;
    if (held >= moderationCount) {
      fire(word >>> 1);
    } else if (moderationPeriodNs > 0 && !waiting) {
      waiting = true;
      heldSinceNs = NOT_STAMPED;
      queue.context().eventsWaiting(queue);
    }
  }

  void moderate(int count, long periodNs) {
    moderationCount = count;
    moderationPeriodNs = periodNs;
  }

  /** Stamps a waiting event with the time of the cycle it came in, and fires it when old. */
  void onTimer(long nowNs) {
    if (!waiting) {
      return;
    }
    if (heldSinceNs == NOT_STAMPED) {
      heldSinceNs = nowNs;
    }
    if (nowNs - heldSinceNs >= moderationPeriodNs) {
      fire(ring.getLongAcquire(RingLayout.SIGNAL_OFFSET) >>> 1);
    }
  }

  /** When {@link #onTimer} has something to do; a fresh event wants its stamp at once. */
  long nextDeadlineNs() {
    if (!waiting) {
      return Long.MAX_VALUE;
    }
    return heldSinceNs == NOT_STAMPED ? Long.MIN_VALUE : heldSinceNs + moderationPeriodNs;
  }

  boolean isWaiting() {
    return waiting;
  }

  void close() {
    waiting = false;
    if (channel != null) {
      channel.remove(queue);
    }
  }

  private void fire(long arming) {
    served = arming;
    held = 0;
    waiting = false;
    raised++;
    ring.putLongRelease(RingLayout.ECHO_OFFSET, arming);
    ring.putLongRelease(EVENTS_OFFSET, raised);
    if (channel != null) {
      channel.onEvent();
    }
  }
}
