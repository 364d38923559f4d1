// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/** Updates of the congestion controllers beside the CRC-32 of 64 bytes. */
package io.roce4j.benchmarks.congestion;
