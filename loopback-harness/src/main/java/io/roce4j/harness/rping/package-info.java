// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * The tool {@code rping}, twin of librdmacm's example, which it also talks to: a client that has
 * its text read and written back by a server, over a connection of the connection manager.
 *
 * <p>Entry: {@link io.roce4j.harness.rping.RpingCommand}. {@code RpingClient} and {@code
 * RpingServer} are the two sides, both machines of small steps that never wait, over one {@code
 * RpingLink} each.
 */
package io.roce4j.harness.rping;
