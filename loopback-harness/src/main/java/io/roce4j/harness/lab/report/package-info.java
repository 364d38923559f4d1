// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/** What a lab showed: as a table, as JSON, and as one page with charts that needs no network. */
package io.roce4j.harness.lab.report;
