// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Off-heap memory: the only place where the core allocates any. Entry classes: {@link
 * io.roce4j.wire.memory.NativeMemory} (buffers and 64-bit copies) and {@link
 * io.roce4j.wire.memory.NativeRegion} (a block of any size). Knows nothing of packets.
 */
package io.roce4j.wire.memory;
