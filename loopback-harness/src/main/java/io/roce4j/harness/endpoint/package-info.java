// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * One live endpoint of a tool: its options ({@link io.roce4j.harness.endpoint.EndpointOptions}),
 * which local address it takes ({@link io.roce4j.harness.endpoint.GidTable}), and the endpoint
 * itself ({@link io.roce4j.harness.endpoint.LiveEndpoint}), which the tool's own thread drives.
 */
package io.roce4j.harness.endpoint;
