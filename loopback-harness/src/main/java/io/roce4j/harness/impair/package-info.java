// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Impairments that mean the same on a simulated link and on a live port: what is configured ({@link
 * io.roce4j.harness.impair.Impairment}), the dice that decide each packet's fate ({@link
 * io.roce4j.harness.impair.PacketDice}), the counts, and the verdict whether what was configured
 * really happened ({@link io.roce4j.harness.impair.ImpairmentVerdict}).
 *
 * <p>Numbers only: no packet, no port, no clock.
 */
package io.roce4j.harness.impair;
