// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Capture files: reading and writing pcap and pcapng, and finding the RoCE packet in a frame.
 *
 * <p>Entry classes: {@link io.roce4j.wire.capture.CaptureReader}, {@link
 * io.roce4j.wire.capture.PcapWriter}, {@link io.roce4j.wire.capture.PcapngWriter}, {@link
 * io.roce4j.wire.capture.FrameDissector}, {@link io.roce4j.wire.capture.FrameWriter}. Files of any
 * size are streamed through one fixed block. Knows no connections; this is tooling, not data path.
 */
package io.roce4j.wire.capture;
