// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./roce4j decode}: captures printed packet by packet, every ICRC verified, wrong ones
 * explained, connections followed.
 *
 * <p>Entry class: {@link io.roce4j.harness.decode.DecodeCommand}. {@link
 * io.roce4j.harness.decode.CaptureScan} turns frames into packets; forms, filters, summary and
 * follower are its sinks. Everything streams: memory does not grow with the file. Knows no
 * transport engine.
 */
package io.roce4j.harness.decode;
