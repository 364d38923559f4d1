// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Registered memory: which key opens which bytes, to whom, for what.
 *
 * <p>Entry class: {@link io.roce4j.transport.memory.MemoryTable}. It is the only judge of keys and
 * ranges; everything that touches application memory asks it first. It knows neither queue pairs
 * (only their numbers), nor packets, nor time.
 */
package io.roce4j.transport.memory;
