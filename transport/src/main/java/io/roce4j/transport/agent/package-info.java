// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The duty cycle that drives an endpoint.
 *
 * <p>Entry: {@link io.roce4j.transport.agent.EndpointAgent}, an Agrona agent: {@code doWork} reads
 * the clock once, drains commands, receives a burst, fires timers, transmits, flushes, publishes
 * counters. It starts no thread and waits for nothing; the caller runs it, an {@code AgentRunner}
 * does, or an event loop. It must not know protocols: everything between a datagram and a
 * completion is {@code transport.engine}'s.
 */
package io.roce4j.transport.agent;
