// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.transport.cm;

import io.roce4j.transport.verbs.VerbsException;
import io.roce4j.wire.ip.Gid;
import java.util.List;

/** Which of a host's GIDs a connection to a peer starts from [FC-33]. Stateless; any thread. */
public final class GidChoice {
  /** RoCEv1: Ethernet only, not routable. */
  public static final int ROCE_V1 = 1;

  /** RoCEv2: over UDP. */
  public static final int ROCE_V2 = 2;

  /**
   * One line of a GID table.
   *
   * @param gid all zero for an empty line
   * @param version {@link #ROCE_V1} or {@link #ROCE_V2}
   */
  public record Entry(Gid gid, int version) {}

  private GidChoice() {}

  /**
   * The first line from which packets reach a peer: RoCEv2, of the peer's IP version, and
   * link-local only for a link-local peer.
   *
   * @param table the host's GIDs, in the order of their indices
   * @param peer the peer's address
   * @return an index
   * @throws VerbsException EADDRNOTAVAIL naming the reason when there is none
   */
  public static int choose(List<Entry> table, Gid peer) {
    String reason = "it is empty";
    for (int i = 0; i < table.size(); i++) {
      Entry entry = table.get(i);
      if (entry.gid.equals(Gid.ZERO)) {
        continue;
      }
      if (entry.version != ROCE_V2) {
        reason = entry.gid + " is RoCEv1";
      } else if (entry.gid.isIpv4() != peer.isIpv4()) {
        reason = entry.gid + " is of the other IP version";
      } else if (isLinkLocal(entry.gid) && !isLinkLocal(peer)) {
        reason = entry.gid + " is link-local and the peer is not";
      } else {
        return i;
      }
    }
    throw new VerbsException(
        "EADDRNOTAVAIL", "no GID of this host reaches " + peer + ": " + reason);
  }

  private static boolean isLinkLocal(Gid gid) {
    return gid.high() >>> 54 == 0xFE80 >>> 6;
  }
}
