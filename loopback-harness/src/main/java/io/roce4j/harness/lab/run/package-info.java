// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Runs scenarios: {@link io.roce4j.harness.lab.run.LabRunner} takes the schemes and seeds to the
 * cores of the machine, {@link io.roce4j.harness.lab.run.LabRun} is one of them, {@link
 * io.roce4j.harness.lab.run.RunResult} what it showed.
 */
package io.roce4j.harness.lab.run;
