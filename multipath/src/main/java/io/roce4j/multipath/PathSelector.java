// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * Decides which path carries the next train. One instance a send half, on the agent's thread;
 * allocates nothing. Implementations are found by name, see {@link PathSelectors}.
 */
public interface PathSelector {
  /** No path: nothing leaves now. */
  int NONE = -1;

  /**
   * Chooses a path for new data.
   *
   * @param paths the paths
   * @param nowNs time of the endpoint, ns
   * @param packetBytes size of the next packet
   * @param trainBytes size of the train that would be sent if the path took it whole, at least
   *     {@code packetBytes}; a path with room for all of it goes before one without
   * @param avoid a path to leave out while there is another, or {@link #NONE}
   * @return an active path with room for the packet, or {@link #NONE}
   */
  int select(PathView paths, long nowNs, int packetBytes, int trainBytes, int avoid);

  /**
   * Chooses a path for a retransmission. The default sends it over the path that lost it while that
   * path is active, has room and had lost nothing else, but never twice in a row; otherwise over
   * the path new data would take.
   *
   * @param paths the paths
   * @param nowNs time of the endpoint, ns
   * @param packetBytes size of the packet
   * @param trainBytes as in {@link #select}
   * @param lastPath path of its last transmission, or {@link #NONE}
   * @param loneLoss whether its loss was the only one its acknowledgement showed
   * @param sameBefore whether its last retransmission went over the path that had lost it
   * @return an active path with room for the packet, or {@link #NONE}
   */
  default int selectForRetransmission(
      PathView paths,
      long nowNs,
      int packetBytes,
      int trainBytes,
      int lastPath,
      boolean loneLoss,
      boolean sameBefore) {
    boolean same =
        lastPath != NONE
            && loneLoss
            && !sameBefore
            && paths.isActive(lastPath)
            && paths.hasRoom(lastPath, packetBytes);
    return same
        ? lastPath
        : select(paths, nowNs, packetBytes, trainBytes, sameBefore ? lastPath : NONE);
  }
}
