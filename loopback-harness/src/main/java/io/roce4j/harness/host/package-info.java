// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What the operating system says of this host: counters of interfaces and sockets, settings, kernel
 * modules. Read from {@code /proc} and {@code /sys}; what is not there is left out, never shown as
 * zero.
 *
 * <p>Entry class: {@link io.roce4j.harness.host.HostCounters}. The package knows no tool.
 */
package io.roce4j.harness.host;
