// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.scenario;

import java.util.List;

/**
 * What is recorded over time, in the first run of each scheme.
 *
 * @param everyNs distance of the samples
 * @param ports names of ports whose queues are recorded; empty for the fullest of the run
 */
public record SamplePlan(long everyNs, List<String> ports) {
  /** Copies the list. */
  public SamplePlan {
    ports = List.copyOf(ports);
  }
}
