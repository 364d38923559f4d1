// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Impairments on real ports: {@link io.roce4j.harness.live.ImpairedPort} stands between an endpoint
 * and the port that carries its packets. It knows datagrams and fates, no connection.
 */
package io.roce4j.harness.live;
