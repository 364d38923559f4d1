// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

/**
 * What became of a flow.
 *
 * @param name of the flow
 * @param group of the traffic it belongs to
 * @param from host that wrote
 * @param to host that was written to
 * @param bytes delivered and compared
 * @param completionNs from its first post to its last completion, 0 when nothing completed
 * @param goodputFraction payload bits over the host's line rate in that time
 * @param isDone whether it completed all it had to
 * @param failure status of its first error completion, or success
 */
public record FlowResult(
    String name,
    String group,
    int from,
    int to,
    long bytes,
    long completionNs,
    double goodputFraction,
    boolean isDone,
    int failure) {}
