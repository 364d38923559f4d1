// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Congestion control: what a sender may have in flight and how fast it may send, computed from
 * numbers alone.
 *
 * <p>Start at {@link io.roce4j.congestion.CongestionController}, the interface a connection engine
 * feeds with events and asks for a window and a rate. {@link
 * io.roce4j.congestion.CongestionControllers} finds a controller by name through {@link
 * java.util.ServiceLoader}; {@link io.roce4j.congestion.CongestionSettings} carries the link and
 * the named parameters. Around them stand {@link io.roce4j.congestion.Pacer} (when may the next
 * bytes leave) and {@link io.roce4j.congestion.RttEstimator} (smoothed, varying and minimum round
 * trip time).
 *
 * <p>A connection over several paths is served by a {@link
 * io.roce4j.congestion.MultipathController}; {@link io.roce4j.congestion.ConnectionWise}, {@link
 * io.roce4j.congestion.PathWise} and {@link io.roce4j.congestion.SinglePath} convert between the
 * two forms.
 *
 * <p>The package knows no packet, no queue pair, no socket, no clock, no thread and no random
 * source: every event carries {@code nowNs}, every answer is a {@code long} or a {@code double}.
 * Nothing is allocated after construction, roots and powers come from {@link java.lang.StrictMath},
 * so the same events give the same numbers on every machine. One controller belongs to one thread.
 */
package io.roce4j.congestion;
