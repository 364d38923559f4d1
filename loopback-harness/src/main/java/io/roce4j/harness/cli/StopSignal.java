// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C into an early end: the run in progress drains and the report so far is printed. The
 * JVM's shutdown waits for that, and then ends with the command's own exit code instead of the
 * signal's.
 */
public final class StopSignal implements AutoCloseable {
  private static final long WAIT_SECONDS = 20;

  private final CountDownLatch reported = new CountDownLatch(1);
  private final String tool;
  private final Thread hook;
  private volatile boolean isStopped;
  private volatile int exitCode = ExitCode.CHECK_FAILED;

  /**
   * Watches for Ctrl-C from now on.
   *
   * @param tool name of the tool, for its last words
   */
  public StopSignal(String tool) {
    this.tool = tool;
    hook = new Thread(this::onShutdown, "roce4j-" + tool + "-stop");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Whether the user wants the run to end.
   *
   * @return true from the signal on
   */
  public boolean isStopped() {
    return isStopped;
  }

  /**
   * The report is printed.
   *
   * @param code the process is to end with
   */
  public void onReported(int code) {
    exitCode = code;
    reported.countDown();
  }

  private void onShutdown() {
    isStopped = true;
    try {
      if (!reported.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(
            "roce4j " + tool + ": no report within " + WAIT_SECONDS + " s of the signal");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(exitCode);
  }

  @Override
  public void close() {
    reported.countDown();
    if (!isStopped) {
      Runtime.getRuntime().removeShutdownHook(hook);
    }
  }
}
