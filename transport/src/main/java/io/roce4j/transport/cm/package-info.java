// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The connection manager: how two endpoints find each other's queue pairs, agree on numbers and
 * limits, and part again (IBA 1.4, chapter 12), with librdmacm's interface.
 *
 * <p>Entry: {@link io.roce4j.transport.cm.RdmaCm}. Two layers, as in Linux. The protocol, from
 * {@code CmProtocol} down, knows messages, ids, timers and duplicates and is told nothing of queue
 * pairs: {@code CmActive} asks, {@code CmPassive} is asked, {@code CmEnding} parts. The session of
 * an id, {@code CmSession}, knows queue pairs, private data and events. {@code CmEngine} is queue
 * pair 1, through which both meet the endpoint's duty cycle.
 *
 * <p>It stands on {@code transport.engine} and {@code transport.verbs}; neither knows it. What a
 * transport wants to negotiate it carries without looking into it, see {@code Negotiator}. Like the
 * engines it takes bytes and the time and keeps no clock, thread or random source.
 */
package io.roce4j.transport.cm;
