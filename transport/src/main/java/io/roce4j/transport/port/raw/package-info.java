// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The port for whole frames: {@link io.roce4j.transport.port.raw.RawPort} over AF_PACKET. It sees
 * and writes the IP header, sends from any source port, speaks RoCEv1, and needs CAP_NET_RAW.
 * Allocates nothing per packet. Must not know Netty or the UDP port.
 */
package io.roce4j.transport.port.raw;
