// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.dut;

import io.roce4j.transport.verbs.MemoryRegion;
import io.roce4j.wire.memory.NativeRegion;

/**
 * A memory region and the memory under it, which the tool owns.
 *
 * @param region registered
 * @param memory freed after the region is closed
 */
record Registration(MemoryRegion region, NativeRegion memory) {}
