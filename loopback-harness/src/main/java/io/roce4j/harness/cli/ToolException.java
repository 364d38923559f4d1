// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

/**
 * A failure of a tool that its user can cure. The message is one line that names the value, the
 * limit and what to do; it is printed as it stands, without a stack trace.
 */
public final class ToolException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private ToolException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /**
   * Wrong usage, {@link ExitCode#USAGE}.
   *
   * @param message one line: the value, the limit, what to do
   * @return the exception to throw
   */
  public static ToolException usage(String message) {
    return new ToolException(ExitCode.USAGE, message, null);
  }

  /**
   * Wrong usage found through another exception, {@link ExitCode#USAGE}.
   *
   * @param message one line: the value, the limit, what to do
   * @param cause what was caught
   * @return the exception to throw
   */
  public static ToolException usage(String message, Throwable cause) {
    return new ToolException(ExitCode.USAGE, message, cause);
  }

  /**
   * The machine lacks something, {@link ExitCode#MACHINE}.
   *
   * @param message one line: what is missing and how to get it
   * @return the exception to throw
   */
  public static ToolException machine(String message) {
    return new ToolException(ExitCode.MACHINE, message, null);
  }

  /**
   * The machine lacks something, found through another exception, {@link ExitCode#MACHINE}.
   *
   * @param message one line: what is missing and how to get it
   * @param cause what was caught
   * @return the exception to throw
   */
  public static ToolException machine(String message, Throwable cause) {
    return new ToolException(ExitCode.MACHINE, message, cause);
  }

  /**
   * The work could not be done, or what came of it is wrong, {@link ExitCode#CHECK_FAILED}.
   *
   * @param message one line: what happened and what to do
   * @return the exception to throw
   */
  public static ToolException check(String message) {
    return new ToolException(ExitCode.CHECK_FAILED, message, null);
  }

  /**
   * The work could not be done, found through another exception, {@link ExitCode#CHECK_FAILED}.
   *
   * @param message one line: what happened and what to do
   * @param cause what was caught
   * @return the exception to throw
   */
  public static ToolException check(String message, Throwable cause) {
    return new ToolException(ExitCode.CHECK_FAILED, message, cause);
  }

  /**
   * The exit code the process ends with.
   *
   * @return one of {@link ExitCode}
   */
  public int exitCode() {
    return exitCode;
  }
}
