// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Transmit slots for ports of the harness: {@link io.roce4j.harness.stage.PacketStage} keeps the
 * sending half of the port contract for ports that look at packets one by one before they leave.
 */
package io.roce4j.harness.stage;
