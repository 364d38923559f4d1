// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

/**
 * What MX must reach, as labs in virtual time: each case is run over several seeds, judged against
 * the least it must reach and shown beside what it aims at. The same classes serve the command line
 * at full size and the tests at a smaller one.
 */
package io.roce4j.harness.mxlab;
