// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Verified traffic over the verbs API, as an application would make it: {@link
 * io.roce4j.harness.workload.VerifiedFlow} posts operations of drawn kinds and sizes, polls the
 * completions, and compares every byte that arrives. The same on live ports and in the simulator:
 * this package knows neither, only contexts, queue pairs and a clock.
 */
package io.roce4j.harness.workload;
