// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What two tools on two hosts tell each other beside their RDMA traffic: a TCP connection that
 * carries one JSON object a line, and the probe that finds out which packets pass between them.
 *
 * <p>Entry class: {@link io.roce4j.harness.oob.PeerLink}. Whatever comes from the peer is taken for
 * hostile: lines, numbers, texts and waiting times have limits, and what is outside them ends the
 * exchange with a {@link io.roce4j.harness.oob.PeerException} of one line. The package knows no
 * tool and nothing of RDMA.
 */
package io.roce4j.harness.oob;
