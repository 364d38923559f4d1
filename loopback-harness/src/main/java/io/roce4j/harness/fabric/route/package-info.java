// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Where packets go: the next hops that a topology gives ({@link
 * io.roce4j.harness.fabric.route.ForwardingTable}). Knows no packets and no time.
 */
package io.roce4j.harness.fabric.route;
