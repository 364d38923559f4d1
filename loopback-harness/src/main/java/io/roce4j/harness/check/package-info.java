// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Judges apart from what is judged: was every byte delivered as it was sent, in order, exactly once
 * ({@link io.roce4j.harness.check.DeliveryChecker}), was nothing written outside what was granted
 * ({@link io.roce4j.harness.check.MemoryChecker}), is the work done in time once the network is
 * whole ({@link io.roce4j.harness.check.LivenessChecker}); and the byte-stable account of a run
 * ({@link io.roce4j.harness.check.Journal}). Findings are collected, not thrown, so that a run
 * shows all of them.
 *
 * <p>Same on live ports and in the simulator: this package knows neither.
 */
package io.roce4j.harness.check;
