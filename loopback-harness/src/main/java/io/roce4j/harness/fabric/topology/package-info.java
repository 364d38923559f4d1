// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What a fabric is made of, as immutable values without behaviour: nodes and cables ({@link
 * io.roce4j.harness.fabric.topology.Topology}, {@link
 * io.roce4j.harness.fabric.topology.Topologies}) and how they behave ({@link
 * io.roce4j.harness.fabric.topology.FabricSettings}). Every constructor checks its ranges and names
 * the field, the value and what is allowed.
 */
package io.roce4j.harness.fabric.topology;
