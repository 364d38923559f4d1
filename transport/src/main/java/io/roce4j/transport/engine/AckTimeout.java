// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.engine;

/**
 * Local ACK timeout codes as times (IBA 1.4, 9.9.2.4.1; [rc 2.2-1..3] [FC-26]), for engines and for
 * tools that tell users how long a queue pair tries.
 */
public final class AckTimeout {

  /** {@link #timeoutNs} of code 0: the timer never fires. */
  public static final long NEVER = DeadlineHeap.NEVER;

  /** Largest code, 5 bits. */
  public static final int CODE_MAX = 31;

  private static final long UNIT_NS = 4_096;

  /** Twice doubled is 4 T, the latest the architecture allows. */
  private static final int BACK_OFF_MAX = 2;

  private AckTimeout() {}

  /**
   * The time a code stands for: the first timer of an episode fires that long after the last
   * progress.
   *
   * @param code 0 to 31.
   * @return ns, or {@link #NEVER} for code 0.
   */
  public static long timeoutNs(int code) {
    return code == 0 ? NEVER : UNIT_NS << code;
  }

  /** The time until the timer fires again after some retries without progress. */
  static long afterRetriesNs(long timeoutNs, int retries) {
    return timeoutNs << Math.min(retries, BACK_OFF_MAX);
  }

  /**
   * How long a request to a silent peer takes to end in RETRY_EXC_ERR: the timer of the first
   * transmission and that of each retry.
   *
   * @param code 0 to 31.
   * @param retryCount retry_cnt, 0 to 7.
   * @return ns, or {@link #NEVER} for code 0.
   */
  public static long giveUpNs(int code, int retryCount) {
    if (code == 0) {
      return NEVER;
    }
    long total = 0;
    for (int retries = 0; retries <= retryCount; retries++) {
      total += afterRetriesNs(timeoutNs(code), retries);
    }
    return total;
  }
}
