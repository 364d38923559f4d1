// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.harness.cli;

import java.util.concurrent.Callable;

/**
 * One tool of the command line: a picocli {@code @Command} class with a public no-argument
 * constructor, found by {@link java.util.ServiceLoader}.
 *
 * <p>{@link #call()} runs on the main thread and returns one of {@link ExitCode}. A failure that
 * the user can cure is thrown as a {@link ToolException}, which prints one line; any other
 * exception is a fault of ours and is printed with its stack trace.
 */
public interface Subcommand extends Callable<Integer> {}
