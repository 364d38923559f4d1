// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A network in virtual time under the real stack: the very same endpoints as on a socket, their
 * clock and port replaced.
 *
 * <p>Time is integer picoseconds ({@link io.roce4j.harness.sim.Timeline}); packets are real bytes
 * with real IP and UDP headers and a real ICRC; every draw comes from a stream named after the link
 * and its purpose. Single-threaded. This package must not know messages, queue pairs or what an
 * application checks.
 */
package io.roce4j.harness.sim;
