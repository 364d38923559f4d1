// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * 24-bit serial arithmetic for packet and message sequence numbers. Entry classes: {@link
 * io.roce4j.wire.sequence.Psn} and {@link io.roce4j.wire.sequence.Msn}. Knows nothing of packets or
 * connections.
 */
package io.roce4j.wire.sequence;
