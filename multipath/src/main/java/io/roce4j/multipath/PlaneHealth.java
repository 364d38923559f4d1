// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/** Which planes are in doubt or down, from what happens to their paths. */
final class PlaneHealth {
  private final int[] blame;
  private final boolean[] down;

  PlaneHealth(int planes) {
    this.blame = new int[planes];
    this.down = new boolean[planes];
  }

  /** Four source ports in a row failed on a path of the plane. */
  void blame(int plane) {
    blame[plane]++;
  }

  /** Times the plane was blamed since something answered on it. */
  int blameOf(int plane) {
    return blame[plane];
  }

  /** A probe was answered on the plane. */
  void onAnswer(int plane) {
    blame[plane] = 0;
  }

  /**
   * All paths of the plane have failed.
   *
   * @return true when it was up before
   */
  boolean onAllFailed(int plane) {
    boolean news = !down[plane];
    down[plane] = true;
    return news;
  }

  /**
   * A path of the plane carries data again.
   *
   * @return true when it was down before
   */
  boolean onPathUp(int plane) {
    boolean news = down[plane];
    down[plane] = false;
    return news;
  }

  /**
   * Whether new source ports are pointless on the plane. A single plane is never given up: then
   * there is nothing else to hope for than another port.
   */
  boolean isDown(int plane) {
    return down[plane] && down.length > 1;
  }
}
