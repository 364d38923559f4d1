// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.check.Findings;
import io.roce4j.harness.oob.PeerException;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerMessage;
import io.roce4j.harness.workload.PeerConnection;
import java.util.List;

/**
 * Keeps an eye on the peer while a run is on: tells it that this side lives, takes what it says,
 * notices when it is gone. One thread.
 */
final class PeerWatch {
  private static final long ALIVE_NS = 500_000_000;
  private static final long SILENCE_LIMIT_NS = 10_000_000_000L;

  private final PeerLink link;
  private final List<PeerConnection> connections;
  private final Findings findings;
  private long saidAliveNs = System.nanoTime();
  private int ended;
  private boolean hasPeerEnded;
  private boolean isPeerGone;
  private PeerMessage summary;

  PeerWatch(PeerLink link, List<PeerConnection> connections, Findings findings) {
    this.link = link;
    this.connections = connections;
    this.findings = findings;
  }

  /** Throws when a message is of another type; a reason that the peer gives is handed on. */
  static void requireType(PeerMessage message, String type) {
    String found = message.type();
    if (found.equals("refuse")) {
      throw new PeerException("the peer refuses: " + message.text("reason"));
    }
    if (!found.equals(type)) {
      throw message.refuse("type", '"' + type + '"');
    }
  }

  /**
   * Looks at the link.
   *
   * @return true when the run is to end: the peer has ended it, or is gone
   */
  boolean look() {
    return look(true);
  }

  /**
   * Looks at the link.
   *
   * @param isEndAnEnd whether a peer that has ended its run counts
   * @return true when the peer is gone, or has ended where that counts
   */
  boolean look(boolean isEndAnEnd) {
    if (isPeerGone) {
      return true;
    }
    try {
      long nowNs = System.nanoTime();
      if (nowNs - saidAliveNs > ALIVE_NS) {
        saidAliveNs = nowNs;
        link.send(PeerLink.message("alive"));
      }
      for (PeerMessage m = link.poll(); m != null && summary == null; m = link.poll()) {
        take(m);
      }
      if (link.silentNs() > SILENCE_LIMIT_NS) {
        throw new PeerException(
            "peer " + link.name() + " is silent for " + SILENCE_LIMIT_NS / 1_000_000_000 + " s");
      }
    } catch (PeerException e) {
      findings.addCause(e.getMessage());
      isPeerGone = true;
    }
    return isPeerGone || (isEndAnEnd && hasPeerEnded);
  }

  private void take(PeerMessage message) {
    switch (message.type()) {
      case "alive" -> {
        // That it was heard is all there is to it.
      }
      case "end" -> {
        if (ended == connections.size()) {
          throw message.refuse("type", "no further \"end\": there are " + ended + " connections");
        }
        message.integer("number", ended, ended);
        connections.get(ended++).expect(message.count("messages"));
      }
      case "ended" -> hasPeerEnded = ended == connections.size();
      case "summary" -> summary = message;
      case "refuse" -> requireType(message, "alive");
      default -> throw message.refuse("type", "one that belongs into a run");
    }
  }

  /** Tells the peer what this side has posted in all; nothing follows. */
  void sendEnd() {
    try {
      for (int i = 0; i < connections.size(); i++) {
        link.send(
            PeerLink.message("end")
                .put("number", i)
                .put("messages", connections.get(i).messages()));
      }
      link.send(PeerLink.message("ended"));
    } catch (PeerException e) {
      findings.addCause(e.getMessage());
      isPeerGone = true;
    }
  }

  /** The peer's summary, waiting for it for a time, whatever else the peer says. */
  PeerMessage awaitSummary(long limitNs) {
    long sinceNs = System.nanoTime();
    while (summary == null) {
      take(link.await(sinceNs, limitNs, () -> false));
    }
    return summary;
  }

  /** Whether the peer has posted all it will, and said how much. */
  boolean hasPeerEnded() {
    return hasPeerEnded;
  }

  /** Whether nothing more can come from the peer. */
  boolean isPeerGone() {
    return isPeerGone;
  }
}
