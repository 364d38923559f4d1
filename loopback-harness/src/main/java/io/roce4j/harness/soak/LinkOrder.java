// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

/**
 * How many packets of a link were overtaken.
 *
 * @param arrived packets looked at, each once
 * @param overtaken those of them that arrived behind one sent later, on whatever path
 */
record LinkOrder(long arrived, long overtaken) {
  /** The sum of this and another link's. */
  LinkOrder plus(LinkOrder other) {
    return new LinkOrder(arrived + other.arrived, overtaken + other.overtaken);
  }
}
