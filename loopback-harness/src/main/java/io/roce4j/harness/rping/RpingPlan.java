// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.rping;

/**
 * What to do.
 *
 * @param server whether to listen
 * @param port RDMA CM port, 1 to 65535
 * @param size bytes of a buffer
 * @param count iterations of a client, 0 for ever
 * @param verify whether a client compares what comes back
 * @param verbose whether to show the text
 * @param persistent whether a server goes on after a client
 * @param transport profile of the queue pairs
 */
record RpingPlan(
    boolean server,
    int port,
    int size,
    int count,
    boolean verify,
    boolean verbose,
    boolean persistent,
    String transport) {}
