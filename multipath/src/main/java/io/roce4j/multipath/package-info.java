// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * MX, the multipath transport: one connection over many paths. Every packet names its own
 * destination and is placed where it belongs when it arrives; only what was lost is sent again.
 *
 * <p>Entry: {@link io.roce4j.multipath.MxProfile}, found by the endpoint through {@code
 * ServiceLoader}; it makes an {@link io.roce4j.multipath.MxConnection}, a connection engine beside
 * RC's. Everything here runs on the agent's thread, takes {@code nowNs} and returns bytes and
 * deadlines: no clock, thread, socket, random source or log. {@code docs/MX.md} describes the
 * protocol; the headers are in {@code io.roce4j.wire.mx}.
 */
package io.roce4j.multipath;
