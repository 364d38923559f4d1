// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The port {@code control}: whole IP packets are handed in and taken out by hand, under a clock
 * that moves only when told. It lets a test or a conformance tool be the network of one endpoint
 * without a socket, a right or a sleep.
 *
 * <p>Entry: {@link io.roce4j.harness.control.ControlPort}. It must not know who feeds it.
 */
package io.roce4j.harness.control;
