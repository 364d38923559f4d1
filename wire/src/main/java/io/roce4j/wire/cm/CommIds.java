// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.cm;

/** The two ids in front of every message about a connection; a REQ has the first one only. */
final class CommIds {
  /** Communication id of the sender. */
  static final MadField LOCAL = new MadField("localCommId", 0, 32);

  /** Communication id of the receiver. */
  static final MadField REMOTE = new MadField("remoteCommId", 32, 32);

  private CommIds() {}
}
