// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.soak;

import io.roce4j.harness.cli.ToolException;
import io.roce4j.harness.oob.PathProbe;
import io.roce4j.harness.oob.PathProbe.Outcome;
import io.roce4j.harness.oob.PeerException;
import io.roce4j.harness.oob.PeerLink;
import io.roce4j.harness.oob.PeerMessage;
import io.roce4j.transport.port.LocalInterface;
import io.roce4j.transport.port.PortException;
import io.roce4j.transport.port.PortHolder;
import io.roce4j.transport.port.PortSettings;
import io.roce4j.transport.verbs.PathMtu;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Finds the path MTU between two peers before the first RDMA packet is sent: real packets of the
 * full size, "do not fragment", there and back on the UDP ports of the traffic [FC-55].
 */
final class PeerPath {
  private static final long SETUP_LIMIT_NS = 10_000_000_000L;
  private static final long ANSWER_LIMIT_NS = 30_000_000_000L;
  private static final long PARK_NS = 200_000;

  private final PeerLink link;
  private final PortSettings own;
  private final PortSettings peer;
  private final BooleanSupplier isToEnd;

  PeerPath(PeerLink link, PortSettings own, PortSettings peer, BooleanSupplier isToEnd) {
    this.isToEnd = isToEnd;
    this.link = link;
    this.own = own;
    this.peer = peer;
  }

  /**
   * Asks, as the side that proposes the runs.
   *
   * @param wanted path MTU, or 0 for the largest that passes
   * @return path MTU to use
   * @throws ToolException naming what passes and what to do
   */
  int ask(int wanted) {
    long nonce = new SecureRandom().nextLong();
    link.send(PeerLink.message("probe").put("nonce", nonce));
    PeerWatch.requireType(link.await(System.nanoTime(), SETUP_LIMIT_NS, isToEnd), "probe");
    int found;
    try (PathProbe probe = open(nonce)) {
      found = search(probe, wanted == 0 ? PathMtu.MAX_BYTES : wanted, wanted != 0);
    } catch (IOException e) {
      throw ToolException.machine(
          "no packet leaves for "
              + link.name()
              + ": "
              + e.getMessage()
              + " (ip route get "
              + link.name()
              + ")",
          e);
    }
    link.send(PeerLink.message("path").put("pathMtu", found));
    return found;
  }

  private PathProbe open(long nonce) {
    try {
      return new PathProbe(
          own.bindAddress(), own.udpPort(), peer.bindAddress(), peer.udpPort(), nonce);
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("in use")) {
        PortException inUse = PortHolder.inUse(own.bindAddress(), own.udpPort());
        throw ToolException.machine(inUse.getMessage(), e);
      }
      throw ToolException.machine(
          "cannot open UDP port "
              + own.udpPort()
              + " on "
              + own.bindAddress().getHostAddress()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private int search(PathProbe probe, int from, boolean isForced) throws IOException {
    Outcome first = null;
    for (int mtu = from; mtu >= PathMtu.MIN_BYTES; mtu /= 2) {
      Outcome outcome = probe.ask(PathMtu.ipBytes(mtu));
      if (outcome == Outcome.PASSED) {
        if (mtu < from && isForced) {
          throw tooLong(from, mtu, first);
        }
        return mtu;
      }
      first = first == null ? outcome : first;
    }
    throw ToolException.machine(
        "no packet to "
            + link.name()
            + " UDP port "
            + peer.udpPort()
            + " is answered although TCP is: does a firewall drop UDP, there or here, or does the"
            + " kernel driver rdma_rxe hold the port?");
  }

  private ToolException tooLong(int wanted, int passes, Outcome outcome) {
    String where =
        switch (outcome) {
          case TOO_LONG_HERE -> tooLongHere(LocalInterface.of(own.bindAddress()), wanted);
          case TOO_LONG_AT_PEER -> "the peer's route does not take them back";
          default -> "they get lost on the way, of which nobody tells";
        };
    return ToolException.machine(
        "--mtu "
            + wanted
            + " makes IP packets of up to "
            + PathMtu.ipBytes(wanted)
            + " bytes, which do not pass to "
            + link.name()
            + ": "
            + where
            + "; use --mtu "
            + passes
            + ", which passes, or raise the MTU along the path to "
            + PathMtu.ipBytes(wanted)
            + " (ip link set dev NAME mtu N)");
  }

  /** The system refuses by what it knows of the whole path, of which the interface is a part. */
  static String tooLongHere(LocalInterface local, int wanted) {
    String known = "interface " + local.name() + " has MTU " + local.mtuBytes();
    return local.mtuBytes() < PathMtu.ipBytes(wanted)
        ? "this host's " + known + ", which is less"
        : "this host's "
            + known
            + ", but a router on the way takes less, or the route has an MTU of its own (ip route"
            + " get tells)";
  }

  /**
   * Answers, as the other side, until the asker has its result.
   *
   * @param probe message that began it
   */
  void answer(PeerMessage probe) {
    long nonce = probe.integer("nonce", Long.MIN_VALUE, Long.MAX_VALUE);
    try (PathProbe answering = open(nonce)) {
      link.send(PeerLink.message("probe"));
      long sinceNs = System.nanoTime();
      while (!isToEnd.getAsBoolean()) {
        if (answering.answer() == 0) {
          LockSupport.parkNanos(PARK_NS);
        }
        PeerMessage message = link.poll();
        if (message != null) {
          PeerWatch.requireType(message, "path");
          return;
        }
        if (System.nanoTime() - sinceNs > ANSWER_LIMIT_NS) {
          throw new PeerException("peer " + link.name() + " does not end its probe of the path");
        }
      }
    } catch (IOException e) {
      throw ToolException.machine("no packet leaves for " + link.name() + ": " + e.getMessage(), e);
    }
  }
}
