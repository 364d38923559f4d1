// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.control;

/**
 * A packet that an endpoint sent through a {@link ControlPort}.
 *
 * @param bytes the whole IP packet, from the IP header to the ICRC; the receiver's own
 * @param atNs when it left, by the endpoint's clock
 * @param pathId the path of an MX packet, 0 for all others
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, only handed on
public record SentFrame(byte[] bytes, long atNs, int pathId) {}
