// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The protocol core: connections as state machines that take bytes and a time, and give bytes and
 * deadlines.
 *
 * <p>Entry: {@link io.roce4j.transport.engine.Endpoint}, the sans-I/O face of all queue pairs. A
 * packet's way in is {@code Endpoint.onDatagram} (the checks in front of every queue pair), {@code
 * RcConnection.onPacket} (request or response), {@code RcResponder} or {@code RcCompleter}; the way
 * out is {@code RcRequester.transmit} or {@code RcResponses.transmit} into a train of the port.
 *
 * <p>It must not know clocks, sockets, threads, random sources or logs: time comes in as {@code
 * nowNs}, packets as lent buffers, and everything that happened goes out as counters and typed
 * events. One agent owns an endpoint and everything here; nothing is shared but the rings of {@code
 * transport.queue} and {@code transport.verbs}.
 */
package io.roce4j.transport.engine;
