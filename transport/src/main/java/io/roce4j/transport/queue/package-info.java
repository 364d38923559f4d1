// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The off-heap rings in which applications and the engine meet: send queue, receive queue and
 * doorbells.
 *
 * <p>Entry classes: {@link io.roce4j.transport.queue.SendQueue}, {@link
 * io.roce4j.transport.queue.ReceiveQueue}, {@link io.roce4j.transport.queue.DoorbellRing}. A queue
 * keeps its entries in place until the engine releases them, and the engine finds an entry by its
 * index. This package knows slots and bytes; what an opcode or a status means is the callers'.
 */
package io.roce4j.transport.queue;
