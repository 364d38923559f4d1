// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.harness.workload;

import io.roce4j.multipath.MxAttributes;
import io.roce4j.multipath.MxSettings;
import io.roce4j.transport.verbs.QueuePair;
import io.roce4j.wire.mx.NegotiationBlock;

/**
 * What one side of a connection tells the other before both move to RTR, beside addresses and
 * numbers: with the profile {@code mx} its {@link NegotiationBlock}, with any other nothing. How
 * the block gets there is the carrier's business: within a process it is handed over, between hosts
 * its 32 bytes travel with the rest of the exchange. A side that gets no block runs plain RC.
 */
public final class Negotiation {
  private static final String MX = "mx";

  private final Object given;
  private final MxSettings mx;
  private final int psn;
  private final NegotiationBlock block;

  /**
   * One side's part.
   *
   * @param settings of its connection; with the profile {@code mx} its parameters are {@link
   *     MxSettings}, or null for the defaults
   * @param queuePair in RESET or INIT; its number is in the block
   * @param psn first PSN it will send, with MX the first CPSN
   */
  public Negotiation(ConnectionSettings settings, QueuePair queuePair, int psn) {
    this.given = settings.profileParameters();
    this.psn = psn;
    this.mx = mxOf(settings);
    this.block = mx == null ? null : mx.block(queuePair.qpNum(), psn, 0, 0);
  }

  /**
   * First PSN this side sends.
   *
   * @return 24 bits
   */
  public int psn() {
    return psn;
  }

  /**
   * What to send to the peer.
   *
   * @return the block, null when this side speaks plain RC
   */
  public NegotiationBlock block() {
    return block;
  }

  /**
   * The profile parameters for the move to RTR.
   *
   * @param peers what the peer sent, null when it sent no block
   * @return parameters of an MX connection, null for plain RC; what the settings give as it is when
   *     that is something else than MX settings
   */
  public Object agreeWith(NegotiationBlock peers) {
    if (mx == null) {
      return given;
    }
    return peers == null ? null : MxAttributes.connection(mx, peers, psn);
  }

  /** MX settings of a connection that is to negotiate, else null. */
  private static MxSettings mxOf(ConnectionSettings settings) {
    if (!settings.profile().equals(MX)) {
      return null;
    }
    if (settings.profileParameters() == null) {
      return MxSettings.defaults();
    }
    return settings.profileParameters() instanceof MxSettings parameters ? parameters : null;
  }
}
