// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The command line: the root command {@code roce4j}, what every subcommand shares, and how values
 * are written on it.
 *
 * <p>Entry class: {@link io.roce4j.harness.cli.Main}. A tool adds itself by implementing {@link
 * io.roce4j.harness.cli.Subcommand} and naming its class in {@code
 * META-INF/services/io.roce4j.harness.cli.Subcommand}; the order of that file is the order of the
 * help. This package must not know any tool, port or engine.
 */
package io.roce4j.harness.cli;
