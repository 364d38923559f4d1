// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The duty cycle that drives one endpoint: read the clock once, run control verbs, receive, fire
 * timers, transmit, flush.
 *
 * <p>The only package of the stack that may ask for threads and time.
 */
package io.roce4j.transport.agent;
