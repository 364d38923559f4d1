// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code ./roce4j lab}: fabric scenarios in virtual time, several schemes side by side on the same
 * seeds. Scenarios are read by {@code scenario}, run by {@code run}, shown by {@code report}.
 */
package io.roce4j.harness.lab;
