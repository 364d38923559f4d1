// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Scenarios in real time: the fabric of the emulator is driven by the clock of the machine and
 * stands between endpoints on real UDP sockets of the loopback interface.
 */
package io.roce4j.harness.lab.realtime;
