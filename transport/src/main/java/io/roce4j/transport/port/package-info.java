// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Ports: what carries datagrams for an endpoint, and the only place that touches sockets or native
 * calls.
 *
 * <p>{@link io.roce4j.transport.port.DatagramPort} is the contract, in trains: equal-sized packets
 * of one path to one destination in one system call, which cost about the same whether they carry
 * one packet or sixty. The protocol engines see only its sending half, {@link
 * io.roce4j.transport.port.TrainSink}. A port seals the ICRC, because only a port knows the IP
 * header; it knows nothing of connections, queue pairs or retransmission. One thread, the agent's,
 * calls a port.
 */
package io.roce4j.transport.port;
