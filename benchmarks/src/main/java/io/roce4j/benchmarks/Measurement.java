// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
package io.roce4j.benchmarks;

/**
 * One benchmark in one round.
 *
 * @param round from 0
 * @param benchmark package below ours, class and method, such as {@code wire.IcrcBenchmark.check}
 * @param parameters {@code name=value}, joined by commas in the order of the names; may be empty
 * @param timeNs nanoseconds an operation in the best iteration, above 0
 * @param allocatedBytes heap bytes an operation, 0 or more
 */
public record Measurement(
    int round, String benchmark, String parameters, double timeNs, double allocatedBytes) {}
