// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/** Traffic for fabrics: flows of WRITEs between hosts, over the real stack, every byte compared. */
package io.roce4j.harness.fabric.flow;
