// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Random numbers by name: everything that is drawn anywhere in the harness comes from a stream of
 * {@link io.roce4j.harness.random.SeededStreams}, so that one 64-bit seed repeats a run and a new
 * draw in one place moves no other place's dice.
 */
package io.roce4j.harness.random;
