// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.multipath;

import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.wire.mx.NegotiationBlock;

/**
 * The MX side of a queue pair's attributes, given with the move to RTR as its profile parameters:
 * how this side behaves and what the peer sent as its negotiation block. Giving a bare {@link
 * NegotiationBlock} means the default settings; giving nothing means plain RC.
 *
 * @param settings this side's
 * @param peer the peer's block
 * @param isn first CPSN of this side's send halves, as its own block said; {@link #ISN_IS_SQ_PSN}
 *     to take it from sq_psn, in which case nothing but acknowledgements is sent before RTS
 * @param owner queue pair whose connection this one joins as a stream, null for a connection of its
 *     own
 * @param stream stream in that connection, 0 for a connection of its own
 * @param opener which side opens the streams of a connection of its own
 */
public record MxAttributes(
    MxSettings settings,
    NegotiationBlock peer,
    int isn,
    QueuePair owner,
    int stream,
    Opener opener) {
  /** Which side of a connection opens its streams [mx B.9]. */
  public enum Opener {
    /** The side with the higher address, then the higher connection QPN: when nobody asked. */
    HIGHER_ADDRESS,

    /** This side, which asked for the connection. */
    THIS_SIDE,

    /** The peer, which asked for the connection. */
    PEER
  }

  /** {@link #isn}: as sq_psn says when the queue pair moves to RTS. */
  public static final int ISN_IS_SQ_PSN = -1;

  /**
   * A connection of its own.
   *
   * @param settings this side's
   * @param peer the peer's block
   * @param isn first CPSN as this side's own block said
   * @return the attributes
   */
  public static MxAttributes connection(MxSettings settings, NegotiationBlock peer, int isn) {
    return new MxAttributes(settings, peer, isn, null, 0, Opener.HIGHER_ADDRESS);
  }

  /**
   * A stream of a connection there is.
   *
   * @param owner queue pair the connection was made with
   * @param peer the block the peer sent for this queue pair
   * @param stream number of the stream, 1..65535, the same on both sides
   * @return the attributes
   */
  public static MxAttributes stream(QueuePair owner, NegotiationBlock peer, int stream) {
    return new MxAttributes(
        MxSettings.defaults(), peer, ISN_IS_SQ_PSN, owner, stream, Opener.HIGHER_ADDRESS);
  }
}
