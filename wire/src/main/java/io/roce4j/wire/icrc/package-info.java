// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The invariant CRC of RoCEv2 over IPv4 and IPv6 and of RoCEv1. Entry class: {@link
 * io.roce4j.wire.icrc.Icrc}; {@link io.roce4j.wire.icrc.IpUdpFields} is what it must be told of the
 * headers in front of the BTH. Knows nothing of opcodes, connections or sockets.
 */
package io.roce4j.wire.icrc;
