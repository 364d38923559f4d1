// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * A switched fabric in virtual time, under the real stack: hosts are endpoints unchanged, packets
 * are real bytes with real headers and a real ICRC.
 *
 * <p>Entry: {@link io.roce4j.harness.fabric.Fabric}, built from a {@link
 * io.roce4j.harness.fabric.topology.Topology} and {@link
 * io.roce4j.harness.fabric.topology.FabricSettings}; {@link io.roce4j.harness.fabric.FabricHost}
 * opens endpoints or bare ports; {@link io.roce4j.harness.fabric.FabricPort} is one direction of a
 * cable with its queues and counters; {@link io.roce4j.harness.fabric.FabricFaults} puts faults on
 * the timeline. What a run tells: {@link io.roce4j.harness.fabric.FabricCounts} (the books), {@link
 * io.roce4j.harness.fabric.FabricSampler}, {@link io.roce4j.harness.fabric.FabricEventLog}, {@link
 * io.roce4j.harness.fabric.FabricCapture}, {@link io.roce4j.harness.fabric.PathUse} and, when it
 * stands still, {@link io.roce4j.harness.fabric.Diagnosis}. {@link
 * io.roce4j.harness.fabric.SwitchExtension} is the place for trimming and in-band telemetry.
 *
 * <p>Time is integer picoseconds; a hop is one or two events: a packet arrives at a node and is
 * queued, and if the line was busy the line takes it later. Switches read and change the bytes of
 * the IP header and know nothing of messages. Nothing is allocated per packet. Single-threaded;
 * topology, settings, seed and calls decide everything.
 */
package io.roce4j.harness.fabric;
