// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of whole connections, in the emulated network: the engines and nothing of a kernel.
 */
package io.roce4j.benchmarks.engine;
