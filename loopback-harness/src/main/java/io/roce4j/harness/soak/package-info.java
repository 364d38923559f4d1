// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The soak: verified traffic between two endpoints of this process over real ports, run after run,
 * without and with impairments, and a table at the end.
 *
 * <p>Entry: {@link io.roce4j.harness.soak.SoakCommand}. One thread runs both endpoints, another is
 * the application of both; they meet in the rings only. What is judged is judged by {@code check}
 * and {@code impair}; this package measures and reports.
 */
package io.roce4j.harness.soak;
