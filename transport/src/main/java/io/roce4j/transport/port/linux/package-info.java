// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The port for Linux's own UDP sockets: {@link io.roce4j.transport.port.linux.LinuxPort}, with
 * segmented sends, coalesced receives, type of service per train and received ECN, by system calls
 * through {@code java.lang.foreign}. Allocates nothing per packet. Must not know Netty or the raw
 * port.
 */
package io.roce4j.transport.port.linux;
