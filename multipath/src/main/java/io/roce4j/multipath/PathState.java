// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** What a path may be. Names are those the tools print. */
public final class PathState {
  /** Carries data. */
  public static final int ACTIVE = 0;

  /** Does not answer as it should: no new data, probed every round trip. */
  public static final int SUSPECT = 1;

  /** Failed; has a new source port and is probed until it answers three times in a row. */
  public static final int PROBING = 2;

  /** No new transmissions; closes when nothing is in flight. */
  public static final int DRAIN = 3;

  /** Closed by the peer, a port going down, or the end of draining. */
  public static final int CLOSED = 4;

  /** Closed by the administrator until allowed again. */
  public static final int DISABLED = 5;

  private static final String[] NAMES = {
    "active", "suspect", "probing", "drain", "closed", "disabled"
  };

  private PathState() {}

  /**
   * The name of a state.
   *
   * @param state one of the states
   * @return lower case
   */
  public static String name(int state) {
    return NAMES[state];
  }
}
