// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * Timers and retry budgets of a requester (IBA 1.4, 9.7.6.1.3 and 9.9.2.4.1; [rc 2.2-6]).
 *
 * <p>When the acknowledge timer fires is told by {@link AckTimeout}. The wait after an RNR NAK has
 * a deadline and a budget of its own, so that no other event can shorten it or spend it [FC-14].
 */
final class RcRetry {

  /** rnr_retry value that means "for ever" [FC-15]. */
  static final int RNR_RETRY_UNLIMITED = 7;

  private long ackTimeoutNs;
  private int retryCount;
  private int rnrRetryCount;

  private int retriesLeft;
  private int rnrRetriesLeft;
  private long ackDeadlineNs = DeadlineHeap.NEVER;
  private long rnrDeadlineNs = DeadlineHeap.NEVER;
  private long rnrStartedNs;

  /** Takes over the attributes; running timers stay. */
  void configure(int timeoutCode, int retryCount, int rnrRetryCount) {
    this.ackTimeoutNs = AckTimeout.timeoutNs(timeoutCode);
    this.retryCount = retryCount;
    this.rnrRetryCount = rnrRetryCount;
    retriesLeft = retryCount;
    rnrRetriesLeft = rnrRetryCount;
  }

  void reset() {
    ackDeadlineNs = DeadlineHeap.NEVER;
    rnrDeadlineNs = DeadlineHeap.NEVER;
    retriesLeft = retryCount;
    rnrRetriesLeft = rnrRetryCount;
  }

  /**
   * [rc 2.2-4] [rc 24-1] Spends one of retry_cnt; 7 is seven, as the architecture says, not
   * unlimited as in rxe.
   */
  boolean takeRetry() {
    if (retriesLeft == 0) {
      return false;
    }
    retriesLeft--;
    return true;
  }

  /** Spends one of rnr_retry [rc Q14] [rc Q18] [rc 2.2-5] [FC-15]. */
  boolean takeRnrRetry() {
    if (rnrRetryCount == RNR_RETRY_UNLIMITED) {
      return true;
    }
    if (rnrRetriesLeft == 0) {
      return false;
    }
    rnrRetriesLeft--;
    return true;
  }

  /** A packet left: the timer starts unless it runs. */
  void onSent(long nowNs) {
    if (ackDeadlineNs == DeadlineHeap.NEVER) {
      restartAckTimer(nowNs);
    }
  }

  void restartAckTimer(long nowNs) {
    if (ackTimeoutNs == DeadlineHeap.NEVER) {
      ackDeadlineNs = DeadlineHeap.NEVER;
      return;
    }
    ackDeadlineNs = nowNs + AckTimeout.afterRetriesNs(ackTimeoutNs, retryCount - retriesLeft);
  }

  /**
   * [rc Q17] [rc 2.2-7] Progress restores both budgets, ends an RNR wait, restarts or stops the
   * timer.
   */
  void onProgress(long nowNs, boolean outstanding) {
    retriesLeft = retryCount;
    rnrRetriesLeft = rnrRetryCount;
    rnrDeadlineNs = DeadlineHeap.NEVER;
    if (outstanding) {
      restartAckTimer(nowNs);
    } else {
      ackDeadlineNs = DeadlineHeap.NEVER;
    }
  }

  void startRnrWait(long nowNs, long waitNs) {
    rnrStartedNs = nowNs;
    rnrDeadlineNs = nowNs + waitNs;
    ackDeadlineNs = DeadlineHeap.NEVER;
  }

  boolean isWaitingForRnr() {
    return rnrDeadlineNs != DeadlineHeap.NEVER;
  }

  boolean isRnrWaitOver(long nowNs) {
    return rnrDeadlineNs <= nowNs;
  }

  /** Ends the wait and tells how long it was, ns. */
  long endRnrWait(long nowNs) {
    rnrDeadlineNs = DeadlineHeap.NEVER;
    return nowNs - rnrStartedNs;
  }

  boolean isAckTimerDue(long nowNs) {
    return ackDeadlineNs <= nowNs;
  }

  long nextDeadlineNs() {
    return Math.min(ackDeadlineNs, rnrDeadlineNs);
  }

  void stop() {
    ackDeadlineNs = DeadlineHeap.NEVER;
    rnrDeadlineNs = DeadlineHeap.NEVER;
  }
}
