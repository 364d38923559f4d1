// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of the packet formats, each beside the work that cannot be avoided. */
package io.roce4j.benchmarks.wire;
