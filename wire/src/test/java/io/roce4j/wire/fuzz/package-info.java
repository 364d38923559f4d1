// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * Fuzz targets of the parsers. As tests they replay the corpus beside them in the resources; {@code
 * wire/fuzz/run} lets Jazzer search for new inputs.
 */
package io.roce4j.wire.fuzz;
