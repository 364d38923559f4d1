// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

/** The exit codes of every tool. */
public final class ExitCode {
  /** The tool did its work and every check held. */
  public static final int GOOD = 0;

  /** A check failed: data differed, a completion was missing, a claim did not hold. */
  public static final int CHECK_FAILED = 1;

  /** Wrong usage: an unknown option, a value out of range, an unreadable file. */
  public static final int USAGE = 2;

  /** The machine lacks something: a port in use, a missing right, no such address. */
  public static final int MACHINE = 3;

  /** A configured impairment did nothing, or was off by more than 10% beyond chance. */
  public static final int INVALID = 4;

  private ExitCode() {}
}
