// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Measuring and the arithmetic of reports: latencies ({@link
 * io.roce4j.harness.measure.LatencyRecorder}) and rates ({@link
 * io.roce4j.harness.measure.Throughput}), safe for runs of days. Knows no transport.
 */
package io.roce4j.harness.measure;
