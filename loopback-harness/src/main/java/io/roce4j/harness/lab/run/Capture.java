// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.lab.run;

import java.io.OutputStream;
import java.util.List;

/**
 * Packets that are written as they pass.
 *
 * @param ports names of the ports, such as {@code leaf0>spine1}
 * @param sink gets a pcapng file; the caller closes it
 */
public record Capture(List<String> ports, OutputStream sink) {
  /** Copies the list. */
  public Capture {
    ports = List.copyOf(ports);
  }
}
