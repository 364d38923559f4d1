// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Headers of MX, the multipath transport of this project: static access over bytes, big endian, bit
 * 0 the most significant, and the small number formats that travel in them.
 *
 * <p>MX is this project's own design in the manufacturer's opcode range 0xE0..0xEC. It keeps
 * Ethernet, IP, UDP, BTH and ICRC as RoCEv2 has them. It is not, and does not claim to be,
 * compatible with any other multipath RDMA transport.
 *
 * <p>Receiving starts at {@link io.roce4j.wire.mx.MxPacketView}: lengths and flags are checked
 * once, then no accessor fails. Sending writes header by header with the {@code write} methods. The
 * package knows bytes only: no connection, path state, clock or port.
 */
package io.roce4j.wire.mx;
