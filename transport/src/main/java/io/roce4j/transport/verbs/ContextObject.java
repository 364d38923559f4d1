// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.verbs;

/** What a context makes and closes in the end. */
interface ContextObject extends AutoCloseable {
  @Override
  void close();
}
