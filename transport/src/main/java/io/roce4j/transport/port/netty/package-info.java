// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Ports over Netty's epoll and io_uring datagram channels, on an event loop that the agent's duty
 * cycle runs itself: no second thread. Netty gives neither the received ECN nor the IP header.
 *
 * <p>Entry class: {@link io.roce4j.transport.port.netty.NettyPort}. Netty is named in this package
 * only; it must not know the native ports.
 */
package io.roce4j.transport.port.netty;
