// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Scenario files: YAML whose every value carries its unit, read into immutable records that a lab
 * runs. {@link io.roce4j.harness.lab.scenario.ScenarioReader} is the entry; whatever is wrong is
 * said with the file, the line, the field, the value and what is allowed.
 */
package io.roce4j.harness.lab.scenario;
