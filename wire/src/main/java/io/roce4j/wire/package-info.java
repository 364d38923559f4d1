// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The wire layer: what RoCEv2 packets look like and nothing about what they mean.
 *
 * <p>The sub-packages are {@code packet} (opcode table, header access, packet view and writer),
 * {@code icrc} (invariant CRC), {@code sequence} (24-bit arithmetic), {@code memory} (off-heap
 * memory), {@code capture} (pcap and pcapng), {@code cm} (connection-management MADs) and {@code
 * mx} (the multipath headers). Nothing here knows connections, sockets, clocks or threads.
 */
package io.roce4j.wire;
