// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.sim;

import io.roce4j.wire.ip.Gid;

/**
 * What a simulated port keeps in a destination.
 *
 * @param gid the destination's address
 * @param uplink the first step on the way there
 */
record SimRoute(Gid gid, PortUplink uplink) {}
