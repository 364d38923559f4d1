// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import io.roce4j.harness.fabric.FabricFaults;
import java.util.function.Consumer;

/**
 * Something that goes wrong.
 *
 * @param name what it is, for messages
 * @param plan puts it on the timeline of a run
 */
public record Fault(String name, Consumer<FabricFaults> plan) {}
