// Copyright 2026 the roce4j authors
// SPDX-License-Identifier: Apache-2.0

package io.roce4j.wire.ip;

/**
 * UDP source ports as path entropy: the rules Linux and adapters use, so that ECMP spreads
 * connections but never reorders one (RoCEv2 annex A17 leaves the choice to the sender; the
 * formulas are those of Linux's {@code ib_verbs.h}).
 *
 * <p>All results lie in 0xC000..0xFFFF; a receiver accepts every port. Stateless; any thread.
 */
public final class SourcePortEntropy {
  /** Lowest source port a sender uses. */
  public static final int MIN_PORT = 0xC000;

  /** Number of ports a sender can choose from. */
  public static final int PORTS = 0x4000;

  /** Largest flow label. */
  public static final int MAX_FLOW_LABEL = 0xF_FFFF;

  private static final int LOW_14 = 0x03FFF;
  private static final int HIGH_6 = 0xFC000;
  private static final int GOLDEN_RATIO_32 = 0x61C8_8647;

  private SourcePortEntropy() {}

  /**
   * Folds a flow label into a port.
   *
   * @param flowLabel 0..0xFFFFF
   * @return 0xC000..0xFFFF
   */
  public static int ofFlowLabel(int flowLabel) {
    return ((flowLabel & LOW_14) ^ ((flowLabel & HIGH_6) >>> 14)) | MIN_PORT;
  }

  /**
   * Derives a flow label from the queue pairs of a connection; the same at both ends.
   *
   * @param localQp 0..0xFFFFFF
   * @param remoteQp 0..0xFFFFFF
   * @return 0..0xFFFFF
   */
  public static int flowLabel(int localQp, int remoteQp) {
    long value = (long) localQp * remoteQp;
    value ^= value >>> 20;
    value ^= value >>> 40;
    return (int) value & MAX_FLOW_LABEL;
  }

  /**
   * The source port of a connected queue pair.
   *
   * @param flowLabel of the address vector, 0..0xFFFFF; 0 derives one from the queue pairs
   * @param localQp 0..0xFFFFFF
   * @param remoteQp 0..0xFFFFFF
   * @return 0xC000..0xFFFF, constant for the connection's life
   */
  public static int connected(int flowLabel, int localQp, int remoteQp) {
    return ofFlowLabel(flowLabel != 0 ? flowLabel : flowLabel(localQp, remoteQp));
  }

  /**
   * The source port of a UD queue pair and of QP 1: a multiplicative hash of its own number.
   *
   * @param localQp 0..0xFFFFFF
   * @return 0xC000..0xFFFF
   */
  public static int datagram(int localQp) {
    return MIN_PORT + ((localQp * GOLDEN_RATIO_32) >>> 18);
  }

  /**
   * The flow label of an RDMA CM connection whose address carries none.
   *
   * @param sourcePort RDMA CM port of this side, 0..65535
   * @param destinationPort RDMA CM port of the peer, 0..65535
   * @return 0..0xFFFFF
   */
  public static int cmFlowLabel(int sourcePort, int destinationPort) {
    return (sourcePort * 31 + destinationPort) & MAX_FLOW_LABEL;
  }
}
