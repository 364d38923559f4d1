// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The twins of perftest's tools: {@code write-bw send-bw read-bw atomic-bw write-lat send-lat
 * read-lat atomic-lat}. They understand the Linux tools over TCP and on the wire, in both roles.
 *
 * <p>Entry: {@code PerftestCommand}, which every tool registers with the tool it is. A test is a
 * {@code PerftestRun}: the handshake, then the runs of {@code BandwidthRuns} or {@code LatencyRun},
 * then the report.
 */
package io.roce4j.harness.perftest;
