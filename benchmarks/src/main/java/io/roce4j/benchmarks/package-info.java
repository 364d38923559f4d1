// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The benchmark tool, {@code ./roce4j bench}: runs JMH benchmarks in rounds and gives each one's
 * time as a ratio to a yardstick measured in the same round. Nothing depends on this module.
 */
package io.roce4j.benchmarks;
