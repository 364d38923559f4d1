// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.check;

/**
 * Demands progress: once the network is whole, the work must be done within a bound, and at any
 * time something must complete within the bound. Times are the caller's clock, differences only.
 */
public final class LivenessChecker {
  private final String what;
  private final long boundNs;
  private final Findings findings;
  private long sinceNs;
  private long lastProgress = -1;
  private boolean hasFailed;

  /**
   * Starts watching.
   *
   * @param what for the finding
   * @param boundNs longest time without progress, 1 or more
   * @param nowNs the present
   * @param findings gets what is found
   */
  public LivenessChecker(String what, long boundNs, long nowNs, Findings findings) {
    this.what = what;
    this.boundNs = boundNs;
    this.sinceNs = nowNs;
    this.findings = findings;
  }

  /**
   * Looks at the work.
   *
   * @param nowNs the present
   * @param progress a number that grows with the work done
   * @param isDone whether nothing is left to do
   * @return false when the bound has passed without progress; reported once
   */
  public boolean inspect(long nowNs, long progress, boolean isDone) {
    if (progress != lastProgress || isDone) {
      lastProgress = progress;
      sinceNs = nowNs;
      return !hasFailed;
    }
    if (!hasFailed && nowNs - sinceNs > boundNs) {
      hasFailed = true;
      findings.add(
          what
              + ": no progress for "
              + (nowNs - sinceNs)
              + " ns, bound "
              + boundNs
              + " ns, stuck at "
              + progress);
    }
    return !hasFailed;
  }

  /**
   * Forgets the time so far, because the network was made whole now.
   *
   * @param nowNs the present
   */
  public void restart(long nowNs) {
    sinceNs = nowNs;
  }
}
