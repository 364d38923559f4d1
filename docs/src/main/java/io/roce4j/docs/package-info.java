// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0
/** The samples that the pages show; compiled and run by the tests. */
package io.roce4j.docs;
