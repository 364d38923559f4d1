// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

/**
 * What one path of a send half has done and how it stands: a copy, made on the control path.
 *
 * @param responseHalf whether it carries answers to READs and atomics, false for requests
 * @param path number of the path, 0..254
 * @param plane plane it belongs to
 * @param state name of its state, see {@link PathState#name}
 * @param epoch entropy epoch: source-port changes so far, modulo 256
 * @param sourceSlot index of its source port in the endpoint's pool
 * @param sentPackets numbered packets sent, retransmissions included
 * @param sentBytes bytes of them, headers included
 * @param share part of all bytes the half sent, 0..1
 * @param ackedBytes bytes the receiver said it has
 * @param retransmissions packets of others or its own that it sent again
 * @param tailCopies second transmissions of what was still under way elsewhere
 * @param losses transmissions declared lost
 * @param spurious of those, ones that arrived after all
 * @param marks packets that arrived marked with congestion experienced
 * @param smoothedRttNs smoothed round trip time, 0 before the first sample
 * @param minimumRttNs least round trip time of this epoch, 0 before the first sample
 * @param timeouts probe timers that fired
 * @param moves entropy changes
 * @param failures times it was given up
 * @param probesSent probes sent
 * @param probesAnswered probes answered
 */
public record PathReport(
    boolean responseHalf,
    int path,
    int plane,
    String state,
    int epoch,
    int sourceSlot,
    long sentPackets,
    long sentBytes,
    double share,
    long ackedBytes,
    long retransmissions,
    long tailCopies,
    long losses,
    long spurious,
    long marks,
    long smoothedRttNs,
    long minimumRttNs,
    long timeouts,
    long moves,
    long failures,
    long probesSent,
    long probesAnswered) {
  /**
   * Part of the transmissions that were lost.
   *
   * @return 0..1, 0 when nothing was sent
   */
  public double lossFraction() {
    return sentPackets == 0 ? 0 : (double) (losses - spurious) / sentPackets;
  }

  /**
   * Part of the transmissions that arrived marked.
   *
   * @return 0..1, 0 when nothing was sent
   */
  public double markFraction() {
    return sentPackets == 0 ? 0 : Math.min(1.0, (double) marks / sentPackets);
  }

  static PathReport of(SendPath path, boolean responseHalf, long halfBytes) {
    boolean measured = path.rtt.samples() > 0;
    return new PathReport(
        responseHalf,
        path.id,
        path.plane,
        PathState.name(path.state),
        path.epoch,
        path.slot,
        path.sentPackets,
        path.sentBytes,
        halfBytes == 0 ? 0 : (double) path.sentBytes / halfBytes,
        path.ackedBytes,
        path.retransmissions,
        path.tailCopies,
        path.losses,
        path.spurious,
        path.marks,
        measured ? path.rtt.smoothedNs() : 0,
        measured ? path.rtt.minimumNs() : 0,
        path.ptos,
        path.moves,
        path.failures,
        path.probesSent,
        path.probesAnswered);
  }
}
