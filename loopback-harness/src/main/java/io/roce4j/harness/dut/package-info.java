// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The tool {@code dut}: one endpoint as a device under test, driven with verbs as JSON Lines by a
 * conformance tool in any language, over real packets or over packets handed in and out by hand
 * under a clock that the tool moves.
 *
 * <p>Entry: {@link io.roce4j.harness.dut.DutCommand}. {@code DutServer} holds the conversation,
 * {@code DutSession} answers one line, the {@code ...Verbs} classes are the commands by group, and
 * {@code DutEndpoint} is what is open between {@code open} and {@code close}. {@code docs/DUT.md}
 * is its manual.
 */
package io.roce4j.harness.dut;
