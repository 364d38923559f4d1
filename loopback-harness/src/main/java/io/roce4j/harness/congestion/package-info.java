// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What tools share about congestion control: the options that set parameters, and the check that a
 * controller can see what it reacts to.
 *
 * <p>Entry class: {@link io.roce4j.harness.congestion.CongestionOptions}.
 */
package io.roce4j.harness.congestion;
