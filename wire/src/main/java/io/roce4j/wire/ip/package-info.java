// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What stands in front of the BTH: Ethernet, VLAN, IPv4, IPv6, GRH and UDP headers, GIDs, and the
 * source-port rule. Entry classes: {@link io.roce4j.wire.ip.Gid} and the header classes. Knows
 * nothing of sockets: addresses are numbers and bytes.
 */
package io.roce4j.wire.ip;
