// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./roce4j pingpong}: the twin of the libibverbs examples {@code ibv_rc_pingpong}, {@code
 * ibv_uc_pingpong} and {@code ibv_ud_pingpong}, on the wire and in what it prints.
 *
 * <p>Entry: {@link io.roce4j.harness.pingpong.PingpongCommand}; the exchange of messages is in
 * {@code PingpongRun}.
 */
package io.roce4j.harness.pingpong;
