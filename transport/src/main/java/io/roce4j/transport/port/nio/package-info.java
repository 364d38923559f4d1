// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The portable port: {@link io.roce4j.transport.port.nio.NioPort} over the JDK's {@code
 * DatagramChannel}. One system call a packet, no received ECN, no IP header; it works wherever Java
 * does. Must not know: native calls, Netty.
 */
package io.roce4j.transport.port.nio;
