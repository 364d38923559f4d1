// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * IBA transport headers as bytes: the opcode table, static field access, the checked view and the
 * writer.
 *
 * <p>Read {@link io.roce4j.wire.packet.Opcode} first (which headers an opcode has and where), then
 * {@link io.roce4j.wire.packet.PacketView} (receiving: checked once, then no accessor fails) and
 * {@link io.roce4j.wire.packet.PacketWriter} (sending). Nothing here knows connections, IP, sockets
 * or time; all multi-byte fields are big-endian.
 */
package io.roce4j.wire.packet;
