// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * The paths of a connection as a {@link PathSelector} sees them: numbers by path, nothing to
 * change.
 */
public interface PathView {
  /**
   * Paths that carry data now.
   *
   * @return 0 or more
   */
  int activeCount();

  /**
   * One of them.
   *
   * @param index 0..{@link #activeCount} - 1
   * @return path number
   */
  int activePath(int index);

  /**
   * Whether a path is among them.
   *
   * @param path path number
   * @return true when active
   */
  boolean isActive(int path);

  /**
   * Whether a path can take so many bytes now: window, span of its sequence, pacing.
   *
   * @param path path number
   * @param bytes 1 or more
   * @return true when it can; an empty path can always take one packet
   */
  boolean hasRoom(int path, int bytes);

  /**
   * Bytes in flight.
   *
   * @param path path number
   * @return 0 or more
   */
  long inflightBytes(int path);

  /**
   * Congestion window.
   *
   * @param path path number
   * @return 1 or more
   */
  long windowBytes(int path);

  /**
   * Smoothed round trip time.
   *
   * @param path path number
   * @return ns, 1 or more
   */
  long smoothedRttNs(int path);

  /**
   * Least round trip time seen lately.
   *
   * @param path path number
   * @return ns, 0 when unknown
   */
  long minimumRttNs(int path);

  /**
   * Fraction of packets marked with congestion experienced in the last round trip.
   *
   * @param path path number
   * @return 0 to 1
   */
  double markFraction(int path);

  /**
   * Fraction of the last transmissions that were lost.
   *
   * @param path path number
   * @return 0 to 1
   */
  double lossFraction(int path);

  /**
   * A number from the connection's own repeatable generator.
   *
   * @param bound 1 or more
   * @return 0..bound-1
   */
  int random(int bound);
}
