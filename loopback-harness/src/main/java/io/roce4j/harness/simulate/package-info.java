// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Whole-stack simulation: drawn faults, mixed verified operations, every check, one seed a run.
 * Entry class: {@link io.roce4j.harness.simulate.SimulatedRun}; the command is {@code ./roce4j
 * simulate}.
 */
package io.roce4j.harness.simulate;
