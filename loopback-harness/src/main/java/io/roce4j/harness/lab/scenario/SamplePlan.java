// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import java.util.List;

/**
 * What is recorded over time. Charts are of the first run of each scheme.
 *
 * @param everyNs distance of the samples
 * @param windowNs over which the rates of flows are compared, in every run
 * @param ports names of ports whose queues are recorded; empty for the fullest of the run
 */
public record SamplePlan(long everyNs, long windowNs, List<String> ports) {
  /** Copies the list. */
  public SamplePlan {
    ports = List.copyOf(ports);
  }
}
